package lab_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/lab"
)

// handler returns the handler of a lab.
func handler(t *testing.T, o lab.Options) http.Handler {
	t.Helper()
	l, err := lab.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return l.Handler()
}

// send sends a request to a handler, with headers as pairs.
func send(h http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:8082"
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestOrigins checks who is answered: the page itself, and nobody through another page.
func TestOrigins(t *testing.T) {
	o := lab.NewOptions()
	o.Hosts = []string{"box.example"}
	h := handler(t, o)
	const state = `{"n": 20, "cells": 4}`
	for _, c := range []struct {
		headers []string
		status  int
	}{
		{nil, 200},
		{[]string{"Host", "localhost:8082"}, 200},
		{[]string{"Host", "[::1]:8082"}, 200},
		{[]string{"Host", "BOX.example:8082"}, 200},
		{[]string{"Host", "evil.example"}, 403},                                       // a name that was pointed here
		{[]string{"Host", "127.0.0.1.evil.example:8082"}, 403},                        // and one that looks like an address
		{[]string{"Host", ""}, 403},                                                   //
		{[]string{"Origin", "http://127.0.0.1:8082"}, 200},                            // the page itself
		{[]string{"Origin", "http://127.0.0.1:9999"}, 403},                            // another program's page
		{[]string{"Origin", "https://evil.example"}, 403},                             //
		{[]string{"Origin", "null"}, 403},                                             // a page in a frame without an origin
		{[]string{"Sec-Fetch-Site", "same-origin"}, 200},                              //
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403},                               //
		{[]string{"Sec-Fetch-Site", "same-site"}, 403},                                // another port of this machine
		{[]string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, 403}, // a form that is sent
	} {
		w := send(h, "POST", "/api/compute", state, append([]string{"Content-Type", "application/json"}, c.headers...)...)
		if w.Code != c.status {
			t.Errorf("%v: status %d, want %d: %s", c.headers, w.Code, c.status, w.Body)
		}
	}
	if w := send(h, "GET", "/", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"); w.Code != 200 {
		t.Errorf("a link to the page: status %d", w.Code)
	}
	if w := send(h, "GET", "/api/about", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"); w.Code != 403 {
		t.Errorf("a script of another page: status %d", w.Code)
	}
	w := send(h, "OPTIONS", "/api/compute", "", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST")
	if w.Code != 403 || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("a preflight: status %d, %v", w.Code, w.Header())
	}
}

// TestRefused checks that what cannot be answered has the right status and one line.
func TestRefused(t *testing.T) {
	o := lab.NewOptions()
	o.MaxBody = 10_000
	h := handler(t, o)
	isJSON, isFile := []string{"Content-Type", "application/json"}, []string{"Content-Type", "application/octet-stream"}
	for _, c := range []struct {
		method, path, body string
		headers            []string
		status             int
		says               string
	}{
		{"POST", "/api/compute", `{}`, nil, 415, "application/json"},
		{"POST", "/api/compute", `{}`, []string{"Content-Type", "text/plain"}, 415, "application/json"},
		{"POST", "/api/compute", `{"n": "x"}`, isJSON, 400, "cannot be read"},
		{"POST", "/api/compute", `{"n": 1e99}`, isJSON, 400, "cannot be read"},
		{"POST", "/api/compute", `{"kernel": "rbf("}`, isJSON, 400, "rbf("},
		{"POST", "/api/compute", `{"data": "table"}`, isJSON, 422, "no table is loaded"},
		{"POST", "/api/compute", `{"data": "table", "table": "0123"}`, isJSON, 422, "not loaded here"},
		{"POST", "/api/compute", `{"data": "drawn"}`, isJSON, 422, "no points"},
		{"POST", "/api/compute", strings.Repeat(" ", 300<<10) + `{}`, isJSON, 413, "larger than"},
		{"POST", "/api/compute", "\x00\xff", isJSON, 400, "cannot be read"},
		{"POST", "/api/table", "", isFile, 422, ""},
		{"POST", "/api/table", "a,b\n1,2\n", isFile, 422, ""},
		{"POST", "/api/table", "\x00\x01\x02", isFile, 422, ""},
		{"POST", "/api/table", strings.Repeat("1,2\n", 10_000), isFile, 413, "path of the file"},
		{"POST", "/api/table", "a,b,y\n1,2,x\n2,1,x\n3,3,x\n", isFile, 422, "same label"},
		{"POST", "/api/table?target=nope", "a,b,y\n1,2,x\n2,1,z\n3,3,x\n", isFile, 422, "nope"},
		{"POST", "/api/try", `{}`, isJSON, 404, "without a model"},
		{"GET", "/api/model", "", nil, 404, "without a model"},
		{"GET", "/report", "", nil, 404, "without a model"},
		{"GET", "/api/compute", "", nil, 405, ""},
		{"GET", "/../lab.go", "", nil, 404, ""},
		{"GET", "/page/index.html", "", nil, 404, ""},
	} {
		w := send(h, c.method, c.path, c.body, c.headers...)
		if w.Code != c.status && !(c.status == 404 && w.Code == 307) {
			t.Errorf("%s %s %.40s: status %d, want %d: %s", c.method, c.path, c.body, w.Code, c.status, w.Body)
		}
		if !strings.Contains(w.Body.String(), c.says) || strings.Count(strings.TrimSpace(w.Body.String()), "\n") > 0 {
			t.Errorf("%s %s %.40s: %q, want %q", c.method, c.path, c.body, w.Body, c.says)
		}
	}
}

