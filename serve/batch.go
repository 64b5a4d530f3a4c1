package serve

import (
	"context"
	"fmt"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// batcher gathers the rows of concurrent requests. A request that finds a free slot is
// computed at once; what comes while all slots are busy waits, and the slot that becomes
// free first takes all that waits, up to a number of rows. So nobody waits for company,
// and the more there is to do the larger the products are.
//
// Goroutines live as long as there is work.
type batcher struct {
	score func(ctx context.Context, parts []*model.Encoded) (*data.Matrix, error)
	rows  int              // gathered at most; a request with more is computed alone
	slots int              // that compute at a time
	note  func(rows int)   // told of each batch
	fault func(reason any) // told of a panic

	mu    sync.Mutex
	queue []*errand
	busy  int
}

// errand is a request's rows on their way.
type errand struct {
	ctx   context.Context
	parts []*model.Encoded
	rows  int
	done  chan struct{}

	scores *data.Matrix
	err    error
}

// newBatcher returns the batcher of a model.
func newBatcher(m *model.Model, ctl run.Control, rows int, note func(int), fault func(any)) *batcher {
	return &batcher{
		score: func(ctx context.Context, parts []*model.Encoded) (*data.Matrix, error) {
			return m.ScoreEncoded(ctx, ctl, parts...)
		},
		rows: rows, slots: ctl.Cores(), note: note, fault: fault,
	}
}

// do returns the scores of a request's rows, or the error of ctx if that ends before.
func (b *batcher) do(ctx context.Context, parts []*model.Encoded) (*data.Matrix, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e := &errand{ctx: ctx, parts: parts, done: make(chan struct{})}
	for _, part := range parts {
		e.rows += part.Len()
	}
	b.mu.Lock()
	b.queue = append(b.queue, e)
	start := b.busy < b.slots
	if start {
		b.busy++
	}
	b.mu.Unlock()
	if start {
		go b.run()
	}
	select {
	case <-e.done:
		return e.scores, e.err
	case <-ctx.Done():
		return nil, ctx.Err() // the batch is for others, or stops; see context
	}
}

// run computes batches until nothing waits.
func (b *batcher) run() {
	for {
		b.mu.Lock()
		batch := b.take()
		if batch == nil {
			b.busy--
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		b.compute(batch, false)
	}
}

// take removes from the queue what is computed next, oldest first; nil for nothing.
// Requests whose clients have gone are left out.
func (b *batcher) take() []*errand {
	var batch []*errand
	rows, taken := 0, 0
	for _, e := range b.queue {
		if e.ctx.Err() != nil {
			taken++
			continue
		}
		if batch != nil && rows+e.rows > b.rows {
			break
		}
		batch, rows = append(batch, e), rows+e.rows
		taken++
	}
	rest := copy(b.queue, b.queue[taken:])
	clear(b.queue[rest:])
	b.queue = b.queue[:rest]
	return batch
}

// compute scores a batch and hands out the parts. If it fails, each request is computed
// alone, so that the fault of one is not that of another.
func (b *batcher) compute(batch []*errand, again bool) {
	var parts []*model.Encoded
	rows := 0
	for _, e := range batch {
		parts, rows = append(parts, e.parts...), rows+e.rows
	}
	if !again {
		b.note(rows)
	}
	ctx, cancel := together(batch)
	scores, err := b.guarded(ctx, parts)
	cancel()
	if err != nil && len(batch) > 1 {
		for _, e := range batch {
			b.compute([]*errand{e}, true)
		}
		return
	}
	first := 0
	for _, e := range batch {
		if e.err = err; err == nil {
			lo, hi := first*scores.Cols, (first+e.rows)*scores.Cols
			e.scores = &data.Matrix{Rows: e.rows, Cols: scores.Cols, Data: scores.Data[lo:hi:hi]}
		}
		first += e.rows
		close(e.done)
	}
}

// guarded scores, and turns a panic into an error: one request must not end the others'
// service.
func (b *batcher) guarded(ctx context.Context, parts []*model.Encoded) (s *data.Matrix, err error) {
	defer func() {
		if p := recover(); p != nil {
			b.fault(p)
			err = fmt.Errorf("%w: %v", errInternal, p)
		}
	}()
	return b.score(ctx, parts)
}

// together returns a context that ends when those of all requests have.
func together(batch []*errand) (context.Context, context.CancelFunc) {
	if len(batch) == 1 {
		return context.WithCancel(batch[0].ctx)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	left := len(batch)
	var stops []func() bool
	for _, e := range batch {
		stops = append(stops, context.AfterFunc(e.ctx, func() {
			mu.Lock()
			defer mu.Unlock()
			if left--; left == 0 {
				cancel()
			}
		}))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}
