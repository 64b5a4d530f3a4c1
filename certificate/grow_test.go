package certificate_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/data/libsvm"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/run"
)

func rings(t testing.TB, n int) *data.Matrix {
	t.Helper()
	o := gen.Defaults()
	o.N = n
	x, _ := gen.Rings(o)
	return x
}

func a9a(t testing.TB) *data.CSR {
	t.Helper()
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data")
	}
	path := filepath.Join(folder, "a9a.libsvm.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skip("data set a9a.libsvm.gz is not here; KERF_DATA names the folder of the data sets")
	}
	f, err := file.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x, _, err := libsvm.NewReader(f, f.Name).Read(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Where the theorem asks for 2,240 landmarks, far fewer can be certified.
func TestGrowFarBelowTheTheorem(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	claim := certificate.NewClaim(0.2, 0.1, 0.95)
	for _, c := range []struct {
		name  string
		x     func(t testing.TB) data.Source[data.Vector]
		gamma float64
		most  int
	}{
		{"rings", func(t testing.TB) data.Source[data.Vector] { return rings(t, 20_000) }, 1, 150},
		{"a9a", func(t testing.TB) data.Source[data.Vector] { return a9a(t) }, 0.03, 560},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := certificate.NewGrow[data.Vector](kernel.Gaussian{Gamma: c.gamma}, claim).Fit(t.Context(), c.x(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Log(g)
			if g.Outcome != certificate.Certified || !g.Certificate.Holds || g.Map.Dim() > c.most || g.Promised != 2240 {
				t.Errorf("%s: %d features, want at most %d; promised %d", g.Outcome, g.Map.Dim(), c.most, g.Promised)
			}
		})
	}
}

func TestGrow(t *testing.T) {
	x := rings(t, 1500)
	recipe := certificate.NewGrow[data.Vector](kernel.Gaussian{Gamma: 1}, certificate.NewClaim(0.3, 0.2, 0.9))
	recipe.Seed = 7
	g, err := recipe.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	c := g.Certificate
	if g.Outcome != certificate.Certified || !c.Holds || c.Bound > 0.2 || c.Fresh != 750 || c.Features != g.Map.Dim() ||
		len(g.Looks) != c.Look || g.Looks[c.Look-1] != c || g.Landmarks < g.Map.Dim() || len(g.Rehearsals) == 0 ||
		c.Confidence != 0.9 {
		t.Errorf("%+v", g)
	}
	// The map is that of F2 with as many landmarks and the same seed.
	f2 := feature.NewF2[data.Vector](recipe.Kernel, g.Landmarks)
	f2.Seed = 7
	same, err := f2.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(same.Inverse(), g.Map.Inverse()) {
		t.Error("the map is not the one of F2")
	}
	for _, workers := range []int{1, 2, 3} {
		recipe.Run = run.Control{Workers: workers}
		again, err := recipe.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(again.Looks, g.Looks) || !reflect.DeepEqual(again.Rehearsals, g.Rehearsals) ||
			!reflect.DeepEqual(again.Map.Inverse(), g.Map.Inverse()) {
			t.Errorf("%d workers: %+v, want %+v", workers, again, g)
		}
	}
}

func TestGrowOutcomes(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		claim certificate.Claim
		most  int
		want  certificate.Outcome
	}{
		{"hardly any data", 2, certificate.NewClaim(0.2, 0.1, 0.95), 0, certificate.TooFewFresh},
		{"little data", 40, certificate.NewClaim(0.2, 0.1, 0.95), 0, certificate.TooFewFresh},
		{"a small limit", 600, certificate.NewClaim(0.2, 0.1, 0.95), 10, certificate.OutOfLandmarks},
		{"a limit of one", 600, certificate.NewClaim(0.2, 0.1, 0.95), 1, certificate.OutOfLandmarks},
		{"a tiny margin", 200, certificate.NewClaim(1e-12, 0.2, 0.95), 0, certificate.OutOfLandmarks},
		{"keep nearly all", 600, certificate.Claim{Margin: 0.5, Keep: 0.9, Error: 0.2, Confidence: 0.9}, 0,
			certificate.Certified},
		{"enough", 600, certificate.NewClaim(0.5, 0.2, 0.9), 0, certificate.Certified},
	} {
		t.Run(c.name, func(t *testing.T) {
			recipe := certificate.NewGrow[data.Vector](kernel.Gaussian{Gamma: 1}, c.claim)
			recipe.Most = c.most
			g, err := recipe.Fit(t.Context(), rings(t, c.n))
			if err != nil {
				t.Fatal(err)
			}
			t.Log(g)
			if g.Outcome != c.want || g.Certificate.Holds != (c.want == certificate.Certified) || g.Map == nil ||
				g.String() == "" {
				t.Errorf("%+v, want %s", g, c.want)
			}
		})
	}
	for _, n := range []int{0, 1} {
		if _, err := certificate.NewGrow[data.Vector](kernel.Gaussian{Gamma: 1},
			certificate.NewClaim(0.2, 0.1, 0.95)).Fit(t.Context(), rings(t, n)); err == nil {
			t.Errorf("%d instances were taken", n)
		}
	}
}

