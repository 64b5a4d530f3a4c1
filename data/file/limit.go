package file

import (
	"errors"
	"fmt"
	"math"

	"github.com/kerf-ml/kerf/run"
)

const advice = "use a larger --max-memory, or fewer rows"

// manifold is how many times its compressed size a file grows before messages
// say so.
const manifold = 100

// limit stops the reading of a file before what is made of it takes more than the
// budget of a run.
type limit struct {
	ctl   run.Control
	gauge *run.Gauge
	next  int64 // bytes of content at which to measure again
}

// Limit holds the rows that are read from now on to the memory of a run: Read
// returns a *run.MemoryError before they exceed it.
func (f *File) Limit(ctl run.Control) { f.limit = &limit{ctl: ctl, gauge: ctl.Gauge()} }

// Read reads the decompressed content.
func (f *File) Read(p []byte) (int, error) {
	if f.limit != nil {
		if err := f.check(); err != nil {
			return 0, err
		}
	}
	n, err := f.text.Read(p)
	f.count += int64(n)
	f.tellOf(f.compressed.count.Load())
	return n, err
}

// tellOf tells that so many bytes of the file as it lies on disk were read.
func (f *File) tellOf(now int64) {
	if f.tell != nil && now-f.told >= tellEvery {
		f.told = now
		f.tell(now, f.size)
	}
}

// tellEvery is how many bytes of a file as it lies on disk are read between two reports.
const tellEvery = 1 << 18

// Tell reports to p how many bytes of the file were read, as it lies on disk.
func (f *File) Tell(p run.Progress) {
	if f.tell = p.Read; f.tell != nil {
		f.told = f.compressed.count.Load()
		f.tell(f.told, f.size)
	}
}

// Count returns how many bytes of content were read.
func (f *File) Count() int64 { return f.count }

// Left returns how many bytes of content are not yet read, and whether that is known.
func (f *File) Left() (bytes int64, known bool) {
	return f.size - f.count, !f.Packed() && f.size > f.count
}

// check measures the memory that is taken. A byte of content becomes about a dozen
// in memory, so that no more than a part of what is left can be taken until it
// measures again.
func (f *File) check() error {
	l := f.limit
	if f.count < l.next {
		return nil
	}
	left, err := l.gauge.Left()
	var memory *run.MemoryError
	if errors.As(err, &memory) {
		memory.What, memory.Advice = fmt.Sprintf("%s: %s: to read on", f.Name, f.progress()), advice
	}
	l.next = f.count + left/64
	return err
}

// progress says how far the file has been read.
func (f *File) progress() string {
	at := "after " + run.Bytes(float64(f.count))
	if f.lines != nil {
		at = fmt.Sprintf("line %d, %s", f.lines.line, at)
	}
	from := max(f.compressed.count.Load(), 1)
	if times := f.count / from; f.packing != "" && times >= manifold {
		at += fmt.Sprintf(" (unpacked from %s of %s data, %d times as much)", run.Bytes(float64(from)), f.packing, times)
	}
	return at
}

// Reserve says whether so many bytes for what the file holds are within the
// budget, before anything is allocated: a *run.MemoryError if they are not. After
// that the size is known, and reading measures no more. Without a limit it returns
// false.
func (f *File) Reserve(what string, bytes float64) (known bool, err error) {
	if f.limit == nil {
		return false, nil
	}
	f.limit.next = math.MaxInt64
	return true, f.limit.ctl.Reserve(f.Name+": "+what, bytes, advice)
}

// reserver is the ability of a stream to hold what is made of it to a budget.
type reserver interface {
	Reserve(what string, bytes float64) (known bool, err error)
}
