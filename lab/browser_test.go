package lab_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/png"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/lab"
)

// serveLab serves a lab until the test ends, and returns its address.
func serveLab(t testing.TB, o lab.Options) string {
	t.Helper()
	l, err := lab.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return listen(t, l.Serve)
}

// listen serves at a port of its own until the test ends, and returns the address.
func listen(t testing.TB, serve func(context.Context, net.Listener) error) string {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, at) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + at.Addr().String() + "/"
}

// figures returns the values below the picture by their names.
func (b *browser) figures() map[string]string {
	b.t.Helper()
	var list [][2]string
	b.eval("[...document.querySelectorAll('#figures div')].map(d => [d.children[0].textContent, "+
		"d.children[1].textContent])", &list)
	out := map[string]string{}
	for _, pair := range list {
		out[pair[0]] = pair[1]
	}
	return out
}

// slide moves a slider as a hand does: some places on the way, and then it rests.
func (b *browser) slide(id string, places ...int) {
	b.t.Helper()
	for _, v := range places {
		b.eval(fmt.Sprintf("{ const e = document.getElementById(%q); e.focus(); e.value = %d; "+
			"e.dispatchEvent(new Event('input', {bubbles: true})) }", id, v), nil)
	}
	b.eval(fmt.Sprintf("document.getElementById(%q).dispatchEvent(new Event('change', {bubbles: true}))", id), nil)
	b.rest()
}

// cells returns the cells of a table, a row each.
func (b *browser) cells(selector string) [][]string {
	b.t.Helper()
	var out [][]string
	b.eval(fmt.Sprintf("[...document.querySelectorAll('%s tr')].slice(1).map(r => [...r.cells].map(c => "+
		"c.textContent))", selector), &out)
	return out
}

// clean reports what went wrong on the page.
func (b *browser) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.errors {
		b.t.Errorf("on the page: %s", e)
	}
}

// TestBrowserLesson opens the page as a newcomer does, and follows the steps.
func TestBrowserLesson(t *testing.T) {
	url, b := serveLab(t, lab.NewOptions()), start(t)
	b.window(1400, 900, false)
	b.open(url)
	if got := b.text("#lesson"); !strings.Contains(got, "F1 leaves a gap of 0.56° and F2 one of 4.1°") {
		t.Errorf("the page begins with %q", got)
	}
	var above bool
	b.eval("['lesson', 'plane', 'fans'].every(id => document.getElementById(id).getBoundingClientRect().top < "+
		"innerHeight * 0.6)", &above)
	if !above {
		t.Error("the lesson, the picture and the angles are not all on the first screen")
	}
	fan := b.cells("#t-fan")
	if len(fan) != 3 || fan[0][0] != "F1" || fan[1][0] != "F2" || fan[0][3] != "0.555°" {
		t.Errorf("angles %v", fan)
	}
	for step, want := range []string{"F1 leaves a gap of 0.56°", "F2 one of 4.1°", "same 128 landmarks",
		"nothing to lose", ""} {
		b.eval(fmt.Sprintf("document.querySelector('[data-step=\"%d\"]').click()", step), nil)
		b.rest()
		if got := b.text("#lesson"); !strings.Contains(got, want) {
			t.Errorf("step %d says %q, want %q", step+1, got, want)
		}
		var pressed int
		b.eval("[...document.querySelectorAll('[data-step]')].findIndex(e => e.ariaPressed === 'true')", &pressed)
		if pressed != step {
			t.Errorf("step %d: button %d is pressed", step+1, pressed+1)
		}
	}
	b.clean()
}

