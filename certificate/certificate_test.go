package certificate_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/margin"
	"github.com/kerf-ml/kerf/run"
)

func normals(seed uint64, n, dim int) *data.Matrix {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := data.NewMatrix(n, dim)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

func fitted(t *testing.T, k kernel.Kernel[data.Vector], size int) *feature.Orthogonal[data.Vector] {
	t.Helper()
	m, err := feature.NewF2(k, size).FitTo(t.Context(), normals(1, size, 2))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestValidate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []certificate.Claim{
		{Margin: nan, Keep: nan, Error: nan, Confidence: nan},
		{Margin: 0, Keep: 1, Error: 0, Confidence: 0},
		{Margin: 1.1, Keep: -0.1, Error: 1, Confidence: 1},
	} {
		err := c.Validate()
		for _, name := range []string{"margin", "keep", "error", "confidence"} {
			if err == nil || !strings.Contains(err.Error(), name+" is") {
				t.Errorf("%+v: %v does not name %s", c, err, name)
			}
		}
	}
	good := certificate.NewClaim(0.2, 0.1, 0.95)
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	m := fitted(t, kernel.Gaussian{Gamma: 1}, 3)
	for _, levels := range [][]float64{nil, {-0.1}, {1.5}, {0, nan}} {
		r := certificate.Test[data.Vector]{Claim: good, Levels: levels}
		if _, err := r.Certify(t.Context(), m, normals(2, 5, 2)); err == nil {
			t.Errorf("levels %v were taken", levels)
		}
		if _, _, err := r.Margin(t.Context(), m, normals(2, 5, 2)); err == nil {
			t.Errorf("levels %v were taken", levels)
		}
	}
	g := certificate.NewGrow[data.Vector](nil, certificate.Claim{})
	g.Fresh, g.Part, g.Most, g.Tolerance = -1, -1, -1, 2
	err := g.Validate()
	for _, name := range []string{"margin", "error", "fresh", "part", "most", "tolerance", "kernel"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v does not name %s", err, name)
		}
	}
}

func TestNothingFresh(t *testing.T) {
	m := fitted(t, kernel.Gaussian{Gamma: 1}, 3)
	test := certificate.NewTest[data.Vector](certificate.NewClaim(0.2, 0.1, 0.95))
	for _, n := range []int{0, 1, 2} {
		c, err := test.Certify(t.Context(), m, normals(2, n, 2))
		if err != nil || c.Holds || n == 0 && c.Bound != 1 {
			t.Errorf("%d instances: %v, %v", n, c, err)
		}
		if _, ok, err := test.Margin(t.Context(), m, normals(2, n, 2)); err != nil || ok {
			t.Errorf("%d instances have a certified margin: %v", n, err)
		}
	}
}

// A map onto the whole space loses nothing, and is certified as soon as there
// are enough instances for a count of zero.
func TestWholeSpace(t *testing.T) {
	m := fitted(t, kernel.Linear{}, 5)
	test := certificate.NewTest[data.Vector](certificate.NewClaim(0.01, 0.1, 0.95))
	x := normals(3, 100, 2)
	c, err := test.Certify(t.Context(), m, x)
	want, _ := certificate.BinomialUpper(0, 100, 0.01)
	if err != nil || !c.Holds || c.Kind != certificate.Pointwise || math.Abs(c.Bound-want) > 1e-14 || c.Features != 2 {
		t.Errorf("%+v, %v, want bound %v", c, err, want)
	}
	least, ok, err := test.Margin(t.Context(), m, x)
	if err != nil || !ok || least > 1e-4 {
		t.Errorf("certified margin %v, %v, %v", least, ok, err)
	}
}

// An instance whose φ is zero has no margin under any target.
func TestZeroInstances(t *testing.T) {
	m := fitted(t, kernel.Linear{}, 1)
	x := data.NewMatrix(50, 2)
	r, err := certificate.Residuals(t.Context(), run.Control{}, m, x)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range r {
		if v != 0 {
			t.Fatalf("residual %d is %v", i, v)
		}
	}
	test := certificate.NewTest[data.Vector](certificate.NewClaim(0.2, 0.2, 0.95))
	test.Atoms = true
	c, err := test.Certify(t.Context(), m, x)
	if err != nil || !c.Holds || c.Counted != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, ok, err := test.Margin(t.Context(), m, x); err != nil || !ok {
		t.Errorf("no certified margin: %v", err)
	}
}

