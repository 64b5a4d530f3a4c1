package serve_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/serve"
	"github.com/kerf-ml/kerf/serve/inference"
)

func get(t testing.TB, h http.Handler, r *http.Request, status int) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != status {
		t.Fatalf("%s %s: status %d, want %d: %s", r.Method, r.URL, w.Code, status, w.Body)
	}
	return w.Body.String()
}

// some returns the fixtures of the given names.
func some(t testing.TB, names ...string) []*fixture {
	t.Helper()
	var out []*fixture
	all := fixtures(t)
	for _, name := range names {
		for _, f := range all {
			if f.name == name {
				out = append(out, f)
			}
		}
	}
	return out
}

// TestRefused holds the status and the line of requests that cannot be answered.
func TestRefused(t *testing.T) {
	all := some(t, "table", "sparse", "strings", "sets", "numbers", "alone", "blend", "keyed")
	o := serve.NewOptions()
	o.MaxBody = 1 << 20
	h := serverOf(t, o, all...).Handler()
	many := "{" + strings.Repeat(`"a":1,`, 100_000) + `"b":2}`
	wide := strings.Builder{}
	for j := range 80_000 {
		fmt.Fprintf(&wide, `"c%d":1,`, j)
	}
	infer := func(inputs string) string { return `{"inputs":[` + inputs + `]}` }
	for _, c := range []struct {
		method, at, kind, body string
		status                 int
		want                   string
	}{
		{"POST", "/predict", "", "{}", 404, "several models are served"},
		{"POST", "/predict/nobody", "", "{}", 404, `there is no model "nobody"`},
		{"GET", "/predict/table", "", "", 405, "use POST"},
		{"DELETE", "/v2/models/table", "", "", 405, "use GET, HEAD"},
		{"GET", "/v2/models/table/versions/9", "", "", 404, "has version"},
		{"GET", "/v3", "", "", 404, "see /docs"},
		{"POST", "/predict/table", "", "", 400, "the body is empty"},
		{"POST", "/predict/table", "", "{", 400, "not the JSON"},
		{"POST", "/predict/table", "", `{"age":1}{"age":2}`, 400, "more in the body than one JSON value"},
		{"POST", "/predict/table", "", `{"age":1}`, 422, "lacks 3 columns that training had"},
		{"POST", "/predict/table", "", `{"age":"old","colour":"red","weight":1,"town":"x"}`, 422, `"old" is not a number`},
		{"POST", "/predict/table", "", `{"age":1e999,"colour":"red","weight":1,"town":"x"}`, 400, "1e999"},
		{"POST", "/predict/table", "", `{"age":{},"colour":"red","weight":1,"town":"x"}`, 422, "no text, number"},
		{"POST", "/predict/table", "", `[]`, 422, "there are no rows"},
		{"POST", "/predict/table", "", `null`, 422, "a row is an object"},
		{"POST", "/predict/table", "", `[1,2]`, 422, "2 columns"},
		{"POST", "/predict/table", "", `[[1,"red",2,"x"],{"age":1}]`, 422, "row 2 is no list"},
		{"POST", "/predict/table", "", `[[1,[2],3,4]]`, 422, "a cell is a number"},
		{"POST", "/predict/table", "", many, 422, "lacks 4 columns"},
		{"POST", "/predict/table", "", "{" + wide.String() + `"b":2}`, 422, "lacks 4 columns"},
		{"POST", "/predict/table", "", strings.Repeat("[", 100_000), 400, "not the JSON"},
		{"POST", "/predict/table", "", "\"\xff\"", 400, "UTF-8"},
		{"POST", "/predict/table", "image/png", "x", 415, "image/png"},
		{"POST", "/predict/table", "text/csv", "\x1f\x8b\x08xxxx", 415, "compressed"},
		{"POST", "/predict/table", "text/csv", "age\n1\n", 422, "body"},
		{"POST", "/predict/table", "text/csv", "", 422, "body"},
		{"POST", "/predict/keyed", "text/csv", "", 400, "the body is empty"},
		{"POST", "/predict/keyed", "text/csv", "age,age\n1,2\n", 422, "same name"},
		{"POST", "/predict/keyed", "text/csv", "age,colour\n1\n", 400, "line 2"},
		{"POST", "/predict/sets", "text/csv", "a\n", 415, "no columns"},
		{"POST", "/predict/table", "", strings.Repeat(" ", 1<<20+1), 413, "larger than 1048576 bytes"},
		{"POST", "/predict/table?output=label", "", "{}", 400, `no option "output"`},
		{"POST", "/predict/table?outputs=label&outputs=scores", "", "{}", 400, "given twice"},
		{"POST", "/predict/table?outputs=%zz", "", "{}", 400, "query"},
		{"POST", "/predict/numbers?outputs=scores", "", `[{"age":1,"colour":"red","weight":1,"town":"x"}]`,
			422, "has no scores"},
		{"POST", "/predict/numbers?outputs=probabilities", "", `[{"age":1,"colour":"red","weight":1,"town":"x"}]`, 422,
			"probabilities is for models of classes"},
		{"POST", "/predict/alone?outputs=probabilities", "", `[{"age":1,"colour":"red","weight":1,"town":"x"}]`, 422,
			"one-class"},
		{"POST", "/predict/blend?outputs=set", "", `[{"age":1,"colour":"red","weight":1,"town":"x"}]`, 422,
			"no prediction sets"},
		{"POST", "/predict/table?outputs=nothing", "", `[{"age":1,"colour":"red","weight":1,"town":"x"}]`, 400,
			`no output "nothing"`},
		{"POST", "/predict/table?outputs=label,label", "", `[{"age":1,"colour":"red","weight":1,"town":"x"}]`, 400, "twice"},
		{"POST", "/predict/table?coverage=0.3", "", "{}", 400, "must be one of"},
		{"POST", "/predict/sparse", "", `[1,2,3]`, 422, "first=1"},
		{"POST", "/predict/sparse?first=2", "", `[1,2,3]`, 400, "must be 0 or 1"},
		{"POST", "/predict/sparse", "", `{"x":1}`, 422, "no index"},
		{"POST", "/predict/sparse", "", `{"-1":1}`, 422, "no index"},
		{"POST", "/predict/sparse", "", `{"01":1}`, 422, "plainly"},
		{"POST", "/predict/sparse", "", `{"1":"a"}`, 422, "no number"},
		{"POST", "/predict/sparse", "", `"1:1"`, 422, "texts"},
		{"POST", "/predict/strings", "", `{"text":"ACGT"}`, 422, "no columns"},
		{"POST", "/predict/strings", "", `["ACGT",1]`, 422, "row 2 is no text"},
		{"POST", "/predict/strings", "", `[1,2]`, 422, "takes strings"},
		{"POST", "/predict/sets", "", `{"a":1}`, 422, "no columns"},
		{"POST", "/v2/models/table/infer", "", "", 400, "empty"},
		{"POST", "/v2/models/table/infer", "", "[]", 400, "not the JSON"},
		{"POST", "/v2/models/table/infer", "", "{}", 400, "no inputs"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[1],"datatype":"FP63","data":[1]}`), 400, "FP63"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[],"datatype":"FP64","data":[1]}`), 400,
			"dimensions"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[-1],"datatype":"FP64","data":[1]}`),
			400, "shape"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[99999999999],"datatype":"FP64","data":[1]}`),
			400,
			"shape"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[2000000000],"datatype":"FP64","data":[1]}`), 400,
			"fewer elements"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[2],"datatype":"FP64","data":[1,2,3]}`), 400,
			"more elements"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[1],"datatype":"FP64"}`), 400, "no data"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[1],"datatype":"FP64","data":["a"]}`),
			400, "no FP64"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[1],"datatype":"FP64","data":[true]}`),
			400, "no FP64"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[1],"datatype":"INT32","data":[1.5]}`), 400,
			"no INT32"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[1],"datatype":"BYTES","data":[1.5]}`), 400,
			"no BYTES"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[1],"datatype":"FP64","data":[{"a":1}]}`), 400,
			"object"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[1],"datatype":"FP64","data":[1]},` +
			`{"name":"age","shape":[1],"datatype":"FP64","data":[1]}`), 400, "two inputs"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[1],"datatype":"FP64","data":[1]},` +
			`{"name":"weight","shape":[2],"datatype":"FP64","data":[1,2]}`), 400, "rows"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[1],"datatype":"FP64","data":[1]}`),
			422, "lacks"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[1],"datatype":"FP64",` +
			`"parameters":{"binary_data_size":8}}`), 400, "are left of the body"},
		{"POST", "/v2/models/table/infer", "", infer(`{"name":"age","shape":[1],"datatype":"FP64",` +
			`"parameters":{"binary_data_size":-8}}`), 400, "number of bytes"},
		{"POST", "/v2/models/strings/infer", "", infer(`{"name":"text","shape":[1],"datatype":"FP64","data":[1]}`), 422,
			"takes strings"},
		{"POST", "/v2/models/sparse/infer", "", infer(`{"name":"x","shape":[1],"datatype":"BYTES","data":["1:1\n2:2"]}`), 422,
			"not one line"},
		{"POST", "/v2/models/sparse/infer", "", infer(`{"name":"x","shape":[1],"datatype":"BYTES","data":["a b"]}`),
			422, "body"},
	} {
		r := httptest.NewRequest(c.method, c.at, strings.NewReader(c.body))
		if c.kind != "" {
			r.Header.Set("Content-Type", c.kind)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		var fault struct{ Error string }
		err := json.Unmarshal(w.Body.Bytes(), &fault)
		if w.Code != c.status || err != nil || !strings.Contains(fault.Error, c.want) ||
			strings.Contains(fault.Error, "\n") {
			t.Errorf("%s %s %.80s: %d %s, want %d %q", c.method, c.at, c.body, w.Code, w.Body, c.status, c.want)
		}
	}
	r := httptest.NewRequest("POST", "/predict/table", strings.NewReader("x"))
	r.Header.Set("Content-Encoding", "gzip")
	get(t, h, r, 415)
	for _, length := range []string{"x", "-1", "99"} {
		r := httptest.NewRequest("POST", "/v2/models/table/infer", strings.NewReader("{}"))
		r.Header.Set("Inference-Header-Content-Length", length)
		get(t, h, r, 400)
	}
}

