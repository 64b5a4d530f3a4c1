package serve

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// Options say how models are served. NewOptions has the defaults.
type Options struct {
	MaxBody       int64         // bytes of a request's body
	MaxConcurrent int           // requests that are computed or wait for that
	MaxBatch      int           // rows of several requests that are computed together
	Timeout       time.Duration // for a request, from its first byte to its answer
	Drain         time.Duration // for requests to end once the service is to stop
	Watch         time.Duration // how often model files are looked at; 0 for never
	Token         string        // that requests must bear; empty for none
	TLS           *tls.Config   // nil for plain HTTP
	AllowExec     bool          // models may start programs
	Access        bool          // every request is logged
	Log           *slog.Logger  // nil for none
	Run           run.Control   // how predictions are computed

	// Open reads a model file; nil for model.ReadFile.
	Open func(path string) (*model.File, error)
}

// NewOptions returns the defaults: bodies of 64 MiB, 256 requests at a time, batches of
// 1,024 rows, 30 seconds for a request and 10 to stop.
func NewOptions() Options {
	return Options{
		MaxBody: 64 << 20, MaxConcurrent: 256, MaxBatch: 1024, Timeout: 30 * time.Second, Drain: 10 * time.Second,
	}
}

// Validate reports every field that is out of range.
func (o *Options) Validate() error {
	var faults []error
	least := func(name string, value, min int64) {
		if value < min {
			faults = append(faults, fmt.Errorf("%s is %d and must be at least %d", name, value, min))
		}
	}
	least("MaxBody", o.MaxBody, 1)
	least("MaxConcurrent", int64(o.MaxConcurrent), 1)
	least("MaxBatch", int64(o.MaxBatch), 1)
	for name, d := range map[string]time.Duration{"Timeout": o.Timeout, "Drain": o.Drain} {
		if d <= 0 {
			faults = append(faults, fmt.Errorf("%s is %v and must be positive", name, d))
		}
	}
	if o.Watch < 0 {
		faults = append(faults, fmt.Errorf("field Watch is %v and must not be negative", o.Watch))
	}
	return errors.Join(faults...)
}

// Server serves models. It is safe for concurrent use.
type Server struct {
	o      Options
	log    *slog.Logger
	names  []string
	models map[string]*served
	count  *counts
	token  [sha256.Size]byte
	read   run.Control // of the texts of requests

	inFlight atomic.Int64
	held     atomic.Int64 // bytes that requests are taken to hold
	room     int64        // that they may hold together
	stopping atomic.Bool
}

// perByte is how much memory a byte of a request's body is taken to need, as values and
// instances.
const perByte = 24

// New loads the models. It returns an error that names the file for one that cannot be
// loaded, and model.ErrProgram for one that would start a program without AllowExec.
func New(models []Source, o Options) (*Server, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(models) == 0 {
		return nil, errors.New("there is no model to serve")
	}
	if o.Open == nil {
		o.Open = model.ReadFile
	}
	s := &Server{o: o, log: o.Log, models: map[string]*served{}, token: sha256.Sum256([]byte(o.Token)), read: o.Run}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	budget := o.Run.Budget()
	s.room = budget / 2
	// A request asks for its memory by itself, without a look at the process: see batch and body.
	s.o.Run = o.Run.Quiet()
	s.o.Run.Memory, s.o.Run.Process, s.o.Run.Counter = max(1, budget/4), false, nil
	if s.read = s.read.Quiet(); s.read.Memory == 0 {
		s.read.Memory = budget + run.Held()
	}
	s.read.Process = true
	s.count = newCounts()
	for _, from := range models {
		if err := checkName(from.Name); err != nil {
			return nil, fmt.Errorf("%s: %w", from.Path, err)
		}
		if s.models[from.Name] != nil {
			return nil, fmt.Errorf("%s: there is another model %s; give each a name of its own", from.Path, from.Name)
		}
		m := &served{Source: from}
		m.seen, _ = os.Stat(from.Path) // before it is read, so that a later change is seen
		e, err := s.open(from, true)
		if err != nil {
			return nil, err
		}
		m.now.Store(e)
		s.names, s.models[from.Name] = append(s.names, from.Name), m
	}
	return s, nil
}

// Names returns the names of the models, in their order.
func (s *Server) Names() []string { return s.names }

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
)

// NewHTTP returns an HTTP server with the limits that keep one client from the others: of
// the time for a request's headers, its body and its answer, and of the size of headers.
func NewHTTP(h http.Handler, timeout time.Duration, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: min(headerTimeout, timeout), ReadTimeout: timeout,
		WriteTimeout: 2 * timeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// server returns the HTTP server of a handler.
func (s *Server) server(h http.Handler) *http.Server {
	out := NewHTTP(h, s.o.Timeout, s.log)
	out.TLSConfig = s.o.TLS.Clone() // a server writes its protocols into it; nil stays nil
	return out
}

// Serve answers at the listeners, of which grpc may be nil, until ctx ends. Then it takes
// no more connections, gives requests Options.Drain to end, and returns nil. It closes the
// listeners.
func (s *Server) Serve(ctx context.Context, rest, grpc net.Listener) error {
	servers := []*http.Server{s.server(s.Handler())}
	listeners := []net.Listener{rest}
	if grpc != nil {
		g := s.server(s.GRPC())
		g.Protocols = new(http.Protocols)
		g.Protocols.SetHTTP2(true)
		g.Protocols.SetUnencryptedHTTP2(true)
		servers, listeners = append(servers, g), append(listeners, grpc)
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	var wait sync.WaitGroup
	failed := make(chan error, len(servers))
	for i, server := range servers {
		wait.Go(func() {
			var err error
			if s.o.TLS != nil {
				err = server.ServeTLS(listeners[i], "", "")
			} else {
				err = server.Serve(listeners[i])
			}
			if !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		})
	}
	if s.o.Watch > 0 {
		wait.Go(func() { s.watch(inner, s.o.Watch) })
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	stop()
	s.stopping.Store(true)
	s.log.Info("stopping", "in_flight", s.inFlight.Load())
	s.drain(servers)
	wait.Wait()
	return err
}

// drain lets requests end, and closes the connections of those that do not in time.
func (s *Server) drain(servers []*http.Server) {
	limit, cancel := context.WithTimeout(context.Background(), s.o.Drain)
	defer cancel()
	var wait sync.WaitGroup
	for _, server := range servers {
		wait.Go(func() {
			if server.Shutdown(limit) != nil {
				_ = server.Close()
			}
		})
	}
	wait.Wait()
	// A handler that was cut off ends at its next tile; until then its model is in use.
	for end := time.Now().Add(time.Second); s.inFlight.Load() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}
