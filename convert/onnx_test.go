package convert_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/kernel"
)

// runtimes are the packages that run graphs, pinned: the folder of the environment is
// named for them.
var runtimes = []string{"onnx==1.23.2", "onnxruntime==1.31.1", "numpy==2.4.6"}

// environment returns a Python that has them, made once in the user's cache.
func environment(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it may install Python packages")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("there is no folder for caches: ", err)
	}
	dir := filepath.Join(cache, "kerf-onnx", strings.ReplaceAll(strings.Join(runtimes, "_"), "=", ""))
	python := filepath.Join(dir, "bin", "python")
	if _, err := os.Stat(filepath.Join(dir, "whole")); err == nil {
		return python
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "python3", "-m", "venv", dir).CombinedOutput(); err != nil {
		t.Skipf("Python makes no environment: %v: %.300s", err, out)
	}
	install := append([]string{"-m", "pip", "install", "-q", "--disable-pip-version-check"}, runtimes...)
	if out, err := exec.CommandContext(ctx, python, install...).CombinedOutput(); err != nil {
		t.Skipf("pip installs no onnxruntime: %v: %.300s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "whole"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return python
}

// graph is a model that was converted, and what kerf predicts of some rows.
type graph struct{ name, model, said, data string }

// checked is what the script found.
type checked struct {
	Rows          int     `json:"rows"`
	Labels        int     `json:"labels"`
	Scores        float64 `json:"scores"`
	Size          float64 `json:"size"`
	Probabilities float64 `json:"probabilities"`
	Error         string  `json:"error"`
}

// runGraphs checks graphs, all in one process, and holds them to a largest difference.
func runGraphs(t *testing.T, python string, most int, allowed float64, graphs []graph) []checked {
	t.Helper()
	args := []string{"testdata/check.py"}
	for _, g := range graphs {
		args = append(args, g.model, g.said, g.data, fmt.Sprint(most))
	}
	out, err := exec.CommandContext(t.Context(), python, args...).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var all []checked
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var c checked
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if c.Error != "" || c.Rows == 0 || c.Labels > 0 || !(c.Scores <= allowed) || !(c.Probabilities <= allowed) {
			t.Errorf("%s: %+v", graphs[i].name, c)
		}
		all = append(all, c)
	}
	if len(all) != len(graphs) {
		t.Fatalf("%d of %d graphs were checked", len(all), len(graphs))
	}
	return all
}

