package serve

import (
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/model"
)

// headerLength says how long the JSON before tensors in the binary form is.
const headerLength = "Inference-Header-Content-Length"

// Handler returns the HTTP service: what Serve answers with, for a program with a server
// of its own. Limits of connections and times of reading are those of that server.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	on := func(pattern string, h func(v *visit, r *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			v := w.(*visit)
			if err := h(v, r); err != nil {
				s.writeError(v, err)
			}
		})
	}
	on("GET /v2", s.getServer)
	on("GET /v2/health/live", s.getLive)
	on("GET /v2/health/ready", s.getReady)
	for _, m := range []string{"/v2/models/{model}", "/v2/models/{model}/versions/{version}"} {
		on("GET "+m, s.getModel)
		on("GET "+m+"/ready", s.getModelReady)
		on("POST "+m+"/infer", s.postInfer)
	}
	on("POST /predict", s.postPredict)
	on("POST /predict/{model}", s.postPredict)
	on("GET /metrics", s.getMetrics)
	on("GET /openapi.json", s.getDescription)
	on("GET /docs", s.getDocs)
	on("GET /{$}", func(v *visit, r *http.Request) error {
		http.Redirect(v, r, "docs", http.StatusFound)
		return nil
	})
	return s.guard(func(v *visit, r *http.Request) {
		if _, pattern := mux.Handler(r); pattern != "" {
			mux.ServeHTTP(v, r)
			return
		}
		probe := &statusOnly{header: v.Header()}
		mux.ServeHTTP(probe, r)
		if probe.status == http.StatusMethodNotAllowed {
			s.writeError(v, refuse(probe.status, "%s is not for this address; use %s", clip(r.Method), v.Header().Get("Allow")))
			return
		}
		s.writeError(v, refuse(http.StatusNotFound, "there is nothing at %s; see /docs", clip(r.URL.Path)))
	}, s.writeError)
}

// statusOnly takes the status and the headers of an answer.
type statusOnly struct {
	header http.Header
	status int
}

func (p *statusOnly) Header() http.Header         { return p.header }
func (p *statusOnly) WriteHeader(status int)      { p.status = status }
func (p *statusOnly) Write(b []byte) (int, error) { return len(b), nil }

// serverInfo is what a server says of itself.
type serverInfo struct {
	Name       string   `json:"name"`
	Version    string   `json:"version"`
	Extensions []string `json:"extensions"`
}

func (s *Server) info() serverInfo {
	return serverInfo{"kerf", model.Version, []string{"binary_tensor_data"}}
}

func (s *Server) getServer(v *visit, _ *http.Request) error {
	s.writeJSON(v, s.info())
	return nil
}

func (s *Server) getLive(v *visit, _ *http.Request) error {
	s.writeJSON(v, map[string]bool{"live": true})
	return nil
}

func (s *Server) getReady(v *visit, _ *http.Request) error {
	if s.stopping.Load() {
		return errStopping
	}
	s.writeJSON(v, map[string]bool{"ready": true})
	return nil
}

// errStopping answers probes of a service that is about to end.
var errStopping = refuse(http.StatusServiceUnavailable, "the service is stopping")

// modelInfo is what a server says of a model.
type modelInfo struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"`
	Platform string   `json:"platform"`
	Inputs   []column `json:"inputs"`
	Outputs  []column `json:"outputs"`
	Task     string   `json:"task"`
	Kernel   string   `json:"kernel"`
	Learner  string   `json:"learner"`
	Classes  []string `json:"classes,omitempty"`
}

func (e *edition) info() modelInfo {
	out := modelInfo{
		Name: e.name, Versions: []string{e.version}, Platform: "kerf", Inputs: e.takes, Task: string(model.Classify),
		Kernel: e.header.Kernel, Learner: e.Learner, Classes: e.Classes.Names,
	}
	if e.Regresses() {
		out.Task = string(model.Regress)
	}
	for _, name := range e.gives {
		out.Outputs = append(out.Outputs, e.output(name))
	}
	return out
}

func (s *Server) getModel(v *visit, r *http.Request) error {
	e, err := s.find(r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		return err
	}
	s.writeJSON(v, e.info())
	return nil
}

func (s *Server) getModelReady(v *visit, r *http.Request) error {
	e, err := s.find(r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		return err
	}
	if s.stopping.Load() {
		return errStopping
	}
	s.writeJSON(v, map[string]any{"name": e.name, "ready": true})
	return nil
}

func (s *Server) postInfer(v *visit, r *http.Request) error {
	v.door = doorInfer
	e, err := s.find(r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		return err
	}
	v.model = e.name
	header := -1
	if text := r.Header.Get(headerLength); text != "" {
		if header, err = strconv.Atoi(text); err != nil || header < 0 {
			return badRequest("%s is %q and must be a number of bytes", headerLength, clip(text))
		}
	}
	body, release, err := s.body(r)
	if err != nil {
		return err
	}
	defer release()
	leave, err := s.enter()
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := s.limited(r)
	defer cancel()
	in, err := parseInference(ctx, body, header)
	if err != nil {
		return err
	}
	parts, err := e.fromTensors(ctx, s.read, in)
	if err != nil {
		return err
	}
	a, err := s.answer(ctx, e, parts, in.wanted)
	if err != nil {
		return err
	}
	out, head, err := a.inference(in)
	if err != nil {
		return err
	}
	kind := "application/json"
	if head >= 0 {
		kind = "application/octet-stream"
		v.Header().Set(headerLength, strconv.Itoa(head))
	}
	write(v, http.StatusOK, kind, out)
	return nil
}

