package job_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/job"
)

// TestTrainAUC compares the AUC of test rows with the mean over pairs of rows, tied
// ones counting a half, with and without weights.
func TestTrainAUC(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y,w,label\n")
	for i := range 200 {
		x, y := math.Sin(float64(7*i)), math.Round(3*math.Cos(float64(11*i)))
		label := "no"
		if x+0.3*y+math.Sin(float64(13*i)) > 0.8 {
			label = "yes"
		}
		fmt.Fprintf(&b, "%.1f,%v,%d,%s\n", x, y, i%4, label)
	}
	path := put(t, "two.csv", b.String())
	for _, weighted := range []bool{false, true} {
		o := quickly()
		o.Holdout, o.Details, o.Choices.Kernel = 0.5, true, "rbf"
		if weighted {
			o.Read.Weight = "w"
		} else {
			o.Read.Drop = []string{"w"}
		}
		out, err := job.Train(context.Background(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		m, sum, pairs := out.Measured, 0.0, 0.0
		weight := func(i int) float64 {
			if m.Weight == nil {
				return 1
			}
			return m.Weight[i]
		}
		for i, a := range m.Truth {
			for j, c := range m.Truth {
				if a != 1 || c != 0 {
					continue
				}
				w := weight(i) * weight(j)
				pairs += w
				switch si, sj := m.Scores.Row(i)[1], m.Scores.Row(j)[1]; {
				case si > sj:
					sum += w
				case si == sj:
					sum += w / 2
				}
			}
		}
		// at most 100·100 pairs are added up in either way
		if out.Test.AUC == nil || math.Abs(*out.Test.AUC-sum/pairs) > 1e-12 {
			t.Errorf("weighted %v: AUC %v, want %v", weighted, out.Test.AUC, sum/pairs)
		}
	}
}