// converted trains a model, converts it and predicts.
func converted(t *testing.T, dir, name, train, test string, flags []string, how ...string) graph {
	t.Helper()
	g := graph{name: name, model: filepath.Join(dir, name+".onnx"), said: filepath.Join(dir, name+".json"), data: test}
	if !filepath.IsAbs(test) {
		g.data = filepath.Join(dir, test)
	}
	kerf(t, dir, append([]string{"train", train, "-q", "-o", "@" + name + ".kerf"}, flags...)...)
	kerf(t, dir, "convert", "@"+name+".kerf", "-o", g.model, "-q")
	if how == nil {
		how = []string{"--scores"}
	}
	said := kerf(t, dir, append([]string{"predict", "@" + name + ".kerf", g.data, "--json", "-q"}, how...)...)
	if err := os.WriteFile(g.said, []byte(said), 0o600); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestGraphsOfVectors: each kernel, map, learner and scale, as onnxruntime runs it.
func TestGraphsOfVectors(t *testing.T) {
	python, dir := environment(t), samples(t)
	counts(t, filepath.Join(dir, "counts"))
	// Linear maps of fewer coordinates than rows have, and of more.
	narrow := kernel.NewDiagonal([]float64{1, 0.5, 2, 0, 1.5}).String()
	wide := kernel.NewMetric(&data.Matrix{Rows: 2, Cols: 14, Data: []float64{
		0, 1, 0, 2, 0, 0.25, 0, 1, 0, 0.5, 0, 0, 0, 1, 0, 0, 0, -1, 0, 1, 0, 2, 0, 0.5, 0, 0, 0, 3,
	}}).String()
	var graphs []graph
	for i, c := range []struct {
		classes int
		flags   string
		proba   bool
	}{
		// kernels
		{2, "--kernel linear --map f1 --dim 20 --learner svm --C 1", false},
		{2, "--kernel poly(degree=3,coef=1,gamma=0.2) --map f2 --dim 20 --learner svm --C 1", false},
		{2, "--kernel laplace(gamma=0.3) --map f2 --dim 40 --learner svm --C 1", false},
		{2, "--kernel sigmoid(gamma=0.1,coef=0.1) --map f1 --dim 20 --learner svm --C 1", false},
		{2, "--kernel sigmoid(gamma=0.1) --map f2 --dim 20 --repair clip --learner svm --C 1", false},
		{2, "--kernel cosine --map f2 --dim 20 --learner svm --C 1", false},
		{2, "--kernel min --map f2 --dim 20 --learner svm --C 1", false},
		{2, "--kernel chi2(gamma=0.4) --map f2 --dim 20 --learner svm --C 1", false},
		{2, "--kernel matern(nu=0.5,length=2) --map f2 --dim 40 --learner svm --C 1", false},
		{2, "--kernel matern(nu=1.5,length=2) --map f2 --dim 40 --learner svm --C 1", false},
		{2, "--kernel matern(nu=2.5,length=2) --map f2 --dim 40 --learner svm --C 1", false},
		{2, "--kernel stretched(q=0.7,length=2) --map f2 --dim 40 --learner svm --C 1", false},
		{2, "--kernel rq(alpha=0.5,length=2) --map f2 --dim 40 --learner svm --C 1", false},
		{2, "--kernel learned(rbf(gamma=0.5),metric=" + narrow + ") --map f2 --dim 20 --learner svm --C 1", false},
		{2, "--kernel learned(laplace(gamma=0.5),metric=" + wide + ") --map f2 --dim 20 --learner svm --C 1", false},
		{2, "--kernel rbf(gamma=0.1)+0.5*linear*laplace(gamma=0.2)+1 --map f2 --dim 40 --learner svm --C 1", false},
		{2, "--kernel normalize(linear+rbf(gamma=1)) --map f2 --dim 30 --learner svm --C 1", false},
		{2, "--kernel normalize(poly(degree=2))^2 --map f2 --dim 30 --learner svm --C 1", false},
		{2, "--kernel exp(0.1*linear) --map f2 --dim 30 --learner svm --C 1", false},
		{2,
			"--kernel block(from=0,to=4,rbf(gamma=0.5))+block(from=4,to=10,linear) --map f2 --dim 30 --learner svm --C 1",
			false},
		// maps
		{2, "--kernel rbf(gamma=0.3) --map f3 --dim 20 --learner svm --C 1", false},
		{2, "--kernel rbf(gamma=0.3) --map fourier --dim 40 --learner svm --C 1", false},
		{2, "--kernel laplace(gamma=0.3) --map fourier --dim 40 --learner svm --C 1", false},
		{2, "--kernel rbf(gamma=0.3) --map orf --dim 40 --learner svm --C 1", false},
		{2, "--kernel poly(degree=2,coef=1) --map sketch --dim 37 --learner svm --C 0.01", false},
		{2, "--kernel poly(degree=3,coef=0.5,gamma=0.3) --map sketch --dim 64 --learner svm --C 0.01", false},
		{2, "--kernel poly(degree=3,coef=1,gamma=0.1) --map monomials --learner svm --C 0.1", false},
		{2, "--kernel poly(degree=2,coef=0) --map monomials --learner svm --C 0.1", false},
		{2, "--kernel rbf(gamma=0.05) --map taylor --learner svm --C 1", false},
		{2, "--kernel rbf(gamma=0.3) --map direct --learner svm --C 1", false},
		{2, "--kernel rbf(gamma=0.3) --map lift --dim 20 --learner svm --C 1", false},
		{2, "--map project --dim 4 --learner svm --C 1", false},
		{2, "--map none --learner svm --C 1", false},
		// learners and heads
		{4, "--map none --learner logistic --C 1", false},
		{4, "--kernel rbf(gamma=0.3) --learner kernel-svm --C 1", false},
		{4, "--kernel rbf(gamma=0.3) --learner kernel-svm(pairs=false) --C 1", false},
		{4, "--kernel rbf(gamma=0.3) --learner centroid", false},
		{4, "--kernel rbf(gamma=0.3) --map f2 --dim 30 --learner boost", false},
		{2, "--map none --learner boost", false},
		{4, "--map none --learner boost-halfspace", false},
		{2, "--kernel rbf(gamma=0.3) --learner one-class", false},
		{0, "--kernel rbf(gamma=0.3) --learner svr --C 1 --task regress", false},
		{0, "--kernel laplace(gamma=0.3) --learner kernel-ridge --lambda 0.1 --task regress", false},
		{0, "--kernel rbf(gamma=0.3) --learner falkon --task regress", false},
		// probabilities
		{2, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1 --calibrate platt", true},
		{2, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1 --calibrate isotonic", true},
		{4, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1 --calibrate temperature", true},
		{4, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1 --calibrate platt", true},
		{4, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1 --calibrate isotonic", true},
		// scales
		{2, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1 --scale standard", false},
		{2, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1 --scale range", false},
		{2, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1 --scale robust", false},
		{2, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1 --scale log", false},
		{2, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1 --scale quantile", false},
		{2, "--kernel rbf(gamma=0.3) --map f2 --dim 40 --learner svm --C 1 --scale mixed", false},
		{-1, "--map none --learner svm --C 1 --scale tfidf", false},
	} {
		train, test := fmt.Sprintf("train%d", c.classes), fmt.Sprintf("test%d", c.classes)
		if c.classes < 0 {
			train, test = "counts", "counts"
		}
		var how []string
		if c.proba {
			how = []string{"--proba"}
		}
		g := converted(t, dir, fmt.Sprintf("v%d", i), "@"+train, test, strings.Fields(c.flags), how...)
		g.name = c.flags
		graphs = append(graphs, g)
	}
	// Sums of a few hundred products of numbers up to about 1e5, which F2 takes from the
	// inverse of its triangle: 1e-16·1e5·1e2.
	runGraphs(t, python, 1_000_000, 1e-9, graphs)
}

// counts writes rows of counts of terms.
func counts(t *testing.T, path string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	var b strings.Builder
	for i := range 100 {
		fmt.Fprint(&b, i%2)
		for j := range 30 {
			if rng.IntN(4) == 0 {
				fmt.Fprintf(&b, " %d:%d", j+1, 1+rng.IntN(1+4*((i+j)%2)))
			}
		}
		b.WriteString("\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestGraphsOfTables: columns of numbers, categories and what is missing.
func TestGraphsOfTables(t *testing.T) {
	python, dir := environment(t), t.TempDir()
	rng := rand.New(rand.NewPCG(9, 9))
	towns := make([]string, 70)
	for i := range towns {
		towns[i] = fmt.Sprintf("town %c%d é", 'a'+i%26, i)
	}
	for _, name := range []string{"train.csv", "test.csv"} {
		var b strings.Builder
		b.WriteString("scores,height,level,town,label,why\n")
		for range 400 {
			cells := []string{fmt.Sprintf("%.3f", rng.NormFloat64()*10), fmt.Sprintf("%.3f", rng.ExpFloat64()),
				fmt.Sprint(1 + rng.IntN(3)), towns[rng.IntN(len(towns))], []string{"low", "mid", "high"}[rng.IntN(3)]}
			out := "no"
			if rng.Float64() < 0.3 || cells[4] == "high" {
				out = "yes"
			}
			for j := range cells {
				if rng.IntN(12) == 0 {
					cells[j] = []string{"", "NA", "?"}[rng.IntN(3)]
				}
			}
			if name == "test.csv" && rng.IntN(20) == 0 {
				cells[3] = "elsewhere"
			}
			b.WriteString(strings.Join(cells, ",") + "," + out + "\n")
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var graphs []graph
	for i, flags := range []string{
		"--effort least",
		"--kernel rbf --map f2 --dim 50 --learner svm --C 1 --scale quantile --categories target",
		"--kernel laplace(gamma=0.1) --map f2 --dim 50 --learner svm --C 1 --scale log --categories auto",
		"--kernel rbf --map f2 --dim 50 --learner logistic --C 1 --scale mixed --conformal 0.2",
		"--map none --learner svm --C 1 --scale none", "--map none --learner boost",
	} {
		g := converted(t, dir, fmt.Sprintf("t%d", i), "@train.csv", "test.csv", append(strings.Fields(flags),
			"--target", "why"),
			"--scores", "--keep", "all")
		g.name = flags
		graphs = append(graphs, g)
	}
	runGraphs(t, python, 1_000_000, 1e-9, graphs)
}

var long = flag.Bool("long", false, "convert models of all data sets, not the small ones alone: many minutes")

// TestGraphsOfData: models of the public data sets, as kerf train --effort least picks
// them, give the scores of kerf to 1e-5 in onnxruntime.
func TestGraphsOfData(t *testing.T) {
	python, dir := environment(t), t.TempDir()
	folder := os.Getenv("KERF_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	var graphs []graph
	for _, c := range []struct {
		name, train, test, labels string
		long                      bool
	}{
		{"heart", "heart.libsvm", "heart.libsvm", "", false}, {"sonar", "sonar.csv", "sonar.csv", "", false},
		{"zoo", "zoo.csv", "zoo.csv", "", false}, {"house-votes", "house-votes.csv", "house-votes.csv", "", false},
		{"svmguide1", "svmguide1.libsvm", "svmguide1.t.libsvm", "", false}, {"concrete", "concrete.csv", "concrete.csv",
			"", true},
		{"california", "california.csv", "california.csv", "", true}, {"a9a", "a9a.libsvm", "a9a.t.libsvm", "", true},
		{"adult", "adult.csv", "adult.t.csv", "", true}, {"letter", "letter.libsvm", "letter.t.libsvm", "", true},
		{"covtype", "covtype20k.csv", "covtype20k.csv", "", true}, {"kin40k", "kin40k.csv", "kin40k.csv", "", true},
		{"ijcnn1", "ijcnn1.libsvm", "ijcnn1.t.libsvm", "", true}, {"news20", "news20.libsvm", "news20.libsvm", "", true},
		{"mnist", "mnist-train-images.idx", "mnist-test-images.idx", "mnist-train-labels.idx", true},
	} {
		train, test := filepath.Join(folder, c.train+".gz"), filepath.Join(folder, c.test+".gz")
		if c.long && !*long {
			continue
		}
		if _, err := os.Stat(train); err != nil {
			t.Logf("data set %s is not here; KERF_DATA names the folder of the data sets", c.train)
			continue
		}
		flags, how := []string{"--effort", "least"}, []string{"--scores"}
		if c.labels != "" {
			flags = append(flags, "--labels", filepath.Join(folder, c.labels+".gz"))
		}
		if strings.HasSuffix(c.test, ".csv") {
			how = append(how, "--keep", "all")
		}
		graphs = append(graphs, converted(t, dir, c.name, train, test, flags, how...))
	}
	if graphs == nil {
		t.Skip("no data set is here")
	}
	for i, c := range runGraphs(t, python, 1_000_000, 1e-5, graphs) {
		t.Logf("%s: scores up to %.3g, to within %.2g on %d rows", graphs[i].name, c.Size, c.Scores, c.Rows)
	}
}
