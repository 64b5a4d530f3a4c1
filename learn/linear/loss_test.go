package linear_test

import (
	"testing"

	"github.com/kerf-ml/kerf/learn/linear"
)

// TestLossText: losses are text that is read back, and nothing else is.
func TestLossText(t *testing.T) {
	for want, text := range map[linear.Loss]string{linear.Hinge: "hinge", linear.SquaredHinge: "squared-hinge"} {
		written, err := want.MarshalText()
		if err != nil || string(written) != text {
			t.Errorf("%v is %q, %v", want, written, err)
		}
		got := linear.Loss(9)
		if err := got.UnmarshalText(written); err != nil || got != want {
			t.Errorf("%q is read as %v, %v", written, got, err)
		}
	}
	if _, err := linear.Loss(9).MarshalText(); err == nil {
		t.Error("a loss that is none has a text")
	}
	loss := linear.SquaredHinge
	if err := loss.UnmarshalText([]byte("Hinge")); err == nil || loss != linear.SquaredHinge {
		t.Errorf("a text that is no loss is %v", loss)
	}
}
