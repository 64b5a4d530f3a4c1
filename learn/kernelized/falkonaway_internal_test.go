package kernelized

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/kernel"
)

// TestFalkonLost: after a device was lost all is done again here, to the same bits.
func TestFalkonLost(t *testing.T) {
	x, y := data.NewMatrix(300, 2), data.NewMatrix(1, 300)
	for i := range 300 {
		x.Row(i)[0], x.Row(i)[1] = float64(i%17), float64(i%29)
		y.Row(0)[i] = float64(i % 5)
	}
	f := NewFalkon[data.Vector](kernel.Gaussian{Gamma: 0.1})
	f.Landmarks = 40
	ctx := context.Background()
	fit := func(lose bool) *data.Matrix {
		p, err := newFalkon(f, ridgeSample[data.Vector]{x, y, nil}, false)
		if err != nil {
			t.Fatal(err)
		}
		if lose {
			if err := p.prepare(ctx); err != nil {
				t.Fatal(err)
			}
			if p.lost(errors.New("another error")) || !p.lost(&gram.LostError{Err: errors.New("lost")}) {
				t.Error("a device that is lost is not told from other errors")
			}
			if p.right != nil || p.l != nil || !p.near {
				t.Error("what was on the device is still used")
			}
		}
		w, _, err := p.next(ctx, f.Lambda)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	if !slices.Equal(fit(true).Data, fit(false).Data) {
		t.Error("other weights after a device was lost")
	}
}
