package job_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// seenRows are two files of rows of a kind: the second has the given number of the rows of
// the first, and others. One row of the first has another label there.
func seenRows(kind string, copies, others int) (train, test string) {
	item := func(i int) string {
		label := []string{"no", "yes"}[i%2]
		switch kind {
		case "table":
			return fmt.Sprintf("%d.5,c%d,%s", i, i%7, label)
		case "numbers":
			return fmt.Sprintf("%d.5,%d,%v", i, i*i%11, math.Sqrt(float64(i)))
		case "sparse":
			return fmt.Sprintf("%d 1:%d %d:1", i%2, i, 2+i%5)
		case "strings":
			return fmt.Sprintf("%s\tab%dcd%s", label, i, strings.Repeat("x", i%4))
		}
		return fmt.Sprintf("%s,i%d,j%d,k%d", label, i, i%5, i%3)
	}
	heads := map[string]string{"table": "a,b,label\n", "numbers": "a,b,y\n"}
	var a, b strings.Builder
	a.WriteString(heads[kind])
	b.WriteString(heads[kind])
	for i := range 60 {
		fmt.Fprintln(&a, item(i))
		if i < copies {
			fmt.Fprintln(&b, item(i))
		}
	}
	for i := range others {
		fmt.Fprintln(&b, item(100+i))
	}
	return a.String(), b.String()
}

// TestSeen: test rows that stand among the rows trained on are counted, of every kind, and the
// others are measured apart: their errors and those of the copies add up to the test's.
func TestSeen(t *testing.T) {
	for _, kind := range []string{"table", "numbers", "sparse", "strings", "sets"} {
		for _, c := range []struct{ copies, others int }{{0, 20}, {7, 20}, {20, 0}} {
			for _, effort := range []job.Effort{job.Least, job.Quick} {
				a, b := seenRows(kind, c.copies, c.others)
				ending := map[string]string{"sparse": ".libsvm", "strings": ".tsv", "sets": ".baskets"}[kind]
				o := quickly()
				o.Effort, o.Test = effort, put(t, "test"+ending, b)
				if kind == "sets" {
					o.Read.Kind = dataset.Sets
				}
				name := fmt.Sprintf("%s, %d copies and %d others, %s", kind, c.copies, c.others, effort)
				got, err := job.Train(context.Background(), put(t, "train"+ending, a), o)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				checkSeen(t, name, got, c.copies, c.others)
			}
		}
	}
}

// checkSeen compares what was found with the number of copies and of other test rows.
func checkSeen(t *testing.T, name string, got *job.Trained, copies, others int) {
	t.Helper()
	s := got.Seen
	switch {
	case copies == 0:
		if s != nil {
			t.Errorf("%s: %v", name, s)
		}
		return
	case s == nil || s.Rows != copies || s.Of != copies+others:
		t.Errorf("%s: %+v", name, s)
		return
	case others == 0:
		if s.Others != nil || got.Expected != nil {
			t.Errorf("%s: others %v, expected %v, want none", name, s.Others, got.Expected)
		}
		return
	}
	if n := s.Others.Rows(); n != others {
		t.Errorf("%s: %d others, want %d", name, n, others)
	}
	if got.Task == model.Classify {
		wrong, right := s.Others.Metrics.Error*float64(others), got.Test.Metrics.Error*float64(copies+others)
		if wrong > right+1e-9 || right > wrong+float64(copies)+1e-9 {
			t.Errorf("%s: %v errors on the others, %v on all", name, wrong, right)
		}
	}
}

// TestSeenOtherwise: a row with another label, or of weight 0, was not seen; columns may stand
// in another order; held-out rows are looked at like those of a file.
func TestSeenOtherwise(t *testing.T) {
	var a, b, w strings.Builder
	a.WriteString("x,y,label,w\n")
	b.WriteString("label,w,y,x\n")
	for i := range 40 {
		weight := 1
		if i < 5 {
			weight = 0
		}
		fmt.Fprintf(&a, "%d,%d,%d,%d\n", i, i%9, i%2, weight)
		label := i % 2
		if i >= 30 {
			label = 1 - label
		}
		fmt.Fprintf(&b, "%d,1,%d,%d\n", label, i%9, i)
		fmt.Fprintf(&w, "%d,%d,%d\n", i%10, i%10, i%10%2) // each row four times
	}
	o := quickly()
	o.Effort, o.Read.Target, o.Read.Weight, o.Test = job.Least, "label", "w", put(t, "test.csv", b.String())
	o.Run = run.Control{Workers: 3}
	got, err := job.Train(context.Background(), put(t, "train.csv", a.String()), o)
	if err != nil {
		t.Fatal(err)
	}
	checkSeen(t, "weights and order", got, 25, 15)
	o = quickly()
	o.Effort, o.Holdout = job.Least, 0.25
	if got, err = job.Train(context.Background(), put(t, "copies.csv", w.String()), o); err != nil {
		t.Fatal(err)
	}
	if got.Seen == nil || got.Seen.Of != 10 {
		t.Errorf("held-out copies: %+v", got.Seen)
	}
}

// TestSeenWeightless: test rows of weight 0 are no test rows. Where the others all were trained
// on, nothing is known of new rows.
func TestSeenWeightless(t *testing.T) {
	for _, task := range []model.Task{model.Classify, model.Regress} {
		var a, b strings.Builder
		a.WriteString("x,y,w\n")
		b.WriteString("x,y,w\n")
		for i := range 60 {
			y := fmt.Sprint("c", i%2)
			if task == model.Regress {
				y = fmt.Sprint(math.Sqrt(float64(i)))
			}
			fmt.Fprintf(&a, "%d,%s,1\n", i, y)
			switch {
			case i < 10:
				fmt.Fprintf(&b, "%d,%s,1\n", i, y)
			case i < 15:
				fmt.Fprintf(&b, "%d,%s,0\n%d,%s,0\n", i, y, 100+i, y)
			}
		}
		o := quickly()
		o.Effort, o.Read.Target, o.Read.Weight, o.Test = job.Least, "y", "w", put(t, "test.csv", b.String())
		got, err := job.Train(context.Background(), put(t, "train.csv", a.String()), o)
		if err != nil {
			t.Fatalf("%s: %v", task, err)
		}
		checkSeen(t, string(task), got, 10, 0)
	}
}
