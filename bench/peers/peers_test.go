package main

import (
	"math"
	"os"
	"strings"
	"testing"
)

func TestExponent(t *testing.T) {
	rows := []int{100, 200, 400, 800}
	for _, e := range []float64{0.5, 1, 1.7, 3} {
		var seconds []float64
		for _, r := range rows {
			seconds = append(seconds, 0.3*math.Pow(float64(r), e))
		}
		if got := exponent(rows, seconds); math.Abs(got-e) > 1e-12 {
			t.Errorf("rows^%v has the exponent %v", e, got)
		}
	}
	if got := exponent(rows[:1], []float64{1}); got != 0 {
		t.Errorf("one size has the exponent %v", got)
	}
}

// TestBest compares with the fastest of the peers that come to as much.
func TestBest(t *testing.T) {
	of := func(who string, seconds, value float64) result {
		return result{Who: who, Seconds: []float64{seconds}, Median: seconds, Value: value}
	}
	l := line{Within: 0.01, Results: []result{of(ourselves, 2, -100), of("fast and worse", 1, -90), of("slow", 6, -100.5),
		of("better", 4, -120), {Who: "failed", Failed: "more than 90 s"}}}
	if r, times := l.best(); r == nil || r.Who != "better" || times != 2 {
		t.Errorf("the best is %v, %v times as slow", r, times)
	}
	l.Results = l.Results[:2]
	if r, _ := l.best(); r != nil {
		t.Errorf("%v is as good", r)
	}
}

// TestSides holds that every work has our side and one of the other programs'.
func TestSides(t *testing.T) {
	list, err := os.ReadFile("works.py")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	all := works
	for _, g := range growths {
		all = append(all, g.work)
	}
	for _, w := range all {
		if ours[w.Name] == nil {
			t.Errorf("%s is a work that we do not do", w.Name)
		}
		if !strings.Contains(string(list), `"`+w.Name+`"`) {
			t.Errorf("%s is not in works.py", w.Name)
		}
		seen[w.Name] = true
	}
	for name := range ours {
		if !seen[name] {
			t.Errorf("no work is called %s", name)
		}
	}
}

// TestChoose: works come in the order of the list, each once, and a prediction behind the
// training that it predicts by.
func TestChoose(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"svm-predict-a9a", "svm-a9a svm-predict-a9a"}, {"svm-one-clusters", "svm-clusters svm-one-clusters"},
		{"svm-a9a", "svm-a9a"}, {"svm-predict-noisy", "svm-noisy svm-predict-noisy svm-noisy svm-predict-noisy"},
		{"svm-predict-a9a svm-a9a f2-points50", "f2-points50 svm-a9a svm-predict-a9a"},
	} {
		chosen, _, err := choose(strings.Fields(c.names))
		var got []string
		for _, w := range chosen {
			got = append(got, w.id())
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %v; want %s", c.names, got, err, c.want)
		}
	}
	if _, _, err := choose([]string{"nothing"}); err == nil {
		t.Error("there is a work nothing")
	}
}

// TestGuide: the guide has the table of the runs that the page is of.
func TestGuide(t *testing.T) {
	b := &bench{page: "../../docs/benchmarks.md"}
	if err := b.read(b.beside()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(b.guide())
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Lines) == 0 || !strings.Contains(string(text), guideHead+b.short()+"\n") {
		t.Errorf("%s does not have\n%s(bench/peers -rewrite docs/benchmarks.json)", b.guide(), b.short())
	}
}