// Of maps that were grown, looked at several times and chosen for passing, at
// most 5% are certified falsely.
func TestGrowCoverage(t *testing.T) {
	problems := 300
	if testing.Short() {
		problems = 30
	}
	untrue, certified, looks := 0, 0, 0
	for i := range problems {
		rng := rand.New(rand.NewPCG(uint64(i), 80))
		w := newWorld(rng, 30+rng.IntN(30))
		claim := certificate.Claim{Margin: 0.3 + 0.4*rng.Float64(), Keep: 0.5, Error: 0.1 + 0.2*rng.Float64(),
			Confidence: 0.95}
		recipe := certificate.NewGrow[data.Vector](w.kernel, claim)
		recipe.Seed = uint64(i)
		recipe.Tolerance, recipe.Atoms = 1e-10, true
		recipe.Run.Workers = 1
		index := w.draw(rng, 150+rng.IntN(300))
		g, err := recipe.Fit(t.Context(), data.Subset[data.Vector]{Of: w.points, Index: index})
		if err != nil {
			t.Fatal(err)
		}
		looks += len(g.Looks)
		if g.Outcome != certificate.Certified {
			continue
		}
		certified++
		var marks []int
		for j := range g.Map.Dim() {
			z := g.Map.Landmarks().Instances().At(j)
			for k, p := range w.points {
				if p.Distance2(z) == 0 {
					marks = append(marks, k)
				}
			}
		}
		p := &problem{truth: w.truth(marks, claim.Keep)}
		if p.bound(g.Certificate) > g.Certificate.Bound {
			untrue++
		}
	}
	lo, hi := interval(t, untrue, problems)
	t.Logf("%d of %d false, interval [%.4f, %.4f]; %d certified in %d looks", untrue, problems, lo, hi, certified, looks)
	if lo > 0.05 || certified < problems/2 {
		t.Errorf("%d of %d certified, %d falsely", certified, problems, untrue)
	}
}

func BenchmarkGrow(b *testing.B) {
	x := rings(b, 20_000)
	recipe := certificate.NewGrow[data.Vector](kernel.Gaussian{Gamma: 1}, certificate.NewClaim(0.2, 0.1, 0.95))
	for b.Loop() {
		g, err := recipe.Fit(b.Context(), x)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(g.Map.Dim()), "features")
		b.ReportMetric(g.Certificate.Bound, "bound")
	}
}

// TestGrowSelected: landmarks that others do not explain are fewer where most of
// the instances are alike, and the same for any number of workers.
func TestGrowSelected(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 84))
	x := data.NewMatrix(2400, 2)
	for i := range x.Rows {
		centre, spread := 0.0, 0.1
		if i%12 == 0 { // one in twelve is somewhere else
			centre, spread = 5, 2
		}
		x.Row(i)[0], x.Row(i)[1] = centre+spread*rng.NormFloat64(), centre+spread*rng.NormFloat64()
	}
	grow := func(s feature.Selection, workers int) *certificate.Grown[data.Vector] {
		r := certificate.NewGrow[data.Vector](kernel.Gaussian{Gamma: 0.5}, certificate.NewClaim(0.3, 0.05, 0.95))
		r.Select, r.Run = s, run.Control{Workers: workers}
		g, err := r.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	random, chosen := grow("", 2), grow(feature.RPCholesky, 2)
	t.Logf("%d landmarks at random, %d chosen", random.Landmarks, chosen.Landmarks)
	if chosen.Outcome != certificate.Certified || random.Landmarks < 2*chosen.Landmarks {
		t.Errorf("%s: %d landmarks, and %d at random", chosen.Outcome, chosen.Landmarks, random.Landmarks)
	}
	if one := grow(feature.RPCholesky, 1); !reflect.DeepEqual(one.Looks, chosen.Looks) ||
		!reflect.DeepEqual(one.Map.Inverse(), chosen.Map.Inverse()) {
		t.Errorf("%+v with one worker, %+v with two", one.Looks, chosen.Looks)
	}
	bad := certificate.NewGrow[data.Vector](kernel.Gaussian{Gamma: 1}, certificate.NewClaim(0.3, 0.05, 0.95))
	bad.Select = "best"
	if _, err := bad.Fit(t.Context(), x); err == nil {
		t.Error("an unknown selection was taken")
	}
}