func TestNotAKernel(t *testing.T) {
	odd := kernel.Func[data.Vector](func(x, y data.Vector) float64 {
		if x.Distance2(y) == 0 {
			return 1
		}
		return 2
	})
	one := data.Slice[data.Vector]{data.Dense(0, 0)}
	m, err := feature.NewF2(odd, 1).FitTo(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	test := certificate.NewTest[data.Vector](certificate.NewClaim(0.2, 0.1, 0.95))
	var not *feature.NotPSDError
	if _, err := test.Certify(t.Context(), m, normals(4, 9, 2)); !errors.As(err, &not) {
		t.Errorf("a similarity that is no kernel: %v", err)
	}
}

func TestSameBits(t *testing.T) {
	m := fitted(t, kernel.Gaussian{Gamma: 0.3}, 12)
	x := normals(5, 300, 2)
	for _, part := range []int{0, 33} {
		var first certificate.Certificate
		for _, workers := range []int{1, 2, 3} {
			for _, precision := range []run.Precision{run.Float64, run.Float32} {
				test := certificate.NewTest[data.Vector](certificate.NewClaim(0.6, 0.3, 0.9))
				test.Levels, test.Part = []float64{1, 0.5}, part
				test.Run = run.Control{Workers: workers, Precision: precision}
				c, err := test.Certify(t.Context(), m, x)
				if err != nil {
					t.Fatal(err)
				}
				if first.Fresh == 0 {
					first = c
				}
				if c != first {
					t.Errorf("%d workers: %+v, want %+v", workers, c, first)
				}
			}
		}
		if first.Kind != certificate.Spectral || first.Bound >= 1 {
			t.Errorf("the test does not reach the spectrum: %+v", first)
		}
	}
}

func TestCancelledAndOutOfMemory(t *testing.T) {
	m := fitted(t, kernel.Gaussian{Gamma: 0.3}, 6)
	test := certificate.NewTest[data.Vector](certificate.NewClaim(0.3, 0.3, 0.9))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := test.Certify(ctx, m, normals(5, 300, 2)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := certificate.NewGrow[data.Vector](kernel.Gaussian{Gamma: 1}, test.Claim).Fit(ctx,
		normals(5, 300, 2)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	test.Run.Memory = 100_000
	var memory *run.MemoryError
	if _, err := test.Certify(t.Context(), m, normals(5, 300, 2)); !errors.As(err, &memory) {
		t.Error(err)
	}
}

func TestHeldOut(t *testing.T) {
	m := margin.NewMargins([]float64{-0.5, 0, 0, 0.1, 0.2, 0.2, 0.3, 0.9})
	for _, c := range []struct {
		at    float64
		count int
	}{{0, 3}, {0.05, 3}, {0.1, 3}, {0.2, 4}, {0.21, 6}, {1, 8}} {
		got, err := certificate.HeldOut(m, c.at, 0.9, 0.95, 4)
		want, _ := certificate.BinomialUpper(c.count, 8, 0.05)
		if err != nil || got.Counted != c.count || math.Abs(got.Bound-want) > 1e-14 || got.Holds != (want <= 0.9) ||
			got.Fresh != 8 {
			t.Errorf("at %v: %+v, %v, want %d and %v", c.at, got, err, c.count, want)
		}
	}
	if c, err := certificate.HeldOut(nil, 0, 0.5, 0.95, 0); err != nil || c.Holds || c.Bound != 1 {
		t.Errorf("no margins: %+v, %v", c, err)
	}
	for _, bad := range [][3]float64{{-1, 0.1, 0.9}, {2, 0.1, 0.9}, {math.NaN(), 0.1, 0.9}, {0, 0, 0.9}, {0, 0.1, 1}} {
		if _, err := certificate.HeldOut(m, bad[0], bad[1], bad[2], 4); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}

// With F2 certified at ε/2 and the projection of theorem 3 at ε/2, F3 has ε.
func TestProject(t *testing.T) {
	f2 := certificate.Certificate{
		Kind: certificate.Spectral, Holds: true, Margin: 0.8, Kept: 0.4, Error: 0.2, Bound: 0.1,
		Confidence: 0.97, Fresh: 1000, Features: 100,
	}
	dim, err := bound.ProjectionDim(0.4, 0.1, 0.98)
	if err != nil {
		t.Fatal(err)
	}
	f3, err := f2.Project(dim, 0.02)
	if err != nil || !f3.Holds || f3.Kept != 0.2 || f3.Features != dim || !f3.Projected ||
		math.Abs(f3.Confidence-0.95) > 1e-15 {
		t.Errorf("%+v, %v", f3, err)
	}
	g, _ := bound.MarginDistortion(0.4)
	want := 0.1 + 8*math.Exp(-(g*g-g*g*g)*float64(dim)/4)/0.02
	if math.Abs(f3.Bound-want) > 1e-12 || f3.Bound < 0.199 {
		t.Errorf("bound %v, want %v", f3.Bound, want)
	}
	if less, err := f2.Project(dim/2, 0.02); err != nil || less.Holds || less.Bound > 1 {
		t.Errorf("half of the dimension: %+v, %v", less, err)
	}
	if !strings.Contains(f3.String(), "any one target") || !strings.Contains(f2.String(), "whatever the target") {
		t.Errorf("%s %s", f2, f3)
	}
	for _, bad := range []func() error{
		func() error { _, err := f2.Project(0, 0.02); return err },
		func() error { _, err := f2.Project(10, 0); return err },
		func() error { _, err := f2.Project(10, 0.99); return err },
		func() error { _, err := f3.Project(10, 0.01); return err },
		func() error {
			_, err := (certificate.Certificate{Kind: certificate.Separator, Kept: 0.1, Confidence: 0.9}).Project(10, 0.01)
			return err
		},
	} {
		if bad() == nil {
			t.Error("a projection that makes no sense was taken")
		}
	}
}

func TestString(t *testing.T) {
	base := certificate.Certificate{Kind: certificate.Spectral, Margin: 0.2, Kept: 0.1, Error: 0.1, Bound: 0.08123,
		Holds: true, Confidence: 0.95, Fresh: 4000, Features: 151}
	failed, nothing, held := base, base, base
	failed.Bound, failed.Holds = 0.3, false
	nothing.Bound, nothing.Holds = 1, false
	held.Kind = certificate.Separator
	for _, c := range []struct {
		c    certificate.Certificate
		want string
	}{
		{base, "With 95% confidence, from 4000 fresh instances: whatever the target, if it has margin 0.2 under the " +
			"kernel then a map with 151 features keeps margin 0.1 but for at most 8.13% of all instances."},
		{failed, "at most 30% of all instances, which is more than the 10% asked for."},
		{nothing, "nothing can be said about targets of margin 0.2"},
		{held, "at most 8.13% of all instances have a margin below 0.1 under this separator."},
		{certificate.Certificate{}, "Nothing was tested"},
	} {
		if got := c.c.String(); !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	text, err := json.Marshal(base)
	var back certificate.Certificate
	if err != nil || json.Unmarshal(text, &back) != nil || back != base {
		t.Errorf("%s, %v", text, err)
	}
}

// TestSlackIsRelative: lengths of landmarks and of fresh instances, from 1e-8 to
// 1e8, change no certificate under the linear kernel, whose margins are angles.
func TestSlackIsRelative(t *testing.T) {
	k := kernel.Linear{}
	want := certificate.Certificate{}
	for _, spread := range []float64{0, 8} {
		x := normals(3, 120, 6)
		for i := range x.Rows {
			power := spread * math.Sin(float64(i))
			if i < 20 {
				power = -math.Abs(power)
			}
			for j := range x.Row(i) {
				x.Row(i)[j] *= math.Pow(10, power)
			}
		}
		landmarks := data.Matrix{Rows: 20, Cols: x.Cols, Data: x.Data[:20*x.Cols]}
		fresh := data.Matrix{Rows: 100, Cols: x.Cols, Data: x.Data[20*x.Cols:]}
		m, err := feature.NewF2[data.Vector](k, 20).FitTo(t.Context(), &landmarks)
		if err != nil {
			t.Fatal(err)
		}
		test := certificate.NewTest[data.Vector](certificate.NewClaim(0.01, 0.1, 0.95))
		c, err := test.Certify(t.Context(), m, &fresh)
		if err != nil || !c.Holds {
			t.Fatalf("lengths over 10^±%v: %+v, %v", spread, c, err)
		}
		if spread == 0 {
			want = c
		}
		if c.Bound != want.Bound || c.Features != want.Features {
			t.Errorf("bound %v with %d features, want %v with %d", c.Bound, c.Features, want.Bound, want.Features)
		}
	}
}
