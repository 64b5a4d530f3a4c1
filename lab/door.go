package lab

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/report"
	"github.com/kerf-ml/kerf/run"
)

//go:embed page
var page embed.FS

// policy lets the page run its own scripts and ask its own server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// Handler returns the page and what it asks.
func (l *Lab) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", l.file("index.html"))
	files, _ := fs.ReadDir(page, "page")
	for _, f := range files {
		mux.HandleFunc("GET /"+f.Name(), l.file(f.Name()))
	}
	mux.HandleFunc("GET /report.css", func(w http.ResponseWriter, _ *http.Request) {
		put(w, http.StatusOK, "text/css; charset=utf-8", []byte(report.Style))
	})
	mux.HandleFunc("GET /api/about", l.about)
	mux.HandleFunc("POST /api/compute", l.answer(l.compute))
	mux.HandleFunc("POST /api/table", l.answer(l.load))
	mux.HandleFunc("GET /api/model", l.describe)
	mux.HandleFunc("POST /api/try", l.answer(l.try))
	mux.HandleFunc("GET /report", l.report)
	return l.guard(mux)
}

// guard lets in what comes to this server by its own name, from its own page or from no
// page at all, and turns a panic into an answer. A browser that another site has pointed
// here says so: by the name that it asked for (Host), or by where it asks from (Origin,
// Sec-Fetch-Site).
func (l *Lab) guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Content-Security-Policy", policy)
		head.Set("Cache-Control", "no-cache")
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				l.log.Error("panic", "path", oneLine(r.URL.Path), "reason", oneLine(fmt.Sprint(p)))
				writeError(w, errors.New("internal error"))
			}
		}()
		if !l.named(r.Host) {
			writeError(w, &fault{http.StatusForbidden, "the lab does not answer under this name; open it at its address"})
			return
		}
		if !sameOrigin(r) {
			writeError(w, &fault{http.StatusForbidden, "the lab answers its own page alone"})
			return
		}
		h.ServeHTTP(w, r)
	})
}

// named reports whether a request was made to localhost, to an address, or to a name that
// the options have: no name of another site's leads to an address that is written out.
func (l *Lab) named(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if _, err := netip.ParseAddr(name); err == nil || name == "localhost" {
		return true
	}
	return slices.ContainsFunc(l.o.Hosts, func(h string) bool { return strings.EqualFold(h, name) })
}

// sameOrigin reports whether a request comes from the server's own page, or from no page.
func sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		// A link that a person follows may lead here, as long as it only shows the page.
		if r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate" {
			return false
		}
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host && (u.Scheme == "http" || u.Scheme == "https")
}

// file returns the handler of an embedded file.
func (l *Lab) file(name string) http.HandlerFunc {
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) { // the machine's own table may say otherwise
	case ".js":
		kind = "text/javascript; charset=utf-8"
	case ".css":
		kind = "text/css; charset=utf-8"
	case ".html":
		kind = "text/html; charset=utf-8"
	}
	body, err := page.ReadFile("page/" + name)
	return func(w http.ResponseWriter, _ *http.Request) {
		if err != nil {
			writeError(w, err)
			return
		}
		put(w, http.StatusOK, kind, body)
	}
}

// about says what there is to choose from, and where to begin.
func (l *Lab) about(w http.ResponseWriter, _ *http.Request) {
	type learner struct {
		Name    string `json:"name"`
		Penalty string `json:"penalty"`
		Kernel  bool   `json:"kernel"`
	}
	out := struct {
		State      State               `json:"state"`
		Data       []string            `json:"data"`
		Maps       []string            `json:"maps"`
		Selections []feature.Selection `json:"selections"`
		Learners   []learner           `json:"learners"`
		Table      *Table              `json:"table"`
		Model      string              `json:"model"` // its name; empty for none
		Version    string              `json:"version"`
		MaxPoints  int                 `json:"max_points"`
		MaxDrawn   int                 `json:"max_drawn"`
		MaxDim     int                 `json:"max_dim"`
	}{
		State: l.begin(), Data: gen.Names(), Maps: Maps, Selections: feature.Selections, Table: l.o.Table,
		Version: model.Version, MaxPoints: MaxPoints, MaxDrawn: MaxDrawn, MaxDim: MaxDim,
	}
	if l.o.Model != nil {
		out.Model = l.o.Model.Name
	}
	for _, name := range Learners {
		t, _ := model.TraitsOf(name)
		out.Learners = append(out.Learners, learner{name, t.Penalty, t.Kernel})
	}
	putJSON(w, out)
}