func (s *Server) postPredict(v *visit, r *http.Request) error {
	v.door = doorPredict
	e, err := s.only()
	if name := r.PathValue("model"); name != "" {
		e, err = s.find(name, "")
	}
	if err != nil {
		return err
	}
	v.model = e.name
	w, first, err := parseQuery(r.URL)
	if err != nil {
		return err
	}
	kind, err := contentOf(r)
	if err != nil {
		return err
	}
	body, release, err := s.body(r)
	if err != nil {
		return err
	}
	defer release()
	leave, err := s.enter()
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := s.limited(r)
	defer cancel()
	var parts []*model.Encoded
	switch {
	case kind == typeArrow:
		parts, err = e.fromArrow(ctx, s.read, body, first)
	case kind == typeJSON:
		parts, err = e.fromJSON(ctx, body, first)
	case kind == typeCSV && !e.Encoding.HasColumns():
		err = refuse(
			http.StatusUnsupportedMediaType,
			"model %s has no columns; send JSON, or text/plain with lines as in its "+
				"training data",
			e.name,
		)
	case kind == typeCSV && !e.Encoding.IsCSV():
		parts, err = e.fromCSV(ctx, body)
	default:
		parts, err = e.fromText(ctx, s.read, body)
	}
	if err != nil {
		return err
	}
	a, err := s.answer(ctx, e, parts, w)
	if err != nil {
		return err
	}
	var out []byte
	switch kind = acceptOf(r); kind {
	case typeCSV:
		out, err = a.csv()
	case typeArrow:
		out, err = a.arrow()
	default:
		out, err = a.json()
	}
	if err != nil {
		return err
	}
	write(v, http.StatusOK, answerTypes[kind], out)
	return nil
}

// parseQuery reads what /predict is asked for.
func parseQuery(u *url.URL) (w wanted, first *int, err error) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return w, nil, badRequest("the address has a query that cannot be read: %v", err)
	}
	for name, values := range query {
		if len(values) > 1 {
			return w, nil, badRequest("%s is given twice", clip(name))
		}
		switch name {
		case "outputs":
			for one := range strings.SplitSeq(values[0], ",") {
				w.outputs = append(w.outputs, strings.TrimSpace(one))
			}
		case "coverage":
			w.coverage, err = parseCoverage(values[0])
		case "first":
			first, err = parseFirst(values[0])
		default:
			err = badRequest("there is no option %q; use outputs, coverage or first", clip(name))
		}
		if err != nil {
			return w, nil, err
		}
	}
	if len(w.outputs) > len(outputNames) {
		err = badRequest("there are more outputs than kerf has: %d", len(w.outputs))
	}
	return w, first, err
}

// The forms of a body at /predict.
const (
	typeJSON  = "JSON"
	typeCSV   = "CSV"
	typeArrow = "Arrow"
	typeText  = "text" // lines as in the training data
)

// mediaArrow is a stream of Arrow, as bodies and answers have them; bodies may be files too.
const mediaArrow = "application/vnd.apache.arrow.stream"

// answerTypes are what the forms of an answer are called.
var answerTypes = map[string]string{
	typeJSON: "application/json", typeCSV: "text/csv; charset=utf-8", typeArrow: mediaArrow,
}

// contentOf returns the form of a body. Tools that send JSON often do not say so, and
// call it a form.
func contentOf(r *http.Request) (string, error) {
	text := r.Header.Get("Content-Type")
	if text == "" {
		return typeJSON, nil
	}
	kind, _, err := mime.ParseMediaType(text)
	if err != nil {
		return "", refuse(http.StatusUnsupportedMediaType, "the Content-Type %q cannot be read", clip(text))
	}
	switch kind {
	case "application/json", "application/x-www-form-urlencoded":
		return typeJSON, nil
	case "text/csv":
		return typeCSV, nil
	case mediaArrow, "application/vnd.apache.arrow.file":
		return typeArrow, nil
	case "text/plain", "application/x-ndjson", "application/jsonl":
		return typeText, nil
	}
	return "", refuse(
		http.StatusUnsupportedMediaType,
		"the Content-Type is %s; send application/json, text/csv, "+mediaArrow+", or text/plain "+
			"with lines as in the training data",
		clip(kind),
	)
}

// acceptOf returns the form of the answer that is asked for first, JSON for none.
func acceptOf(r *http.Request) string {
	for kind := range strings.SplitSeq(strings.ToLower(r.Header.Get("Accept")), ",") {
		kind, _, _ = strings.Cut(kind, ";")
		switch strings.TrimSpace(kind) {
		case "application/json":
			return typeJSON
		case "text/csv":
			return typeCSV
		case mediaArrow:
			return typeArrow
		}
	}
	return typeJSON
}
