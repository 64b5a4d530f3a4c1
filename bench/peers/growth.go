package main

import (
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/kerf-ml/kerf/bench/peer"
)

// A curve is the time and memory of a contender at n, 2n, 4n and 8n rows.
type curve struct {
	Who      string    `json:"who"`
	Rows     []int     `json:"rows"`
	Seconds  []float64 `json:"seconds"` // the median of three runs
	Peak     []int64   `json:"peak_bytes"`
	Exponent float64   `json:"exponent"` // e of seconds ~ rows^e, by least squares of the logarithms
	Failed   string    `json:"failed,omitempty"`
}

// A grown work is a work with the curves of all contenders, kerf first.
type grown struct {
	Title  string  `json:"title"`
	Work   string  `json:"work"`
	Curves []curve `json:"curves"`
}

// grow measures each contender in a process of its own for each size, so that the
// memory is that of the size.
func (b *bench) grow(g growth) error {
	out := grown{Title: g.Title, Work: g.id()}
	names := append([]string{ourselves}, g.Peers...)
	for _, name := range names {
		out.Curves = append(out.Curves, curve{Who: name})
	}
	limit := patience
	if b.quick {
		limit = quickPatience
	}
	for _, times := range []int{1, 2, 4, 8} {
		rows := times * b.size(g.least)
		dir, err := b.set(g.Set, rows)
		if err != nil {
			return err
		}
		job := g.job(dir)
		job["least"] = least
		turn := b.ready(names, map[string]*contender{}, job)
		seconds := make([][]float64, len(turn))
		for range b.reps {
			for k, c := range turn {
				if s, _ := c.run(job, limit); c.failed == "" {
					seconds[k] = append(seconds[k], s)
				}
			}
		}
		for k, c := range turn {
			peak := c.close()
			v := &out.Curves[k]
			if v.Failed = c.failed; c.failed != "" {
				continue
			}
			v.Rows, v.Seconds, v.Peak = append(v.Rows, rows), append(v.Seconds, peer.Median(seconds[k])), append(v.Peak, peak)
		}
	}
	for k := range out.Curves {
		v := &out.Curves[k]
		v.Exponent = exponent(v.Rows, v.Seconds)
		fmt.Fprintf(os.Stderr, "growth of %s: %s %.3g s, exponent %.2f\n", g.Title, v.Who, v.Seconds, v.Exponent)
	}
	b.putGrown(out)
	return nil
}

// exponent fits seconds ~ rows^e; 0 where there are too few.
func exponent(rows []int, seconds []float64) float64 {
	if len(rows) < 2 || slices.Min(seconds) <= 0 {
		return 0
	}
	var x, y, xx, xy float64
	n := float64(len(rows))
	for k, r := range rows {
		a, b := math.Log(float64(r)), math.Log(seconds[k])
		x, y, xx, xy = x+a, y+b, xx+a*a, xy+a*b
	}
	return (n*xy - x*y) / (n*xx - x*x)
}
