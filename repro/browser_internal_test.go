package repro

import (
	"bytes"
	"html"
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/kerf-ml/kerf/report"
)

// measure is a script that writes what is cut, lies upon other words or is wider than the
// window into the attribute data-bad of the page.
const measure = `<script>
const bad = [];
for (const svg of document.querySelectorAll('svg.chart')) {
	const box = svg.getBoundingClientRect(), name = svg.getAttribute('aria-label');
	const words = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
	words.forEach(([word, b], i) => {
		if (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1)
			bad.push(word + ' is cut in ' + name);
		for (const [other, c] of words.slice(0, i)) {
			const wide = Math.min(b.right, c.right) - Math.max(b.left, c.left);
			const high = Math.min(b.bottom, c.bottom) - Math.max(b.top, c.top);
			if (wide > 1 && high > 0.2 * Math.min(b.height, c.height))
				bad.push(word + ' lies upon ' + other + ' in ' + name);
		}
	});
}
if (document.documentElement.scrollWidth > innerWidth) bad.push('the page is wider than the window');
document.body.setAttribute('data-bad', bad.join('; ') || 'nothing');
</script>`

var found = regexp.MustCompile(`data-bad="([^"]*)"`)

// TestBrowser draws the page of all experiments in a browser, light and dark, wide and
// narrow: no word is cut or lies upon another, the page is no wider than the window, and
// its ground is of the colour that was asked for.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("every experiment once more; make test runs it")
	}
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium here; .ci/run installs it")
	}
	dir := t.TempDir()
	var b bytes.Buffer
	if err := report.Write(&b, Page(results(t, Names()...))); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "index.html")
	b.WriteString(measure)
	if err := os.WriteFile(page, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	browse := func(size string, dark bool, args ...string) []byte {
		args = append(args, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
			"--disable-background-networking", "--user-data-dir="+filepath.Join(dir, "profile"), "--window-size="+size)
		if dark {
			args = append(args, "--blink-settings=preferredColorScheme=0")
		}
		out, err := exec.CommandContext(t.Context(), program, append(args, "file://"+page)...).Output()
		if err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		return out
	}
	for _, size := range []string{"1200,3000", "500,3000", "400,3000"} {
		got := found.FindSubmatch(browse(size, false, "--dump-dom"))
		if got == nil {
			t.Fatalf("%s: the page was not measured", size)
		}
		if bad := html.UnescapeString(string(got[1])); bad != "nothing" {
			t.Errorf("%s: %s", size, bad)
		}
		for _, dark := range []bool{false, true} {
			shot := filepath.Join(dir, "shot.png")
			browse(size, dark, "--screenshot="+shot)
			if got := ground(t, shot); got != dark {
				t.Errorf("%s: dark %v, want %v", size, got, dark)
			}
		}
	}
}

// ground reports whether the corner of a picture is dark.
func ground(t *testing.T, path string) bool {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	im, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	red, _, _, _ := im.At(2, 2).RGBA()
	return red < 0x8000
}
