package boost_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/learn/boost"
	"github.com/kerf-ml/kerf/learn/linear"
	"github.com/kerf-ml/kerf/run"
)

var _ interface {
	feature.Map[data.Vector]
	feature.Blocker[data.Vector]
} = (*boost.Votes)(nil)

// random returns the vote of so many random halfspaces.
func random(t *testing.T, rules, dim int) *boost.Ensemble {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(rules), uint64(dim)))
	w, bias, alpha := data.NewMatrix(rules, dim), make([]float64, rules), make([]float64, rules)
	for i := range w.Data {
		w.Data[i] = float64(rng.IntN(5) - 2) // products of whole numbers are often exactly zero
	}
	for k := range bias {
		bias[k], alpha[k] = float64(rng.IntN(3)-1), rng.NormFloat64()
	}
	v, err := boost.NewVotes(w, bias)
	if err != nil {
		t.Fatal(err)
	}
	e, err := boost.NewEnsemble(v, alpha)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Batches say what single rows say, for any number of rules and rows, dense and
// sparse, and on the separator itself.
func TestBatchesAreSingles(t *testing.T) {
	ctx := context.Background()
	for _, rules := range []int{0, 1, 7, 63, 64, 65, 130} {
		for _, n := range []int{0, 1, 63, 64, 65, 255, 256, 257} {
			x := data.NewMatrix(n, 7)
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			for i := range x.Data {
				x.Data[i] = float64(rng.IntN(5) - 2)
			}
			mixed := sparse(x)
			for i := 0; i < n; i += 3 {
				mixed[i] = x.At(i)
			}
			e := random(t, rules, 7)
			for _, source := range []data.Source[data.Vector]{x, mixed} {
				check(t, ctx, e, source)
			}
		}
	}
	d := smooth(300, 5, 1)
	e := fit(t, boost.NewAdaBoost(boost.NewStump()), d)
	check(t, ctx, e, d.X)
	check(t, ctx, e, sparse(d.X))
}

func check(t *testing.T, ctx context.Context, e *boost.Ensemble, x data.Source[data.Vector]) {
	t.Helper()
	scores, err := e.ScoreAll(ctx, run.Control{Workers: 2}, x)
	if err != nil {
		t.Fatal(err)
	}
	votes, err := feature.Apply(ctx, run.Control{}, feature.Map[data.Vector](e.Votes), x)
	if err != nil {
		t.Fatal(err)
	}
	single := make([]float64, e.Votes.Dim())
	line := linear.Separator{W: e.Alpha}
	w, bias := e.Votes.Halfspaces()
	for i := range x.Len() {
		v := x.At(i)
		if s := e.Score(v); s != scores[i] {
			t.Fatalf("row %d scores %v alone and %v with others", i, s, scores[i])
		}
		e.Votes.MapTo(single, v)
		for k, vote := range single {
			want := -1.0
			if v.DotWith(w.Row(k))+bias[k] >= 0 {
				want = 1
			}
			if vote != votes.Row(i)[k] || vote != want {
				t.Fatalf("row %d, rule %d: %v alone, %v with others, %v by the halfspace", i, k, vote, votes.Row(i)[k], want)
			}
		}
		if s := line.Score(data.Dense(single...)); math.Abs(s-scores[i]) > 1e-12 {
			t.Fatalf("row %d scores %v, %v as a separator of votes", i, scores[i], s)
		}
	}
}

// Instances that no fit would accept still get the same votes from both ways.
func TestBatchesOfOddRows(t *testing.T) {
	x := data.Slice[data.Vector]{
		data.Dense(math.NaN(), 1), data.Dense(1e300, -1e300, 1e300), data.Dense(math.Inf(1)),
		data.Dense(1e-320, -1e-320, 3e-320),
		data.Dense(), data.Dense(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), {Index: []int32{2, 900}, Value: []float64{1, 1}},
	}
	e := random(t, 70, 7)
	scores, err := e.ScoreAll(context.Background(), run.Control{}, x)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range scores {
		if own := e.Score(x[i]); own != s {
			t.Errorf("row %d scores %v alone and %v with others", i, own, s)
		}
	}
}

func TestPutTogether(t *testing.T) {
	d := smooth(200, 4, 6)
	for name, weak := range weaks {
		e := fit(t, boost.NewAdaBoost(weak), d)
		w, bias := e.Votes.Halfspaces()
		common, err := boost.NewVotes(w, bias)
		if err != nil {
			t.Fatal(err)
		}
		again, err := boost.NewEnsemble(common, e.Alpha)
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Y {
			if a, b := e.Score(d.X.At(i)), again.Score(d.X.At(i)); a != b {
				t.Fatalf("%s: row %d scores %v and %v in the common form", name, i, a, b)
			}
		}
		if name == "stump" {
			cuts, err := boost.NewCuts(e.Votes.Width(), e.Votes.Cuts())
			if err != nil || cuts.Dim() != e.Votes.Dim() {
				t.Errorf("%v %v", cuts, err)
			}
		}
	}
	v, _ := boost.NewVotes(data.NewMatrix(2, 3), []float64{0, 0})
	for what, err := range map[string]error{
		"no matrix":      second(boost.NewVotes(nil, nil)),
		"torn matrix":    second(boost.NewVotes(&data.Matrix{Rows: 2, Cols: 2, Data: []float64{1}}, []float64{0, 0})),
		"one bias":       second(boost.NewVotes(data.NewMatrix(2, 2), []float64{0})),
		"infinite bias":  second(boost.NewVotes(data.NewMatrix(1, 2), []float64{math.Inf(1)})),
		"cut past width": second(boost.NewCuts(2, []boost.Cut{{Feature: 2, Sign: 1}})),
		"no votes":       second(boost.NewEnsemble(nil, nil)),
		"one weight":     second(boost.NewEnsemble(v, []float64{1})),
		"NaN weight":     second(boost.NewEnsemble(v, []float64{1, math.NaN()})),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestScoreAllCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := random(t, 3, 2).ScoreAll(ctx, run.Control{}, data.NewMatrix(5, 2)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
