package lab_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/lab"
)

// slid moves a slider to places one after the other, and returns the milliseconds from each
// move to the picture on the screen: computed, sent, read and painted.
const slid = `(async () => {
  const slider = document.getElementById(%q), took = [];
  for (const place of %s) {
    slider.value = place;
    const begun = performance.now();
    slider.dispatchEvent(new Event('input', {bubbles: true}));
    while (document.body.dataset.state === 'busy') await new Promise(requestAnimationFrame);
    took.push(performance.now() - begun);
  }
  return took;
})()`

// BenchmarkSlide moves the sliders of a kernel's width and of the landmarks in Chromium, with
// 2,000 points: the median and the longest time until the picture is there.
func BenchmarkSlide(b *testing.B) {
	for _, data := range []string{"rings", "circle", "moons"} {
		for _, slider := range []string{"p-gamma", "dim"} {
			b.Run(data+"/"+slider, func(b *testing.B) {
				url, page := serveLab(b, lab.NewOptions()), start(b)
				page.window(1400, 900, false)
				page.open(url + "#data=" + data + "&n=2000&map=f2")
				if said := page.text("#time"); !strings.HasPrefix(said, "2000 points") {
					b.Fatalf("the page shows %s", said)
				}
				var took []float64
				for b.Loop() {
					var some []float64
					page.eval(fmt.Sprintf(slid, slider, strings.Join(strings.Fields(fmt.Sprint(places(20))), ",")), &some)
					took = append(took, some...)
					page.rest()
				}
				slices.Sort(took)
				b.ReportMetric(took[len(took)/2], "ms/median")
				b.ReportMetric(took[len(took)*95/100], "ms/95%")
				b.ReportMetric(took[len(took)-1], "ms/longest")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// places are n places of a slider, up and down.
func places(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = 25 + (i*13)%30
	}
	return out
}
