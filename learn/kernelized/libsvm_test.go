package kernelized_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn"
	"github.com/kerf-ml/kerf/learn/kernelized"
)

// figure is what LIBSVM said of one problem; testdata/README.md says how it was
// asked.
type figure struct {
	Name, Options  string
	Objective, Rho float64
	Optimum        *float64 // of the problem itself, where LIBSVM's float32 matters
	Support        int
	Accuracy       *float64 // at its tolerance
	Usual          *float64 // at 1e-3
	Steps          *int     // at 1e-3
}

// option returns a number of the command line, and the default where it has
// none.
func (f figure) option(t *testing.T, name string, otherwise float64) float64 {
	t.Helper()
	words := strings.Fields(f.Options)
	for k, w := range words {
		if w == name {
			v, err := strconv.ParseFloat(words[k+1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	return otherwise
}

func (f figure) kernel(t *testing.T) kernel.Kernel[data.Vector] {
	t.Helper()
	gamma, shift := f.option(t, "-g", 1), f.option(t, "-r", 0)
	switch f.option(t, "-t", 2) {
	case 0:
		return kernel.Linear{}
	case 1:
		p := kernel.NewPolynomial(int(f.option(t, "-d", 3)))
		p.Gamma, p.Coef = gamma, shift
		return p
	case 3:
		return kernel.Sigmoid{Gamma: gamma, Coef: shift}
	}
	return kernel.Gaussian{Gamma: gamma}
}

// figures reads what LIBSVM said.
func figures(t *testing.T) map[string]figure {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "libsvm.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []figure
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	named := map[string]figure{}
	for _, f := range list {
		named[f.Name] = f
	}
	return named
}

// compare checks a report against the optimum where it is known, and against
// LIBSVM's objective elsewhere, both within 1e-6. LIBSVM keeps K in float32,
// which moves its objective by about 2^-25·Σα²: within 1e-7 of it but where C is
// large or the solution is scaled up.
func compare(t *testing.T, f figure, r learn.Report) {
	t.Helper()
	want := f.Objective
	if f.Optimum != nil {
		want = *f.Optimum
	}
	t.Logf("objective %.6f, want %.6f (%.1e), LIBSVM %.6f (%.1e); support %d, LIBSVM %d; gap %.2e, %d steps, %v",
		r.Objective, want, (r.Objective-want)/math.Abs(want), f.Objective, (f.Objective-want)/math.Abs(want),
		r.Support, f.Support, r.Gap, r.Iterations, r.Elapsed)
	if r.Status != learn.Converged {
		t.Errorf("status %q", r.Status)
	}
	if math.Abs(r.Objective-want) > 1e-6*math.Abs(want) {
		t.Errorf("objective %v, want %v", r.Objective, want)
	}
	if d := r.Support - f.Support; d*d > 4+f.Support*f.Support/10000 {
		t.Errorf("%d support vectors, want about %d", r.Support, f.Support)
	}
}

// concrete reads the regression problem, every feature divided by 100.
func concrete(t *testing.T) labeled {
	t.Helper()
	rows, err := csv.NewReader(readText(t, dataSet(t, "concrete.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	last := len(rows[0]) - 1
	m, y := data.NewMatrix(len(rows), last), make([]float64, len(rows))
	for i, row := range rows {
		for j, text := range row {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			if j == last {
				y[i] = v
			} else {
				m.Row(i)[j] = v / 100
			}
		}
	}
	return labeled{X: m, Y: y}
}

// signs turns labels into +1 and -1: the first one seen and the rest.
func signs(d labeled) labeled {
	y := make([]float64, len(d.Y))
	for i, v := range d.Y {
		y[i] = -1
		if v == d.Y[0] {
			y[i] = 1
		}
	}
	return labeled{X: d.X, Y: y}
}

// scaled maps every coordinate linearly so that the training rows lie between
// -1 and 1, as svm-scale does.
func scaled(train, test labeled) (labeled, labeled) {
	dim := data.Dim(train.X)
	low, high := make([]float64, dim), make([]float64, dim)
	for j := range dim {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
	}
	row := make([]float64, dim)
	for i := range train.X.Len() {
		train.X.At(i).CopyTo(row)
		for j, v := range row {
			low[j], high[j] = min(low[j], v), max(high[j], v)
		}
	}
	scale := func(d labeled) labeled {
		m := data.NewMatrix(d.X.Len(), dim)
		for i := range d.X.Len() {
			d.X.At(i).CopyTo(row)
			for j, v := range row {
				if low[j] < high[j] {
					// svm-scale writes six digits
					m.Row(i)[j], _ = strconv.ParseFloat(strconv.FormatFloat(-1+2*(v-low[j])/(high[j]-low[j]), 'g', 6, 64), 64)
				}
			}
		}
		return labeled{X: m, Y: d.Y}
	}
	return scale(train), scale(test)
}

func TestLibsvmSVM(t *testing.T) {
	heart := readFile(t, dataSet(t, "heart.libsvm"))
	for _, name := range []string{"heart", "heart-hard", "heart-weight", "heart-linear", "heart-poly", "heart-sigmoid"} {
		t.Run(name, func(t *testing.T) {
			f := figures(t)[name]
			s := kernelized.NewSVM(f.kernel(t))
			s.C, s.Tolerance = f.option(t, "-c", 1), 1e-5
			heart.Weight = make([]float64, len(heart.Y))
			for i, y := range heart.Y {
				heart.Weight[i] = f.option(t, "-w1", 1)
				if y < 0 {
					heart.Weight[i] = f.option(t, "-w-1", 1)
				}
			}
			e, r, err := s.Fit(t.Context(), heart)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, f, r)
			if math.Abs(e.Bias+f.Rho) > 1e-3*(1+math.Abs(f.Rho)) {
				t.Errorf("bias %v, want %v", e.Bias, -f.Rho)
			}
		})
	}
}

func TestLibsvmNu(t *testing.T) {
	heart := readFile(t, dataSet(t, "heart.libsvm"))
	for _, name := range []string{"heart-nu", "heart-nu-small"} {
		t.Run(name, func(t *testing.T) {
			f := figures(t)[name]
			s := kernelized.NewNuSVM(f.kernel(t))
			s.Nu, s.Tolerance = f.option(t, "-n", 0.5), f.option(t, "-e", 1e-5)
			e, r, err := s.Fit(t.Context(), heart)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, f, r)
			if math.Abs(e.Bias+f.Rho) > 1e-3*(1+math.Abs(f.Rho)) {
				t.Errorf("bias %v, want %v", e.Bias, -f.Rho)
			}
		})
	}
}

func TestLibsvmOneClass(t *testing.T) {
	for _, name := range []string{"heart-one", "concrete-one"} {
		t.Run(name, func(t *testing.T) {
			f := figures(t)[name]
			var x data.Source[data.Vector]
			if name == "heart-one" {
				x = readFile(t, dataSet(t, "heart.libsvm")).X
			} else {
				x = concrete(t).X
			}
			s := kernelized.NewOneClass(f.kernel(t))
			s.Nu, s.Tolerance = f.option(t, "-n", 0.5), 1e-5
			e, r, err := s.Fit(t.Context(), x, nil)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, f, r)
			if math.Abs(e.Bias+f.Rho) > 1e-5*f.Rho {
				t.Errorf("bias %v, want %v", e.Bias, -f.Rho)
			}
		})
	}
}

func TestLibsvmRegression(t *testing.T) {
	for _, name := range []string{"heart-svr", "concrete-svr", "concrete-nu-svr"} {
		t.Run(name, func(t *testing.T) {
			f := figures(t)[name]
			var d labeled
			if name == "heart-svr" {
				d = readFile(t, dataSet(t, "heart.libsvm"))
			} else {
				d = concrete(t)
			}
			var e *kernelized.Regression[data.Vector]
			var r learn.Report
			var err error
			if f.option(t, "-s", 3) == 4 {
				s := kernelized.NewNuSVR(f.kernel(t))
				s.C, s.Nu, s.Tolerance = f.option(t, "-c", 1), f.option(t, "-n", 0.5), 1e-5
				e, r, err = s.Fit(t.Context(), d)
			} else {
				s := kernelized.NewSVR(f.kernel(t))
				s.C, s.Epsilon, s.Tolerance = f.option(t, "-c", 1), f.option(t, "-p", 0.1), 1e-5
				e, r, err = s.Fit(t.Context(), d)
			}
			if err != nil {
				t.Fatal(err)
			}
			compare(t, f, r)
			if math.Abs(e.Bias+f.Rho) > 1e-3*(1+math.Abs(f.Rho)) {
				t.Errorf("bias %v, want %v", e.Bias, -f.Rho)
			}
		})
	}
}

// TestLibsvmGuide repeats the example of LIBSVM's guide: accuracies of 66.925%,
// 96.15% and 96.875% at a tolerance of 1e-3. The second is not that of the
// optimum, which LIBSVM has at 1e-5: one row of 4000, whose score is within the
// tolerance of 0, is on the other side there. The accuracies must be exactly
// those at both tolerances. The scaled problems end within the steps that are
// taken as LIBSVM takes them: of the second as many, of the third, where rounding
// leads to another pair at some point, about as many.
func TestLibsvmGuide(t *testing.T) {
	train, test := readFile(t, dataSet(t, "svmguide1.libsvm")), readFile(t, dataSet(t, "svmguide1.t.libsvm"))
	for i, y := range test.Y {
		test.Y[i] = -1
		if y == train.Y[0] {
			test.Y[i] = 1
		}
	}
	train = signs(train)
	closeTrain, closeTest := scaled(train, test)
	for name, want := range map[string]float64{"guide": 66.925, "guide-scaled": 96.15, "guide-tuned": 96.875} {
		t.Run(name, func(t *testing.T) {
			f := figures(t)[name]
			learnt, judged := closeTrain, closeTest
			if name == "guide" {
				learnt, judged = train, test
			}
			for _, tolerance := range []float64{1e-3, 1e-5} {
				s := kernelized.NewSVM(f.kernel(t))
				s.C, s.Tolerance = f.option(t, "-c", 1), tolerance
				e, r, err := s.Fit(t.Context(), learnt)
				if err != nil {
					t.Fatal(err)
				}
				if tolerance == 1e-5 {
					compare(t, f, r)
				} else if *f.Usual != want {
					t.Errorf("LIBSVM has %v right, and the guide %v", *f.Usual, want)
				}
				scores, _ := timed(t, e, s.Run, judged.X)
				right := 0
				for i, v := range scores {
					if (v >= 0) == (judged.Y[i] > 0) {
						right++
					}
				}
				wanted := want
				if tolerance == 1e-5 {
					wanted = *f.Accuracy
				}
				if accuracy := 100 * float64(right) / float64(len(scores)); math.Abs(accuracy-wanted) > 1e-9 {
					t.Errorf("tolerance %v: accuracy %v, want %v", tolerance, accuracy, wanted)
				}
				if tolerance == 1e-3 && name != "guide" {
					off := math.Abs(float64(r.Iterations - *f.Steps))
					if name == "guide-scaled" && off > 0 || off > 0.1*float64(*f.Steps) {
						t.Errorf("%d steps, LIBSVM takes %d", r.Iterations, *f.Steps)
					}
				}
			}
		})
	}
}

func TestLibsvmA9a(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 rows")
	}
	f := figures(t)["a9a"]
	d := readFile(t, dataSet(t, "a9a.libsvm"))
	d = labeled{X: data.Range[data.Vector]{Of: d.X, Lo: 0, Hi: 10000}, Y: d.Y[:10000]}
	s := kernelized.NewSVM(f.kernel(t))
	s.Tolerance = 1e-5
	_, r, err := s.Fit(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, f, r)
}

// TestLibsvmLetter has 26 classes and 325 pairs.
func TestLibsvmLetter(t *testing.T) {
	if testing.Short() {
		t.Skip("15,000 rows")
	}
	f := figures(t)["letter"]
	train, test := readFile(t, dataSet(t, "letter.libsvm")), readFile(t, dataSet(t, "letter.t.libsvm"))
	classes := func(d labeled) data.Labeled[data.Vector, int] {
		y := make([]int, len(d.Y))
		for i, v := range d.Y {
			y[i] = int(v) - 1
		}
		return data.Labeled[data.Vector, int]{X: d.X, Y: y}
	}
	s := kernelized.NewSVM(f.kernel(t))
	s.C, s.Tolerance = f.option(t, "-c", 1), 1e-5
	e, r, err := s.FitClasses(t.Context(), classes(train), 26)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, f, r)
	start := time.Now()
	predicted, err := e.PredictAll(t.Context(), s.Run, test.X)
	if err != nil {
		t.Fatal(err)
	}
	elapsed := time.Since(start)
	right := 0
	for i, c := range classes(test).Y {
		if predicted[i] == c {
			right++
		}
	}
	accuracy := 100 * float64(right) / float64(len(predicted))
	t.Logf("accuracy %v, LIBSVM %v, in %v", accuracy, *f.Accuracy, elapsed)
	// Ties in votes go to the class that comes first, which LIBSVM counts in the
	// order of the file.
	if math.Abs(accuracy-*f.Accuracy) > 1 {
		t.Errorf("accuracy %v, want about %v", accuracy, *f.Accuracy)
	}
}
