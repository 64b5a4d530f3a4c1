package linear

import (
	"math"
	"testing"
)

// The slope is the derivative of the loss and the curvature that of the slope,
// the loss is at most h/8 above the hinge loss, and the excess is what the
// hinge loss has over the tangent a·x that the slope stands for.
func TestSmoothHinge(t *testing.T) {
	for _, h := range []float64{1e-3, 0.3, 2.5} {
		loss := smoothHinge{h}
		for k := range 4001 {
			m := 1 + h*(float64(k)-2000.3)/1500
			value, slope, curvature := loss.at(m)
			const e = 1e-6
			above, next, _ := loss.at(m + e*h)
			below, last, _ := loss.at(m - e*h)
			if d := (above - below) / (2 * e * h); math.Abs(d-slope) > 1e-5 {
				t.Fatalf("h=%v m=%v: slope %v, differences say %v", h, m, slope, d)
			}
			if x := math.Abs(1 - m); math.Abs(x-h/2) > 2*e*h && math.Abs((next-last)/(2*e)-curvature*h) > 1e-5 {
				t.Fatalf("h=%v m=%v: curvature %v", h, m, curvature)
			}
			hinge := max(0, 1-m)
			if over := value - hinge; over < -1e-15 || over > h/8*(1+1e-12) || loss.meant(m) != hinge {
				t.Fatalf("h=%v m=%v: %v above the hinge loss", h, m, over)
			}
			if want := hinge + slope*(1-m); math.Abs(loss.excess(m)-want) > 1e-14 || want < -1e-15 {
				t.Fatalf("h=%v m=%v: excess %v and not %v", h, m, loss.excess(m), want)
			}
			if own := (smoothed{loss}); own.meant(m) != value || own.excess(m) != 0 {
				t.Fatalf("h=%v m=%v: smoothed is not itself", h, m)
			}
		}
	}
}

func TestLevels(t *testing.T) {
	for _, c := range []struct{ rows, dim, parts int }{{0, 3, 0}, {2559, 5, 0}, {2560, 5, 1}, {200_000, 1000, 2},
		{10_000, 1000, 0}} {
		sizes := levels(c.rows, c.dim)
		if len(sizes) != c.parts {
			t.Errorf("%+v: parts of %v", c, sizes)
		}
		for i, s := range sizes {
			if s < 6*c.dim || s >= c.rows || i > 0 && s <= sizes[i-1] {
				t.Errorf("%+v: parts of %v", c, sizes)
			}
		}
	}
}
