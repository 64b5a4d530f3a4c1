package margin_test

import (
	"math"
	"testing"
)

// The tests of this file compute the figures of docs/math/linear-limits.md: the
// least error of any halfspace, with a bias, on two distributions in the plane.

type point struct{ x, y float64 }

// clip returns the part of a convex polygon where a·x + b·y ≥ t.
func clip(polygon []point, a, b, t float64) []point {
	var out []point
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		dp, dq := a*p.x+b*p.y-t, a*q.x+b*q.y-t
		if dp >= 0 {
			out = append(out, p)
		}
		if (dp >= 0) != (dq >= 0) {
			f := dp / (dp - dq)
			out = append(out, point{p.x + f*(q.x-p.x), p.y + f*(q.y-p.y)})
		}
	}
	return out
}

func area(polygon []point) float64 {
	sum := 0.0
	for i, p := range polygon {
		q := polygon[(i+1)%len(polygon)]
		sum += p.x*q.y - p.y*q.x
	}
	return sum / 2
}

func square(s float64) []point { return []point{{-s, -s}, {s, -s}, {s, s}, {-s, s}} }

// leastError searches all halfspaces cos θ·x + sin θ·y ≥ t on the square of
// half-width s. positive gives the area of label +1 in the part of the square
// that is cut off.
func leastError(s float64, positive func(part []point, theta, t float64) float64) (least, theta, offset float64) {
	whole := square(s)
	total, all := area(whole), positive(whole, 0, -2*s)
	least = 1
	for i := range 360 {
		th := float64(i) * math.Pi / 180
		for k := -400; k <= 400; k++ {
			t := float64(k) / 400 * s * math.Sqrt2
			part := clip(whole, math.Cos(th), math.Sin(th), t)
			in, size := positive(part, th, t), area(part)
			// -1 on the part, +1 on the rest; i runs over both directions.
			if e := (in + (total - size) - (all - in)) / total; e < least {
				least, theta, offset = e, th, t
			}
		}
	}
	return least, theta, offset
}

func TestCircleLimit(t *testing.T) {
	s := math.Sqrt(math.Pi / 2)
	least, theta, offset := leastError(s, func(_ []point, _, t float64) float64 {
		h := max(-1, min(1, t))
		return math.Acos(h) - h*math.Sqrt(1-h*h) // area of the unit disc past t
	})
	h := math.Sqrt(1 - math.Pi/8)
	want := (s*h + 2*math.Acos(h)) / (2 * math.Pi)
	t.Logf("least error %.5f at angle %.0f°, offset %.3f; the formula gives %.5f at %.3f", least, theta*180/math.Pi,
		offset, want, h)
	// The grid misses the best offset by at most s√2/800 = 0.0022; the error
	// is flat there, with second derivative 4h/√(1-h²)/2π < 0.8.
	if least < want-1e-12 || least > want+1e-5 {
		t.Errorf("least error %v, want %v", least, want)
	}
	if math.Abs(want-0.37102) > 1e-5 {
		t.Errorf("the formula gives %v", want)
	}
}

func TestXorLimit(t *testing.T) {
	least, theta, offset := leastError(1, func(part []point, _, _ float64) float64 {
		first := area(clip(clip(part, 1, 0, 0), 0, 1, 0))
		third := area(clip(clip(part, -1, 0, 0), 0, -1, 0))
		return first + third
	})
	t.Logf("least error %.5f at angle %.0f°, offset %.3f", least, theta*180/math.Pi, offset)
	// The grid misses the best offset √2/3 by at most √2/800 = 0.0018, where
	// the second derivative of the error is 3/2: 3e-6.
	if least < 1.0/3-1e-12 || least > 1.0/3+1e-5 {
		t.Errorf("least error %v, want 1/3", least)
	}
}