// TestRefusedCalls holds the same of gRPC.
func TestRefusedCalls(t *testing.T) {
	f := some(t, "table")[0]
	o := serve.NewOptions()
	o.Token = "secret"
	_, at, _ := listenAt(t, serverOf(t, o, f))
	bearer := []string{"Authorization", "Bearer secret"}
	for _, c := range []struct {
		method string
		frame  []byte
		status string
		want   string
	}{
		{"Nothing", []byte{0, 0, 0, 0, 0}, "12", "no call"},
		{"ModelInfer", nil, "3", "no message"},
		{"ModelInfer", []byte{1, 0, 0, 0, 0}, "12", "compressed"},
		{"ModelInfer", []byte{0, 0, 0, 0, 9}, "3", "its length says 9"},
		{"ModelInfer", []byte{0, 255, 255, 255, 255, 1}, "3", "its length"},
		{"ModelInfer", []byte{0, 0, 0, 0, 1, 255}, "3", "cannot be read"},
		{"ModelInfer", []byte{0, 0, 0, 0, 0}, "5", `no model ""`},
	} {
		status, words := callRaw(t, at, c.method, c.frame, nil, bearer...)
		if status != c.status || !strings.Contains(words, c.want) {
			t.Errorf("%s % x: %s %q, want %s %q", c.method, c.frame, status, words, c.status, c.want)
		}
	}
	in := f.request(false)
	if status, words := call(t, at, "ModelInfer", in, nil); status != "16" {
		t.Errorf("a call without a token: %s %s", status, words)
	}
	in.RawInputContents = [][]byte{{1}}
	if status, words := call(t, at, "ModelInfer", in, nil, bearer...); status != "3" {
		t.Errorf("raw contents for one input of several: %s %s", status, words)
	}
	var ready inference.ServerReadyResponse
	if status, _ := call(t, at, "ServerReady", &inference.ServerReadyRequest{}, &ready); status != "0" || !ready.Ready {
		t.Errorf("a probe has no token: %s", status)
	}
	var meta inference.ModelMetadataResponse
	status, words := call(t, at, "ModelMetadata", &inference.ModelMetadataRequest{Name: "table"}, &meta, bearer...)
	if status != "0" || len(meta.Inputs) != 4 || meta.Inputs[1].Datatype != "BYTES" {
		t.Errorf("metadata: %s %s %v", status, words, &meta)
	}
	var live inference.ServerLiveResponse
	var server inference.ServerMetadataResponse
	var model inference.ModelReadyResponse
	_, _ = call(t, at, "ServerLive", &inference.ServerLiveRequest{}, &live)
	_, _ = call(t, at, "ServerMetadata", &inference.ServerMetadataRequest{}, &server, bearer...)
	_, _ = call(t, at, "ModelReady", &inference.ModelReadyRequest{Name: "table"}, &model, bearer...)
	if !live.Live || server.Name != "kerf" || !model.Ready {
		t.Errorf("live %v, server %v, model %v", &live, &server, &model)
	}
}

