package serve

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kerf-ml/kerf/internal/order"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// counts is what /metrics tells, in the text format of Prometheus.
type counts struct {
	mu       sync.Mutex
	begun    time.Time
	requests map[[3]string]float64 // by door, model and status
	rows     map[string]float64    // by model
	reloads  map[[2]string]float64 // by model and outcome
	seconds  map[string]*histogram // by door
	batches  map[string]*histogram // by model
}

func newCounts() *counts {
	return &counts{
		begun: time.Now(), requests: map[[3]string]float64{}, rows: map[string]float64{}, reloads: map[[2]string]float64{},
		seconds: map[string]*histogram{}, batches: map[string]*histogram{},
	}
}

// Bounds of histograms.
var (
	secondBounds = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	rowBounds    = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384}
)

// histogram counts values by their size.
type histogram struct {
	bounds []float64
	count  []float64 // of those at most the bound, and more than the one before
	sum    float64
}

func (h *histogram) add(v float64) {
	h.count[sort.SearchFloat64s(h.bounds, v)]++
	h.sum += v
}

// in returns the histogram of a name, a new one if there is none.
func in(all map[string]*histogram, name string, bounds []float64) *histogram {
	if all[name] == nil {
		all[name] = &histogram{bounds: bounds, count: make([]float64, len(bounds)+1)}
	}
	return all[name]
}

func (c *counts) request(door, model string, status int, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests[[3]string{door, model, strconv.Itoa(status)}]++
	in(c.seconds, door, secondBounds).add(took.Seconds())
}

func (c *counts) predicted(model string, rows int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows[model] += float64(rows)
}

func (c *counts) batch(model string, rows int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	in(c.batches, model, rowBounds).add(float64(rows))
}

func (c *counts) reload(model string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reloads[[2]string{model, map[bool]string{true: "loaded", false: "refused"}[ok]}]++
}

// page writes metrics one after the other.
type page struct{ bytes.Buffer }

func (p *page) head(name, kind, help string) {
	fmt.Fprintf(p, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// line writes a value under names and values of labels.
func (p *page) line(name string, v float64, labels ...string) {
	p.WriteString(name)
	for i := 0; i < len(labels); i += 2 {
		p.WriteString(map[bool]string{true: "{", false: ","}[i == 0] + labels[i] + `="` + escaped(labels[i+1]) + `"`)
	}
	if len(labels) > 0 {
		p.WriteByte('}')
	}
	fmt.Fprintf(p, " %s\n", strconv.FormatFloat(v, 'g', -1, 64))
}

// escaped is the value of a label.
func escaped(text string) string {
	return strings.NewReplacer("\\", `\\`, "\"", `\"`, "\n", `\n`).Replace(text)
}

func (p *page) histogram(name, label, value string, h *histogram) {
	total := 0.0
	for i, n := range h.count {
		total += n
		bound := math.Inf(1)
		if i < len(h.bounds) {
			bound = h.bounds[i]
		}
		p.line(name+"_bucket", total, label, value, "le", strconv.FormatFloat(bound, 'g', -1, 64))
	}
	p.line(name+"_sum", h.sum, label, value)
	p.line(name+"_count", total, label, value)
}

// keys returns the keys of a map in order.
func keys[K [2]string | [3]string | string, V any](m map[K]V) []K {
	out := make([]K, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	order.Stable(out, func(a, b K) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	return out
}

func (s *Server) getMetrics(v *visit, _ *http.Request) error {
	p, c := &page{}, s.count
	c.mu.Lock()
	p.head("kerf_requests_total", "counter", "Requests by door, model and HTTP status.")
	for _, k := range keys(c.requests) {
		p.line("kerf_requests_total", c.requests[k], "door", k[0], "model", k[1], "code", k[2])
	}
	p.head("kerf_request_seconds", "histogram", "Time from the header of a request to the end of its answer.")
	for _, k := range keys(c.seconds) {
		p.histogram("kerf_request_seconds", "door", k, c.seconds[k])
	}
	p.head("kerf_rows_total", "counter", "Rows predicted.")
	for _, k := range keys(c.rows) {
		p.line("kerf_rows_total", c.rows[k], "model", k)
	}
	p.head("kerf_batch_rows", "histogram", "Rows that were predicted together.")
	for _, k := range keys(c.batches) {
		p.histogram("kerf_batch_rows", "model", k, c.batches[k])
	}
	p.head("kerf_reloads_total", "counter", "Changes of model files.")
	for _, k := range keys(c.reloads) {
		p.line("kerf_reloads_total", c.reloads[k], "model", k[0], "outcome", k[1])
	}
	begun := c.begun
	c.mu.Unlock()
	p.head("kerf_in_flight", "gauge", "Requests that are computed or wait for that.")
	p.line("kerf_in_flight", float64(s.inFlight.Load()))
	p.head("kerf_model_info", "gauge", "The models that answer.")
	for _, name := range s.names {
		e := s.models[name].now.Load()
		p.line("kerf_model_info", 1, "model", name, "version", e.version, "task", e.info().Task, "learner", e.Learner,
			"kernel", e.header.Kernel)
	}
	p.head("kerf_model_loaded_timestamp_seconds", "gauge", "When the model was loaded.")
	for _, name := range s.names {
		p.line("kerf_model_loaded_timestamp_seconds", float64(s.models[name].now.Load().loaded.Unix()), "model", name)
	}
	p.head("kerf_build_info", "gauge", "The program.")
	p.line("kerf_build_info", 1, "version", model.Version, "go", runtime.Version())
	p.head("go_goroutines", "gauge", "Goroutines.")
	p.line("go_goroutines", float64(runtime.NumGoroutine()))
	p.head("go_memory_held_bytes", "gauge", "Memory that the process holds.")
	p.line("go_memory_held_bytes", float64(run.Held()))
	p.head("process_start_time_seconds", "gauge", "When the service was started.")
	p.line("process_start_time_seconds", float64(begun.Unix()))
	write(v, http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", p.Bytes())
	return nil
}
