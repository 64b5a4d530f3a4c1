package lab_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/cli"
	"github.com/kerf-ml/kerf/serve"
)

// serveModel serves a model of points until the test ends, and returns its address.
func serveModel(t *testing.T, o serve.Options) string {
	t.Helper()
	dir := t.TempDir()
	file, path := filepath.Join(dir, "c.csv"), filepath.Join(dir, "circle.kerf")
	for _, args := range [][]string{
		{"gen", "circle", "--n", "120", "-o", file},
		{"train", file, "--kernel", "rbf(gamma=1)", "--map", "f2", "--dim", "20", "--C", "1", "-q", "-o", path},
	} {
		if status := cli.Exec(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard); status != 0 {
			t.Fatalf("kerf %v: status %d", args, status)
		}
	}
	s, err := serve.New([]serve.Source{{Name: "circle", Path: path}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return listen(t, func(ctx context.Context, at net.Listener) error { return s.Serve(ctx, at, nil) }) + "docs"
}

// visit opens a page of the service and waits until it says what there is.
func (b *browser) visit(url string) {
	b.t.Helper()
	b.do("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	b.do("Page.navigate", map[string]any{"url": url}, nil)
	b.until("document.querySelector('#all details') || document.querySelector('#token input')")
}

// TestDocsPage looks at the page /docs of the service, wide and narrow, light and dark,
// sends the row that it offers, and one that does not go with the model.
func TestDocsPage(t *testing.T) {
	url, b := serveModel(t, serve.NewOptions()), start(t)
	for _, width := range []int{1400, 400} {
		for _, dark := range []bool{false, true} {
			b.window(width, 900, dark)
			b.visit(url)
			b.looks(fmt.Sprintf("docs-%d-%v", width, dark), dark)
			var over float64
			b.eval("document.documentElement.scrollWidth - innerWidth", &over)
			if over > 0 {
				t.Errorf("at %d pixels the page is %v too wide", width, over)
			}
		}
	}
	if said := b.text("#about"); !strings.Contains(said, "Version") {
		t.Errorf("the page says %q", said)
	}
	if model := b.text("h2"); model != "Model circle" {
		t.Errorf("the first model is %q", model)
	}
	b.click("details[open] button", 0.5, 0.5)
	b.until("!document.querySelector('details[open] button + pre').hidden")
	if said := b.text("details[open] button + pre"); !strings.HasPrefix(said, "200 ") ||
		!strings.Contains(said, `"predictions":["`) {
		t.Errorf("the row that is offered is answered with %q", said)
	}
	b.looks("docs-answer", true)
	b.clean() // before the browser notes that a request was refused
	b.eval("document.querySelector('details[open] textarea').value = '{\"x1\": 1}'; "+
		"document.querySelector('details[open] button + pre').hidden = true", nil)
	b.click("details[open] button", 0.5, 0.5)
	b.until("!document.querySelector('details[open] button + pre').hidden")
	said := b.text("details[open] button + pre")
	if !strings.HasPrefix(said, "422 ") || !strings.Contains(said, "lacks") {
		t.Errorf("a row without a column is answered with %q", said)
	}
	b.eval("document.querySelectorAll('details').forEach(d => { d.open = true })", nil)
	b.looks("docs-open", true)
}

// TestDocsToken opens the page where a token is needed: it asks for it.
func TestDocsToken(t *testing.T) {
	o := serve.NewOptions()
	o.Token = "secret"
	url, b := serveModel(t, o), start(t)
	b.window(400, 900, false)
	b.visit(url)
	b.looks("docs-token", false)
	b.eval("{ const e = document.querySelector('#token input'); e.value = 'secret'; "+
		"e.dispatchEvent(new Event('change', {bubbles: true})) }", nil)
	b.eval("document.querySelector('#token button') && document.querySelector('#token button').click()", nil)
	b.until("document.querySelector('#all details')")
}