// TestHostile holds that clients who do not behave are sent away, and that others are
// answered on time meanwhile.
func TestHostile(t *testing.T) {
	f := some(t, "table")[0]
	before := runtime.NumGoroutine()
	o := serve.NewOptions()
	o.Timeout, o.MaxConcurrent, o.Drain = 1500*time.Millisecond, 4, 2*time.Second
	rest, grpc, stop := listenAt(t, serverOf(t, o, f))
	send := func(address, text string) net.Conn {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, text)
		return c
	}
	status := func(c net.Conn) int {
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		_ = c.Close()
		if err != nil {
			return 0
		}
		return resp.StatusCode
	}
	var slow []net.Conn
	for range 20 {
		slow = append(slow, send(rest, "POST /predict HTTP/1.1\r\nHost: x\r\n")) // headers that never end
	}
	for range 20 { // bodies that never end: more of them than may be computed
		slow = append(slow, send(rest, "POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{"))
		slow = append(slow, send(grpc, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	}
	half := send(rest, "POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{")
	_ = half.(*net.TCPConn).CloseWrite()
	if got := status(half); got != 400 && got != 0 {
		t.Errorf("a connection that is half closed: status %d", got)
	}
	if got := status(send(rest, "POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n")); got != 413 {
		t.Errorf("a body that is announced to be huge: status %d", got)
	}
	if got := status(send(rest, "GET /"+strings.Repeat("a", 200<<10)+" HTTP/1.1\r\nHost: x\r\n\r\n")); got != 431 &&
		got != 0 {
		t.Errorf("a header of 200 KiB: status %d", got)
	}
	if got := status(send(rest, "\x16\x03\x01rubbish\r\n\r\n")); got != 400 && got != 0 {
		t.Errorf("rubbish: status %d", got)
	}

	row, client := encode(t, f.rows()[0]), &http.Client{Transport: &http.Transport{}}
	begun := time.Now()
	for range 20 {
		resp, err := client.Post("http://"+rest+"/predict", "application/json", bytes.NewReader(row))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Fatalf("others get status %d", resp.StatusCode)
		}
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("20 requests beside slow ones took %v", took)
	}
	late := 0
	for i, c := range slow {
		if got := status(c); got == 408 {
			late++
		} else if got != 0 && got != 400 {
			t.Errorf("slow connection %d: status %d", i, got)
		}
	}
	if late == 0 {
		t.Error("no slow body was answered with 408")
	}
	client.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Error(err)
	}
	settled(t, before)
}

