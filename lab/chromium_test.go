package lab_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// browser is a Chromium that is told what to do through a pipe, by the protocol of its
// developer tools: messages of JSON that end with a zero byte.
type browser struct {
	t    testing.TB
	to   io.Writer
	mu   sync.Mutex
	next int
	wait map[int]chan message

	session string
	errors  []string // of scripts, and what they write as errors
}

// message is an answer, or an event.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// start starts Chromium, with a page of its own, until the test ends.
func start(t testing.TB) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser; make test runs it")
	}
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no chromium here; .ci/run installs it")
	}
	orders, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// The profile is removed after the last process of Chromium has let go of it.
	dir, err := os.MkdirTemp("", "lab")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir="+
			filepath.Join(dir, "profile"), "about:blank")
	c.ExtraFiles = []*os.File{orders, answers}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = orders.Close(), answers.Close()
	b := &browser{t: t, to: to, wait: map[int]chan message{}}
	done := make(chan struct{})
	go func() { defer close(done); b.listen(from) }()
	t.Cleanup(func() {
		_, _ = b.call("Browser.close", nil)
		ended := make(chan struct{})
		go func() { _ = c.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
		}
		cancel()
		<-ended
		_, _ = to.Close(), from.Close()
		<-done
		for range 20 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	var target struct{ TargetID string }
	b.do("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.do("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.do(domain+".enable", nil, nil)
	}
	return b
}

// listen hands answers to those who wait, and keeps what went wrong on the page.
func (b *browser) listen(from io.Reader) {
	r := bufio.NewReader(from)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			for id, c := range b.wait {
				close(c)
				delete(b.wait, id)
			}
			b.mu.Unlock()
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if c := b.wait[m.ID]; m.ID > 0 && c != nil {
			c <- m
			delete(b.wait, m.ID)
		}
		if m.Method == "Runtime.exceptionThrown" || m.Method == "Log.entryAdded" &&
			strings.Contains(string(m.Params), `"error"`) {
			b.errors = append(b.errors, string(m.Params))
		}
		b.mu.Unlock()
	}
}

// call sends a message and waits for the answer.
func (b *browser) call(method string, params map[string]any) (json.RawMessage, error) {
	b.mu.Lock()
	b.next++
	id, c := b.next, make(chan message, 1)
	b.wait[id] = c
	b.mu.Unlock()
	order := map[string]any{"id": id, "method": method, "params": params}
	if params == nil {
		order["params"] = map[string]any{}
	}
	if b.session != "" && !strings.HasPrefix(method, "Target.") && !strings.HasPrefix(method, "Browser.") {
		order["sessionId"] = b.session
	}
	text, err := json.Marshal(order)
	if err != nil {
		return nil, err
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		return nil, err
	}
	select {
	case m, ok := <-c:
		if !ok {
			return nil, fmt.Errorf("%s: the browser has ended", method)
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		return m.Result, nil
	case <-time.After(30 * time.Second):
		return nil, fmt.Errorf("%s: no answer in 30 seconds", method)
	}
}

// do is call, and must succeed.
func (b *browser) do(method string, params map[string]any, result any) {
	b.t.Helper()
	text, err := b.call(method, params)
	if err == nil && result != nil {
		err = json.Unmarshal(text, result)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// eval runs a script on the page, and returns its value.
func (b *browser) eval(script string, value any) {
	b.t.Helper()
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	b.do("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &out)
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", script, out.ExceptionDetails.Exception.Description)
	}
	if value != nil {
		if err := json.Unmarshal(out.Result.Value, value); err != nil {
			b.t.Fatalf("%s: %v of %s", script, err, out.Result.Value)
		}
	}
}

// text returns what an element of the page says.
func (b *browser) text(selector string) string {
	b.t.Helper()
	var out string
	b.eval(fmt.Sprintf("document.querySelector(%q).textContent", selector), &out)
	return strings.Join(strings.Fields(out), " ")
}

// until waits for a script to be true.
func (b *browser) until(script string) {
	b.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var yes bool
		b.eval("Boolean("+script+")", &yes)
		if yes {
			return
		}
		if time.Now().After(end) {
			var state, fault string
			b.eval("document.body.dataset.state || ''", &state)
			b.eval("document.getElementById('fault')?.textContent || ''", &fault)
			b.t.Fatalf("not in 20 seconds: %s (state %s, fault %q, errors %v)", script, state, fault, b.errors)
		}
	}
}

// open goes to an address and waits for the picture.
func (b *browser) open(url string) {
	b.t.Helper()
	b.do("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	b.do("Page.navigate", map[string]any{"url": url}, nil)
	b.rest()
}

// rest waits until nothing moves.
func (b *browser) rest() {
	b.t.Helper()
	b.until("document.body && document.body.dataset.state === 'rest'")
}

// window sets the size of the window and the colours asked for.
func (b *browser) window(width, height int, dark bool) {
	b.t.Helper()
	b.do("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
	}, nil)
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.do("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}},
	}, nil)
}

// shot takes a picture of the whole page, and keeps it in $KERF_SHOTS if that is set.
func (b *browser) shot(name string) []byte {
	b.t.Helper()
	var out struct{ Data string }
	b.do("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "format": "png"}, &out)
	picture, err := base64.StdEncoding.DecodeString(out.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	if dir := os.Getenv("KERF_SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	return picture
}

// click presses and releases the mouse at a place of an element, from 0 to 1 each way.
func (b *browser) click(selector string, x, y float64) {
	b.t.Helper()
	b.eval(fmt.Sprintf("document.querySelector(%q).scrollIntoView({block: 'center'})", selector), nil)
	var box struct{ Left, Top, Width, Height float64 }
	b.eval(fmt.Sprintf("(({left, top, width, height}) => ({left, top, width, height}))"+
		"(document.querySelector(%q).getBoundingClientRect())", selector), &box)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.do("Input.dispatchMouseEvent", map[string]any{
			"type": kind, "x": box.Left + x*box.Width, "y": box.Top + y*box.Height, "button": "left", "clickCount": 1,
			"buttons": 1,
		}, nil)
	}
}

// press presses keys, by their names.
func (b *browser) press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		p := map[string]any{"type": "keyDown", "key": key, "code": key}
		switch key {
		case " ", "1", "2":
			p["text"] = key
		case "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown":
			p["windowsVirtualKeyCode"] = map[string]int{"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}[key]
		case "Tab":
			p["windowsVirtualKeyCode"] = 9
		}
		b.do("Input.dispatchKeyEvent", p, nil)
		p["type"] = "keyUp"
		delete(p, "text")
		b.do("Input.dispatchKeyEvent", p, nil)
	}
}
