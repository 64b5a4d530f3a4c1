package main

import (
	"fmt"
	"sync"
	"time"
)

// timed makes a peer of a function in this process.
func timed(f func()) func() (float64, error) {
	return func() (float64, error) {
		t := time.Now()
		f()
		return time.Since(t).Seconds(), nil
	}
}

// peak measures the multiply-adds that the workers do a second, in GFLOP/s: the
// best of several short runs.
func (b *bench) peak(precision string, workers int) float64 {
	key := fmt.Sprint(precision, workers)
	if v, ok := b.peaks[key]; ok {
		return v
	}
	loop, each := peakLoop(precision)
	const n = 20_000_000
	best := 0.0
	for range 5 {
		t := time.Now()
		var wait sync.WaitGroup
		for range workers {
			wait.Go(func() { loop(n) })
		}
		wait.Wait()
		best = max(best, 2*float64(each)*n*float64(workers)/time.Since(t).Seconds()/1e9)
	}
	b.peaks[key] = best
	return best
}
