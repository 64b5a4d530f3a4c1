package repro

import (
	"bytes"
	"encoding/csv"
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/report"
	"github.com/kerf-ml/kerf/run"
)

// some are results of the fastest experiments.
func some(t *testing.T) []*Result {
	t.Helper()
	var out []*Result
	for _, name := range []string{"perceptron", "online-to-batch", "boosting"} {
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Measure(t.Context(), run.Control{}, Params{Seed: 1}, true)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func TestPage(t *testing.T) {
	results := some(t)
	results[1].Verdict = Fails
	var b bytes.Buffer
	if err := report.Write(&b, Page(results)); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"2 of 3", "does not hold: From online to batch learning",
		"kerf repro perceptron --quick --seed 1", "perceptron.csv", "99.9% confidence"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if n := strings.Count(text, "<svg class=\"chart\""); n != 4 {
		t.Errorf("%d charts", n)
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "no data") || strings.Contains(text, "http") {
		t.Error("the page has NaN, an empty chart, or asks for something from elsewhere")
	}
}

func TestCSV(t *testing.T) {
	for _, r := range some(t) {
		var b bytes.Buffer
		if err := r.CSV(&b); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&b).ReadAll()
		if err != nil || len(lines) != len(r.Rows)+1 {
			t.Errorf("%s: %d lines for %d rows, %v", r.Name, len(lines), len(r.Rows), err)
		}
	}
}

// TestBrowser draws the page in a browser, light and dark, wide and narrow: what
// it shows is as wide as the window, and not one colour.
func TestBrowser(t *testing.T) {
	program, err := exec.LookPath("chromium")
	if err != nil || testing.Short() {
		t.Skip("no chromium, or a short test")
	}
	dir := t.TempDir()
	page := filepath.Join(dir, "index.html")
	var b bytes.Buffer
	if err := report.Write(&b, Page(some(t))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(page, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string][]string{
		"light wide": {"--window-size=1200,3000"}, "light narrow": {"--window-size=400,3000"},
		"dark wide":   {"--window-size=1200,3000", "--blink-settings=preferredColorScheme=0"},
		"dark narrow": {"--window-size=400,3000", "--blink-settings=preferredColorScheme=0"},
	} {
		shot := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".png")
		args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + filepath.Join(dir, "p"),
			"--screenshot=" + shot, "file://" + page}, flags...)
		if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
			t.Skipf("chromium does not run here: %v\n%s", err, out)
		}
		f, err := os.Open(shot)
		if err != nil {
			t.Fatal(err)
		}
		im, _, err := image.Decode(f)
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		r0, _, _, _ := im.At(2, 2).RGBA()
		if dark := r0 < 0x8000; dark != strings.HasPrefix(name, "dark") {
			t.Errorf("%s: the ground has red %x", name, r0)
		}
		colours := map[[3]uint32]bool{}
		for y := im.Bounds().Min.Y; y < im.Bounds().Max.Y; y += 3 {
			for x := im.Bounds().Min.X; x < im.Bounds().Max.X; x += 3 {
				r, g, b, _ := im.At(x, y).RGBA()
				colours[[3]uint32{r, g, b}] = true
			}
		}
		if len(colours) < 20 {
			t.Errorf("%s: %d colours", name, len(colours))
		}
	}
}
