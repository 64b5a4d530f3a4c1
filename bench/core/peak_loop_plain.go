//go:build !amd64 || purego

package main

import "math"

// sink keeps the loop from being left out.
var sink float64

// peakLoop returns a loop in plain Go: the scalar peak, for want of another.
func peakLoop(string) (loop func(n int), each int) {
	return func(n int) {
		var a, b, c, d float64
		for range n {
			a, b, c, d = math.FMA(a, 0.5, 1), math.FMA(b, 0.5, 1), math.FMA(c, 0.5, 1), math.FMA(d, 0.5, 1)
		}
		sink = a + b + c + d
	}, 4
}
