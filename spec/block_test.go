package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/spec"
)

func TestBlock(t *testing.T) {
	const text = "block(from=0,to=2,rbf(gamma=0.5))+block(from=2,to=9,normalize(linear))"
	k, err := spec.Vectors{}.Kernel(text)
	if err != nil {
		t.Fatal(err)
	}
	back, err := spec.Vectors{}.Kernel(fmt.Sprint(k))
	if err != nil || fmt.Sprint(back) != fmt.Sprint(k) {
		t.Errorf("%v is read back as %v, %v", k, back, err)
	}
	for text, want := range map[string]string{
		"block(rbf)": "block takes coordinates and one kernel", "block(from=3,to=3,rbf)": "needs one or more",
		"block(from=0,to=1.5,rbf)": "must be a whole number", "block(from=0,by=2,rbf)": "no parameter",
		"block(from=0,to=2,jaccard)": "is for sets", "block(from=0,to=2,rbf(gamma=-1))": "gamma",
	} {
		if _, err := spec.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	// A width that is left open is that of the block's own coordinates.
	open, err := spec.Parse("block(from=1,to=2,rbf)")
	if err != nil || !open.Open() {
		t.Fatal(err)
	}
	x, part := data.NewMatrix(40, 3), data.NewMatrix(40, 1)
	for i := range x.Rows {
		x.Row(i)[0], x.Row(i)[1] = float64(1000*i), float64(i)
		part.Row(i)[0] = float64(i)
	}
	made, err := spec.Vectors{}.Make(open, x, 7)
	if err != nil {
		t.Fatal(err)
	}
	want := kernel.Block{From: 1, To: 2, Of: kernel.GaussianWidth(kernel.MedianDistance(part, 7))}
	if fmt.Sprint(made) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", made, want)
	}
}
