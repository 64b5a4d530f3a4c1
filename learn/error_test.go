package learn_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/learn"
)

func TestCheckBinary(t *testing.T) {
	if err := learn.CheckBinary(3, []float64{1, -1, 1}, nil); err != nil {
		t.Error(err)
	}
	if err := learn.CheckBinary(0, nil, nil); !errors.Is(err, learn.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	for _, y := range [][]float64{{1}, {-1}, {1, 1}, {-1, -1, -1}} {
		if err := learn.CheckBinary(len(y), y, nil); !errors.Is(err, learn.ErrOneClass) {
			t.Errorf("labels %v: %v", y, err)
		}
	}
	if err := learn.CheckBinary(2, []float64{1}, nil); err == nil ||
		!strings.Contains(err.Error(), "2 instances and 1 labels") {
		t.Errorf("lengths: %v", err)
	}
	for _, bad := range []float64{0, 2, 0.5, math.NaN(), math.Inf(1)} {
		err := learn.CheckBinary(3, []float64{1, -1, bad}, nil)
		var d *learn.DataError
		if !errors.As(err, &d) || d.Row != 2 {
			t.Errorf("label %v: %v", bad, err)
		}
	}
}

func TestCheckClasses(t *testing.T) {
	if err := learn.CheckClasses(3, []int{2, 0, 1}, nil, 3); err != nil {
		t.Error(err)
	}
	if err := learn.CheckClasses(0, nil, nil, 2); !errors.Is(err, learn.ErrNoRows) {
		t.Errorf("no rows: %v", err)
	}
	err := learn.CheckClasses(3, []int{2, 0, 0}, nil, 3)
	if !errors.Is(err, learn.ErrOneClass) || !strings.Contains(err.Error(), "class 1 of 3") {
		t.Errorf("missing class: %v", err)
	}
	for _, bad := range []int{-1, 3} {
		var d *learn.DataError
		if err := learn.CheckClasses(2, []int{0, bad}, nil, 3); !errors.As(err, &d) || d.Row != 1 {
			t.Errorf("class %d: %v", bad, err)
		}
	}
	if err := learn.CheckClasses(1, []int{0, 1}, nil, 2); err == nil {
		t.Error("lengths: no error")
	}
}