// TestFull holds that a service with all it may have in hand says so.
func TestFull(t *testing.T) {
	f := some(t, "machine")[0]
	o := serve.NewOptions()
	o.MaxConcurrent, o.Run.Workers = 1, 1
	h := serverOf(t, o, f).Handler()
	var rows []any
	for range 400 {
		rows = append(rows, f.rows()...)
	}
	body := encode(t, rows)
	var mu sync.Mutex
	seen := map[int]int{}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			r := httptest.NewRequest("POST", "/predict", bytes.NewReader(body))
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			mu.Lock()
			defer mu.Unlock()
			if seen[w.Code]++; w.Code == 503 && w.Header().Get("Retry-After") == "" {
				t.Error("503 without Retry-After")
			}
		})
	}
	wait.Wait()
	if seen[200] == 0 || seen[503] == 0 || seen[200]+seen[503] != 8 {
		t.Errorf("statuses %v", seen)
	}
	o.MaxConcurrent, o.Run.Memory = 100, 1<<20
	h = serverOf(t, o, f).Handler()
	post(t, h, "/predict", 503, body)
}

// TestStop holds that requests in flight are answered when the service stops.
func TestStop(t *testing.T) {
	f := some(t, "table")[0]
	before := runtime.NumGoroutine()
	rest, _, stop := listenAt(t, serverOf(t, serve.NewOptions(), f))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}
	body := encode(t, f.rows())
	var wait sync.WaitGroup
	begun, quit := make(chan struct{}, 64), make(chan struct{})
	for range 8 {
		wait.Go(func() {
			for {
				resp, err := client.Post("http://"+rest+"/predict", "application/json", bytes.NewReader(body))
				if err != nil {
					select {
					case <-quit: // nobody listens any more
						return
					default:
						t.Errorf("before the stop: %v", err)
						return
					}
				}
				_, err = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				if resp.StatusCode != 200 || err != nil {
					t.Errorf("status %d, %v", resp.StatusCode, err)
				}
				select {
				case begun <- struct{}{}:
				default:
				}
			}
		})
	}
	<-begun
	close(quit)
	if err := stop(); err != nil {
		t.Error(err)
	}
	client.CloseIdleConnections()
	wait.Wait()
	settled(t, before)
}