// TestBrowserSlides moves sliders and reads the values back, and opens the link of a state.
func TestBrowserSlides(t *testing.T) {
	url, b := serveLab(t, lab.NewOptions()), start(t)
	b.window(1400, 900, false)
	b.open(url)
	before := b.figures()
	if before["landmarks"] != "32" || before["points wrong"] != "0%" {
		t.Errorf("figures %v", before)
	}
	b.slide("dim", 60, 58, 56, 55)
	few := b.figures()["landmarks"]
	if n, err := strconv.Atoi(few); err != nil || n >= 32 || b.text("#o-dim") != few {
		t.Errorf("%s landmarks, and the slider says %s", few, b.text("#o-dim"))
	}
	b.slide("p-gamma", 30, 40, 50)
	var kernel string
	b.eval("document.getElementById('kernel').value", &kernel)
	if kernel != "rbf(gamma=1)" {
		t.Errorf("the kernel is %s", kernel)
	}
	b.eval("{ const e = document.getElementById('map'); e.value = 'f2'; e.dispatchEvent(new Event('change')) }", nil)
	b.rest()
	fan, figures, lesson := b.cells("#t-fan"), b.figures(), b.text("#lesson")
	var link string
	b.eval("location.href", &link)
	for _, part := range []string{"kernel=rbf", "map=f2", "dim=" + few} {
		if !strings.Contains(link, part) {
			t.Errorf("the link %s lacks %s", link, part)
		}
	}
	b.open(link)
	if got := b.figures(); fmt.Sprint(got) != fmt.Sprint(figures) ||
		fmt.Sprint(b.cells("#t-fan")) != fmt.Sprint(fan) || b.text("#lesson") != lesson {
		t.Errorf("the link shows %v, and the state was %v", got, figures)
	}
	// What the engine says by itself is what the page shows.
	s := lab.NewState()
	s.Kernel, s.Map, s.Learner = "rbf(gamma=1)", "f2", "svm"
	s.Dim, _ = strconv.Atoi(few)
	a := compute(t, s, 0)
	if want := fmt.Sprintf("%.3g", a.F2.Margin); fan[1][1] != want {
		t.Errorf("the page has margin %s of F2, and the engine %s", fan[1][1], want)
	}
	if want := strconv.Itoa(a.F2.Mistakes); b.cells("#t-mistakes")[1][1] != want {
		t.Errorf("the page has %v mistakes of F2, and the engine %s", b.cells("#t-mistakes"), want)
	}
	// A kernel that cannot be read is said to be wrong, and the next one is shown.
	for text, fails := range map[string]bool{"rbf(": true, "exec:cat": true, "laplace(gamma=2)": false} {
		b.eval(fmt.Sprintf("{ const e = document.getElementById('kernel'); e.value = %q; e.dispatchEvent(new "+
			"Event('change')) }", text), nil)
		b.until("document.body.dataset.state !== 'busy'")
		var shown bool
		b.eval("!document.getElementById('fault').hidden", &shown)
		if shown != fails {
			t.Errorf("kernel %s: fault %v", text, b.text("#fault"))
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.errors {
		if !strings.Contains(e, "400") {
			t.Errorf("on the page: %s", e)
		}
	}
}

// TestBrowserDraws draws points with the mouse and with the keyboard alone, and reads them
// back from the table, the address and the engine.
func TestBrowserDraws(t *testing.T) {
	url, b := serveLab(t, lab.NewOptions()), start(t)
	b.window(1400, 900, false)
	b.open(url + "#data=drawn&kernel=rbf(gamma%3D1)&map=f2&dim=8&drawn=-0.5,0,0;0.5,0,1")
	b.click("#plane", 0.5, 0.25) // at x 0, y 0.55 of the window from -1.1 to 1.1
	b.rest()
	rows := b.cells("#t-drawn")
	if len(rows) != 3 || rows[2][3] != "1" {
		t.Fatalf("drawn %v", rows)
	}
	if x, y := parse(t, rows[2][1]), parse(t, rows[2][2]); x*x > 0.0004 || (y-0.55)*(y-0.55) > 0.0004 {
		t.Errorf("the point is at %v, %v", x, y)
	}
	if counts := b.cells("#t-plane"); counts[1][1] != "2" || counts[0][1] != "1" {
		t.Errorf("counts %v", counts)
	}
	// With the keyboard: the cross is where the mouse was not, in the middle.
	b.eval("document.getElementById('plane').focus()", nil)
	b.press("ArrowLeft", "ArrowLeft", "ArrowDown", "2")
	b.rest()
	if rows = b.cells("#t-drawn"); len(rows) != 4 || rows[3][3] != "-1" || parse(t, rows[3][1]) >= 0 || parse(t,
		rows[3][2]) >= 0 {
		t.Fatalf("drawn %v", rows)
	}
	b.until("document.getElementById('say').textContent.length > 0")
	b.press("ArrowUp")
	b.until("/class/.test(document.getElementById('say').textContent)")
	b.press("Delete")
	b.rest()
	if rows = b.cells("#t-drawn"); len(rows) != 3 {
		t.Errorf("after Delete there are %v", rows)
	}
	b.eval("document.getElementById('undo').click()", nil)
	b.rest()
	if rows = b.cells("#t-drawn"); len(rows) != 2 {
		t.Errorf("after Undo there are %v", rows)
	}
	b.eval("document.getElementById('clear').click()", nil)
	b.until("document.body.dataset.state === 'fault'")
	if got := b.text("#fault"); !strings.Contains(got, "no points") {
		t.Errorf("without points the page says %q", got)
	}
	// Drawing goes on from nothing.
	b.click("#plane", 0.3, 0.3)
	b.until("/class -1/.test(document.getElementById('fault').textContent)")
	b.eval("document.querySelector('[name=tool][value=\"0\"]').click()", nil)
	b.click("#plane", 0.7, 0.7)
	b.rest()
	if rows = b.cells("#t-drawn"); len(rows) != 2 {
		t.Errorf("drawn %v", rows)
	}
}

func parse(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestBrowserTable loads a table through the page and chooses two of its columns.
func TestBrowserTable(t *testing.T) {
	url, b := serveLab(t, lab.NewOptions()), start(t)
	b.window(1400, 900, false)
	b.open(url)
	b.eval(fmt.Sprintf(`{ const files = new DataTransfer();
		files.items.add(new File([%q], 'houses.csv'));
		const e = document.getElementById('file');
		e.files = files.files;
		e.dispatchEvent(new Event('change')) }`, houses()), nil)
	b.until("document.body.dataset.state === 'rest' && /houses/.test(document.getElementById('notes').textContent)")
	if got := b.text("#axes"); !strings.Contains(got, "principal direction 1") {
		t.Errorf("axes %q", got)
	}
	b.eval("{ const e = document.getElementById('column-0'); e.value = 'rooms'; e.dispatchEvent(new "+
		"Event('change')) }", nil)
	b.rest()
	if got := b.text("#axes"); !strings.Contains(got, "Across: rooms") {
		t.Errorf("axes %q", got)
	}
	b.clean()
}

// TestBrowserModel tries rows on a model by hand, and opens the link of a row.
func TestBrowserModel(t *testing.T) {
	o := lab.NewOptions()
	o.Model = trained(t, "houses.csv", houses(), nil)
	url, b := serveLab(t, o), start(t)
	b.window(1400, 900, false)
	ready := "document.body && document.body.dataset.model === 'rest'"
	b.do("Page.navigate", map[string]any{"url": url}, nil)
	b.until(ready)
	set := func(at int, text string) {
		b.eval(fmt.Sprintf("{ document.body.dataset.model = 'asked'; const e = document.querySelectorAll('#fields "+
			"input')[%d]; e.value = %q; "+
			"e.dispatchEvent(new Event('input', {bubbles: true})) }", at, text), nil)
		b.until(ready)
	}
	set(0, "8")
	if got := b.text("#said"); got != "yes" {
		t.Errorf("eight rooms: %s", got)
	}
	set(0, "0")
	if got := b.text("#said"); got != "no" {
		t.Errorf("no rooms: %s", got)
	}
	if got := b.cells("#t-columns"); len(got) == 0 || got[0][0] != "rooms" {
		t.Errorf("columns %v", got)
	}
	if near := b.cells("#t-near"); len(near) == 0 {
		t.Error("no landmarks")
	}
	var link string
	b.eval("location.href", &link)
	b.do("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	b.do("Page.navigate", map[string]any{"url": link}, nil)
	b.until(ready)
	var value string
	b.eval("document.querySelector('#fields input').value", &value)
	if value != "0" || b.text("#said") != "no" {
		t.Errorf("the link %s has %s rooms: %s", link, value, b.text("#said"))
	}
	b.until("/What is inside/.test(document.getElementById('report').contentDocument?.body?.textContent || '')")
	for _, width := range []int{1400, 400} {
		for _, dark := range []bool{false, true} {
			b.window(width, 900, dark)
			b.looks(fmt.Sprintf("model-%d-%v", width, dark), dark)
		}
	}
	b.eval("document.getElementById('tab-lab').click()", nil)
	b.rest()
	b.clean()
}

// measure returns what is wider than the window, cut, or without a name.
const measure = `(() => {
	const bad = [];
	if (document.documentElement.scrollWidth > innerWidth) bad.push('the page is wider than the window');
	const seen = e => e.offsetParent !== null && !e.closest('.wide, .unseen, iframe, svg');
	for (const e of document.querySelectorAll('main:not([hidden]) *')) {
		const box = e.getBoundingClientRect();
		if (seen(e) && box.width > 0 && box.right > document.documentElement.clientWidth + 1)
			bad.push(e.tagName + ' ' + (e.id || e.className) + ' is cut');
		if (seen(e) && /^(BUTTON|DT|DD|H2|LABEL|SUMMARY)$/.test(e.tagName) && e.clientWidth > 0 &&
			e.scrollWidth > e.clientWidth + 1)
			bad.push(e.tagName + ' ' + e.textContent.trim().slice(0, 40) + ' is cut');
	}
	const named = 'input, select, textarea, button, canvas, iframe, meter:not([aria-hidden])';
	for (const e of document.querySelectorAll('main:not([hidden]) :is(' + named + ')')) {
		const name = e.ariaLabel || e.title || e.labels?.[0]?.textContent || e.textContent;
		if (!name?.trim()) bad.push(e.tagName + ' ' + e.id + ' has no name');
	}
	for (const svg of document.querySelectorAll('main:not([hidden]) svg.chart')) {
		const box = svg.getBoundingClientRect();
		if (!svg.getAttribute('aria-label')) bad.push('a chart has no name');
		for (const t of svg.querySelectorAll('text')) {
			const b = t.getBoundingClientRect();
			if (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1)
				bad.push(t.textContent + ' is cut in ' + svg.ariaLabel);
		}
	}
	return bad;
})()`

// looks measures the page and looks at the colour of its ground.
func (b *browser) looks(name string, dark bool) {
	b.t.Helper()
	var bad []string
	b.eval(measure, &bad)
	for _, fault := range bad {
		b.t.Errorf("%s: %s", name, fault)
	}
	im, _, err := image.Decode(bytes.NewReader(b.shot(name)))
	if err != nil {
		b.t.Fatal(err)
	}
	if red, _, _, _ := im.At(2, 2).RGBA(); (red < 0x8000) != dark {
		b.t.Errorf("%s: the ground has red %x", name, red)
	}
}

// TestBrowserLooks draws the page wide and narrow, light and dark, with every theorem
// open: nothing is cut, everything has a name.
func TestBrowserLooks(t *testing.T) {
	url, b := serveLab(t, lab.NewOptions()), start(t)
	for _, width := range []int{1400, 1000, 400} {
		for _, dark := range []bool{false, true} {
			b.window(width, 900, dark)
			b.open(url)
			b.looks(fmt.Sprintf("lab-%d-%v", width, dark), dark)
		}
		b.eval("document.querySelectorAll('details').forEach(d => { d.open = true })", nil)
		b.looks(fmt.Sprintf("open-%d", width), true)
	}
	b.window(1400, 900, false)
	for _, state := range []string{"#data=interleaved&n=10&kernel=poly(degree%3D9)",
		"#data=moons&noise=0.1&map=f3", "#kernel=sigmoid(gamma%3D2)&map=f2",
		"#learner=kernel-svm&data=xor", "#map=fourier&dim=64&data=circle"} {
		b.open(url + state)
		b.looks("state-"+strings.NewReplacer("#", "", "=", "", "&", "-", "%3D", "", "(", "", ")", "").Replace(state), false)
	}
	b.clean()
}