// TestPage checks the embedded files and what a browser is told of them.
func TestPage(t *testing.T) {
	h := handler(t, lab.NewOptions())
	for path, kind := range map[string]string{
		"/": "text/html", "/lab.css": "text/css", "/report.css": "text/css", "/main.js": "text/javascript",
		"/plane.js": "text/javascript", "/api/about": "application/json",
	} {
		w := send(h, "GET", path, "")
		if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) {
			t.Errorf("%s: status %d, %s", path, w.Code, w.Header().Get("Content-Type"))
		}
		if p := w.Header().Get("Content-Security-Policy"); !strings.Contains(p, "default-src 'none'") ||
			strings.Contains(p, "unsafe") {
			t.Errorf("%s: policy %s", path, p)
		}
		body := w.Body.String()
		if strings.Contains(body, "https://") || strings.Contains(strings.ReplaceAll(body,
			"http://www.w3.org/2000/svg", ""), "http://") {
			t.Errorf("%s asks for something from elsewhere", path)
		}
	}
}

// loadTable loads a table and returns its name.
func loadTable(t *testing.T, h http.Handler, body string) (id string, table lab.Table) {
	t.Helper()
	w := send(h, "POST", "/api/table?name=t.csv", body, "Content-Type", "application/octet-stream")
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	var out struct {
		lab.Table
		ID string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out.ID, out.Table
}

// TestTables loads tables, shows them, and forgets the oldest.
func TestTables(t *testing.T) {
	h := handler(t, lab.NewOptions())
	csv := func(seed int) string {
		var b strings.Builder
		b.WriteString("width,colour,height,kind\n")
		for i := range 60 {
			fmt.Fprintf(&b, "%d,%s,%g,%s\n", i*seed%17, []string{"red", "blue"}[i%2], float64(i)/10, []string{"a", "b",
				"c"}[i%3])
		}
		return b.String()
	}
	id, table := loadTable(t, h, csv(1))
	if table.Rows != 60 || len(table.Classes) != 3 || table.Name != "t.csv" || len(table.Columns) < 4 {
		t.Fatalf("%+v", table)
	}
	if again, _ := loadTable(t, h, csv(1)); again != id {
		t.Errorf("the same table is %s and %s", id, again)
	}
	show := func(extra string) *httptest.ResponseRecorder {
		return send(h, "POST", "/api/compute", `{"data": "table", "table": "`+id+`", "cells": 4, "dim": 5`+extra+`}`,
			"Content-Type", "application/json")
	}
	for extra, status := range map[string]int{
		"":                                  200,
		`, "columns": ["width", "height"]`:  200,
		`, "columns": ["width", "nothing"]`: 422,
		`, "drawn": [[0, 0, 1]]`:            200,
		`, "learner": "kernel-svm"`:         200,
	} {
		if w := show(extra); w.Code != status {
			t.Errorf("%s: status %d: %s", extra, w.Code, w.Body)
		}
	}
	for seed := 2; seed < 6; seed++ {
		loadTable(t, h, csv(seed))
	}
	if w := show(""); w.Code != 422 || !strings.Contains(w.Body.String(), "load it again") {
		t.Errorf("a table that has gone: status %d: %s", w.Code, w.Body)
	}
}

// TestTargets reads targets of many numbers and of many classes, sparse rows, and what has
// no place in the plane.
func TestTargets(t *testing.T) {
	read := func(text string) (*lab.Table, error) {
		return lab.ReadTable(context.Background(), "-", dataset.Options{Stdin: strings.NewReader(text)})
	}
	var numbers, many, sparse, lines strings.Builder
	numbers.WriteString("a,b,price\n")
	many.WriteString("a,b,kind\n")
	for i := range 90 {
		fmt.Fprintf(&numbers, "%d,%d,%d.5\n", i%7, i%11, i)
		fmt.Fprintf(&many, "%d,%d,k%d\n", i%7, i%11, i%9)
		fmt.Fprintf(&sparse, "%d %d:1 %d:0.5\n", i%2, i%5+1, i%40+10)
		fmt.Fprintf(&lines, "%s\t%s\n", []string{"ham", "spam"}[i%2], strings.Repeat(fmt.Sprintf("word %d and ", i), i%5+1))
	}
	if got, err := read(numbers.String()); err != nil || len(got.Classes) != 2 ||
		!strings.Contains(strings.Join(got.Notes, " "), "median") {
		t.Errorf("numbers: %+v, %v", got, err)
	}
	if got, err := read(strings.ReplaceAll(many.String(), "k", "1")); err != nil || len(got.Classes) != 6 {
		t.Errorf("classes that are numbers: %+v, %v", got, err)
	}
	if got, err := read(many.String()); err != nil || len(got.Classes) != 6 || got.Classes[5] != "others" {
		t.Errorf("many classes: %+v, %v", got, err)
	}
	if got, err := read(sparse.String()); err != nil || len(got.Classes) != 2 || len(got.Columns) < 40 {
		t.Errorf("sparse rows: %+v, %v", got, err)
	}
	if _, err := read(lines.String()); err == nil || !strings.Contains(err.Error(), "no place in the plane") {
		t.Errorf("texts: %v", err)
	}
}

// TestHostile sends many requests at once, drops some, and stops the lab in the middle: it
// ends, and leaves nothing running.
func TestHostile(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("", func(t *testing.T) {
		url := serveLab(t, lab.NewOptions())
		var wait sync.WaitGroup
		for i := range 12 {
			wait.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(30*i)*time.Millisecond)
				defer cancel()
				r, err := http.NewRequestWithContext(ctx, "POST", url+"api/compute",
					bytes.NewReader([]byte(`{"n": 3000, "data": "moons", "dim": 200}`)))
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("Content-Type", "application/json")
				c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
				if w, err := c.Do(r); err == nil {
					_, _ = io.Copy(io.Discard, w.Body)
					_ = w.Body.Close()
				}
			})
		}
		time.Sleep(100 * time.Millisecond)
		wait.Wait()
	})
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before+2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}