// TestWatch holds that a changed file is taken in, and a damaged one is not, without a
// request that fails.
func TestWatch(t *testing.T) {
	all := some(t, "table", "many")
	served := *all[0]
	served.model = filepath.Join(t.TempDir(), "model.kerf")
	whole, err := os.ReadFile(all[0].model)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(all[1].model)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(served.model, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	o := serve.NewOptions()
	o.Watch = 5 * time.Millisecond
	rest, _, _ := listenAt(t, serverOf(t, o, &served))
	row := encode(t, all[0].rows()[0])
	version := func() string {
		resp, err := http.Post("http://"+rest+"/predict", "application/json", bytes.NewReader(row))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var a struct{ Version string }
		if err := json.NewDecoder(resp.Body).Decode(&a); err != nil || resp.StatusCode != 200 {
			t.Fatal(resp.StatusCode, err)
		}
		return a.Version
	}
	first := version()
	write := func(b []byte) {
		if err := os.WriteFile(served.model, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	until := func(different bool) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); (version() != first) != different; {
			if time.Now().After(end) {
				t.Fatalf("after 10 s the version is still %s", version())
			}
		}
	}
	write(other)
	until(true)
	write(whole)
	until(false)
	for _, damaged := range [][]byte{whole[:len(whole)/2], {}, bytes.ToUpper(whole)} {
		write(damaged)
		time.Sleep(50 * time.Millisecond)
		if version() != first {
			t.Fatal("a damaged file was taken in")
		}
	}
	if err := os.Remove(served.model); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	if version() != first {
		t.Fatal("the model went with its file")
	}
	write(other)
	until(true)
}

// TestToken holds that a request bears the token.
func TestToken(t *testing.T) {
	f := some(t, "table")[0]
	o := serve.NewOptions()
	o.Token = "secret"
	h := serverOf(t, o, f).Handler()
	row := encode(t, f.rows()[0])
	post(t, h, "/predict", 401, row)
	post(t, h, "/predict", 401, row, "Authorization", "Bearer wrong")
	post(t, h, "/predict", 401, row, "Authorization", "Basic secret")
	post(t, h, "/predict", 200, row, "Authorization", "Bearer secret")
	get(t, h, httptest.NewRequest("GET", "/v2/health/ready", nil), 200)
	get(t, h, httptest.NewRequest("GET", "/metrics", nil), 401)
	get(t, h, httptest.NewRequest("GET", "/openapi.json", nil), 401)
}

// TestMillion holds that a row of a million columns costs its reading and no more.
func TestMillion(t *testing.T) {
	h := serverOf(t, serve.NewOptions(), some(t, "table", "keyed", "sparse")...).Handler()
	var b strings.Builder
	b.WriteString(`{"age":1,"colour":"red","weight":2,"town":"town 1"`)
	for j := range 1_000_000 {
		fmt.Fprintf(&b, `,"%d":1`, j)
	}
	b.WriteString("}")
	begun := time.Now()
	post(t, h, "/predict/table", 200, []byte(b.String()))
	post(t, h, "/predict/keyed", 200, []byte(b.String()))
	post(t, h, "/predict/sparse?first=1", 200, []byte("["+strings.Repeat("1,", 1_000_000)+"1]"))
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("rows of a million columns took %v", took)
	}
}
