package lab

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/serve"
)

// Options say how the lab works. NewOptions has the defaults.
type Options struct {
	MaxBody       int64         // bytes of a request's body: of a table that is loaded
	MaxConcurrent int           // requests that are computed at a time
	Timeout       time.Duration // for a request
	Table         *Table        // that the lab begins with; nil for none
	Model         *Model        // that rows can be tried on; nil for none
	Hosts         []string      // names, beside localhost and addresses, under which requests are answered
	Log           *slog.Logger  // nil for none
	Run           run.Control   // how answers are computed
}

// NewOptions returns the defaults: tables of 32 MiB, four requests at a time, and 30
// seconds for each.
func NewOptions() Options {
	return Options{MaxBody: 32 << 20, MaxConcurrent: 4, Timeout: 30 * time.Second}
}

// Lab computes what the page shows. It is safe for concurrent use.
type Lab struct {
	o     Options
	log   *slog.Logger
	place chan struct{} // among the requests that are computed

	mu     sync.Mutex
	tables []loaded // the newest last
	known  memory
}

// loaded is a table under its name.
type loaded struct {
	id string
	t  *Table
}

// mostTables is how many tables are kept; the oldest goes.
const mostTables = 4

// New returns a lab.
func New(o Options) (*Lab, error) {
	switch {
	case o.MaxBody < 1:
		return nil, fmt.Errorf("MaxBody is %d and must be at least 1", o.MaxBody)
	case o.MaxConcurrent < 1:
		return nil, fmt.Errorf("MaxConcurrent is %d and must be at least 1", o.MaxConcurrent)
	case o.Timeout <= 0:
		return nil, fmt.Errorf("field Timeout is %v and must be positive", o.Timeout)
	}
	l := &Lab{o: o, log: o.Log, place: make(chan struct{}, o.MaxConcurrent)}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	l.o.Run = o.Run.Quiet()
	return l, nil
}

// table returns a table by its name, or the one that the lab began with.
func (l *Lab) table(id string) (*Table, error) {
	if id == "" {
		if l.o.Table == nil {
			return nil, refused("no table is loaded; load one, or start kerf lab with the path of one")
		}
		return l.o.Table, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.tables {
		if t.id == id {
			return t.t, nil
		}
	}
	return nil, refused("the table of this link is not loaded here; load it again")
}

// keep keeps a table that was loaded from some bytes, and returns its name: the same for
// the same bytes.
func (l *Lab) keep(t *Table, from []byte) string {
	sum := sha256.Sum256(from)
	id := hex.EncodeToString(sum[:8])
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, old := range l.tables {
		if old.id == id {
			l.tables = append(l.tables[:i], l.tables[i+1:]...)
			break
		}
	}
	if l.tables = append(l.tables, loaded{id, t}); len(l.tables) > mostTables {
		l.tables = l.tables[1:]
	}
	return id
}

// drain is how long requests may take to end once the lab is to stop.
const drain = 500 * time.Millisecond

// Serve answers at the listener until ctx ends, and returns nil then. It closes the
// listener.
func (l *Lab) Serve(ctx context.Context, at net.Listener) error {
	base, stop := context.WithCancel(context.Background())
	defer stop()
	server := serve.NewHTTP(l.Handler(), l.o.Timeout, l.log)
	server.BaseContext = func(net.Listener) context.Context { return base }
	failed := make(chan error, 1)
	var wait sync.WaitGroup
	wait.Go(func() {
		if err := server.Serve(at); !errors.Is(err, http.ErrServerClosed) {
			failed <- err
		}
	})
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	stop() // what is computed ends at its next tile
	limit, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	if server.Shutdown(limit) != nil {
		_ = server.Close()
	}
	wait.Wait()
	return err
}
