package job_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/job"
)

// line is two classes on a line, told apart at 0 but for a part of the rows, with
// weights.
func line(rng *rand.Rand, n int, wrong, weightOfWrong float64) string {
	var b strings.Builder
	b.WriteString("x,w,class\n")
	for range n {
		x, w := rng.NormFloat64(), 1.0
		class := map[bool]string{true: "a", false: "b"}[x > 0]
		if rng.Float64() < wrong {
			class, w = map[bool]string{true: "b", false: "a"}[x > 0], weightOfWrong
		}
		fmt.Fprintf(&b, "%g,%g,%s\n", x, w, class)
	}
	return b.String()
}

// TestTestedCounts: what is said to be tested is no less than the test error, with
// labels that the model does not know, with weights, and with test rows that are
// copies of those trained on.
func TestTestedCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 91))
	rows := put(t, "rows.csv", line(rng, 600, 0, 1))
	o := quickly()
	o.Choices.Kernel, o.Read.Drop = "rbf(gamma=0.5)", []string{"w"}
	o.Choices.Claim = &job.Claim{Error: 0.3, Confidence: 0.95, Margin: 0.3}

	o.Test = put(t, "unknown.csv", line(rng, 200, 0, 1)+strings.Repeat("0.5,1,never seen\n", 100))
	got := train(t, rows, o)
	if e := got.Test.Metrics.Error; e < 0.3 || got.Separator.Bound < e {
		t.Errorf("test error %v with unknown labels, but at most %v is said to be tested", e, got.Separator.Bound)
	}

	o.Read.Drop, o.Read.Weight = nil, "w"
	o.Test = put(t, "weighted.csv", line(rng, 1000, 0.04, 20))
	got = train(t, rows, o)
	if e := got.Test.Metrics.Error; e < 0.3 || got.Separator.Bound < e || got.Separator.Fresh > 200 {
		t.Errorf("weighted test error %v, but from %d rows at most %v is said to be tested", e, got.Separator.Fresh,
			got.Separator.Bound)
	}

	o = quickly()
	o.Choices.Kernel, o.Read.Drop = "rbf(gamma=50)", []string{"w"}
	o.Choices.Claim = &job.Claim{Error: 0.3, Confidence: 0.95, Margin: 0.3}
	text := line(rng, 60, 0.3, 1)
	_, body, _ := strings.Cut(text, "\n")
	o.Holdout = 0.3
	got = train(t, put(t, "pasted.csv", text+strings.Repeat(body, 9)), o)
	if s := got.Separator; s.Copies < 100 || s.Bound < 0.3 {
		t.Errorf("%d test rows, %d copies: at most %v is said to be tested", s.Fresh, s.Copies, s.Bound)
	}
}