// begin returns the state that the page begins with.
func (l *Lab) begin() State {
	s := NewState()
	if l.o.Table != nil {
		s.Data, s.Kernel, s.Map, s.N = DataTable, "rbf", model.MapF2, min(2000, len(l.o.Table.x))
	}
	return s
}

// answer returns the handler of what computes: some at a time, each for a limited time.
func (l *Lab) answer(do func(ctx context.Context, w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), l.o.Timeout)
		defer cancel()
		select {
		case l.place <- struct{}{}:
			defer func() { <-l.place }()
		case <-ctx.Done():
			writeError(w, ctx.Err())
			return
		}
		if err := do(ctx, w, r); err != nil {
			writeError(w, err)
		}
	}
}

// body reads a request of a kind: one that a form of another page could not send.
func (l *Lab) body(w http.ResponseWriter, r *http.Request, kind string, most int64) ([]byte, error) {
	if got, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); got != kind {
		return nil, &fault{http.StatusUnsupportedMediaType, "send the body as " + kind}
	}
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, &fault{
			http.StatusRequestEntityTooLarge,
			fmt.Sprintf("this is larger than %s; start kerf lab with the path of the file", run.Bytes(float64(most))),
		}
	case err != nil:
		return nil, &fault{http.StatusBadRequest, "the body ends early"}
	}
	return b, nil
}

// maxState is how many bytes a state may have.
const maxState = 256 << 10

// compute answers with the frame of a state.
func (l *Lab) compute(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	b, err := l.body(w, r, "application/json", maxState)
	if err != nil {
		return err
	}
	s, err := ParseState(b)
	if err != nil {
		return &fault{http.StatusBadRequest, err.Error()}
	}
	a, err := l.Compute(ctx, s)
	if err != nil {
		return err
	}
	frame, err := a.Frame()
	if err != nil {
		return err
	}
	put(w, http.StatusOK, "application/octet-stream", frame)
	return nil
}

// load takes a table.
func (l *Lab) load(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	b, err := l.body(w, r, "application/octet-stream", l.o.MaxBody)
	if err != nil {
		return err
	}
	o := dataset.Options{Stdin: bytes.NewReader(b), Run: l.o.Run, Target: r.URL.Query().Get("target")}
	t, err := ReadTable(ctx, "-", o)
	if err != nil {
		return err
	}
	if name := oneLine(r.URL.Query().Get("name")); name != "" {
		t.Name = data.ClipMiddle(name, 80)
	}
	putJSON(w, struct {
		*Table
		ID string `json:"id"`
	}{t, l.keep(t, b)})
	return nil
}

// statusGone is for those who do not wait for the answer.
const statusGone = 499

// writeError answers with a status and one line.
func writeError(w http.ResponseWriter, err error) {
	var (
		known *fault
		input *data.InputError
		wrong *dataset.OptionError
		large *run.MemoryError
		lacks *job.LackError
		value *gram.ValueError
		row   *learn.DataError
		wide  *feature.RowError
	)
	status, text := http.StatusInternalServerError, err.Error()
	switch {
	case errors.As(err, &known):
		status = known.status
	case errors.As(err, &large):
		status = http.StatusRequestEntityTooLarge
	case errors.As(err, &wrong):
		status, text = http.StatusUnprocessableEntity, wrong.Text(func(option string) string { return option })
	case errors.As(err, &input), errors.As(err, &lacks), errors.As(err, &value), errors.As(err, &row),
		errors.As(err, &wide):
		status = http.StatusUnprocessableEntity
	case errors.Is(err, context.DeadlineExceeded):
		status, text = http.StatusServiceUnavailable, "the answer took too long; ask for fewer points or landmarks"
	case errors.Is(err, context.Canceled):
		status, text = statusGone, "nobody waits for the answer"
	}
	b, _ := json.Marshal(map[string]string{"error": oneLine(text)})
	put(w, status, "application/json", append(b, '\n'))
}

func putJSON(w http.ResponseWriter, value any) {
	b, err := json.Marshal(value)
	if err != nil {
		writeError(w, err)
		return
	}
	put(w, http.StatusOK, "application/json", append(b, '\n'))
}

func put(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// longest is how many bytes a message has at most, some dots aside.
const longest = 480

// oneLine returns a text without what would break a line or reorder it.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
	return data.ClipMiddle(text, longest)
}
