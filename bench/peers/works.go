package main

import "fmt"

// A work is one row of the page: what is done, on which data, and by whom.
type work struct {
	Group  string // of the page's table
	Name   string // as the contenders know it
	Title  string // %d stands for the rows
	Set    string // of data
	rows   [2]int // all, and with -quick; 0 for not at all
	Single bool   // in float32
	Peers  []string
	params map[string]any
	Value  string  // what a contender comes to; less is better
	Within float64 // how far a value may be from ours and still be as good
	short  bool    // takes so little that it is run more often
	above  bool    // peers do what they do for the work before
}

// id names the work among all.
func (w work) id() string {
	name := w.Name + "-" + w.Set
	if w.Single {
		name += "-32"
	}
	return name
}

// called reports whether a name is that of the work, or of its group.
func (w work) called(name string) bool { return w.id() == name || w.Group == name }

// shares reports whether the work can be done by the processes of the other, which
// then have its data, and what they trained.
func (w work) shares(o work) bool {
	return w.Set == o.Set && w.rows == o.rows && w.Single == o.Single && w.Group == o.Group
}

func (w work) precision() string {
	if w.Single {
		return "float32"
	}
	return "float64"
}

// job is what a contender is told to do.
func (w work) job(dir string) map[string]any {
	job := map[string]any{"work": w.Name, "dir": dir, "precision": w.precision(), "threads": threads}
	for key, value := range w.params {
		job[key] = value
	}
	return job
}

const (
	sklearn    = "scikit-learn"
	intelex    = "scikit-learn-intelex"
	numpy      = "numpy"
	torch      = "PyTorch"
	keops      = "KeOps"
	libsvm     = "LIBSVM"
	thunder    = "ThunderSVM"
	liblinear  = "LIBLINEAR"
	falkon     = "Falkon"
	xrfm       = "xRFM"
	pandas     = "pandas"
	polars     = "polars"
	pyarrow    = "pyarrow"
	boosting   = "HistGradientBoosting"
	onnx       = "onnxruntime"
	ourselves  = "kerf"
	blockRows  = 10_000
	svmTrain   = "svm"
	svmPredict = "svm-predict"
)

var (
	machines  = []string{intelex, libsvm, thunder, sklearn}
	byRows    = map[string]any{"gamma": 0.01}
	byPixels  = map[string]any{"gamma": 0.5 / 784}
	clustered = machine(1, 0.05, true)
	smooth    = 1.0 / 32
)

func machine(c, gamma float64, two bool) map[string]any {
	return map[string]any{"C": c, "gamma": gamma, "two": two, "calls": 1000}
}

func mapped(out int, gamma float64) map[string]any { return map[string]any{"out": out, "gamma": gamma} }

var works = join(blocks, maps, supportVectors(), separators, ridges, texts, tables)

func join(lists ...[]work) []work {
	var all []work
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

var (
	blockPeers   = []string{sklearn, numpy, torch}
	productPeers = []string{numpy, torch, keops}
)

// Works on the same rows stand together, so that their processes are shared.
var blocks = []work{
	ofBlock("block", "RBF block %d × 2,000, d = 50", "points50", true, blockPeers, "mean"),
	ofBlock("product", "K·v %d × 2,000, d = 50, without K", "points50", true, productPeers, "norm"),
	ofBlock("block", "RBF block %d × 2,000, d = 50", "points50", false, blockPeers, "mean"),
	ofBlock("product", "K·v %d × 2,000, d = 50, without K", "points50", false, productPeers, "norm"),
	ofBlock("block", "RBF block %d × 2,000, d = 784", "points784", true, blockPeers, "mean"),
}

func ofBlock(name, title, set string, single bool, peers []string, value string) work {
	w := work{Group: "blocks of K", Name: name, Title: title, Set: set, rows: [2]int{blockRows, blockRows}, Single: single,
		Peers: peers, params: byRows, Value: value, Within: 1e-9, short: true}
	if single {
		w.Within = 1e-4
	}
	if set == "points784" {
		w.params = byPixels
	}
	return w
}

var maps = []work{
	ofMap("f2", "F2, fit and map, %d × 50, 1,000 landmarks", true, mapped(1000, 0.01)),
	ofMap("fourier", "Fourier features %d × 50 → 2,000", true, mapped(2000, 0.01)),
	ofMap("sketch", "TensorSketch, degree 2, %d × 50 → 1,000", true, mapped(1000, 0)),
	ofMap("f2", "F2, fit and map, %d × 50, 1,000 landmarks", false, mapped(1000, 0.01)),
	ofMap("fourier", "Fourier features %d × 50 → 2,000", false, mapped(2000, 0.01)),
	ofProjection("gaussian", "Gaussian projection %d × 784 → 256"),
	ofProjection("thin", "sparse projection %d × 784 → 256"),
}

// ofMap returns the work of a map, whose value is random: that of F2 depends on the
// landmarks, others are drawn.
func ofMap(name, title string, single bool, params map[string]any) work {
	return work{Group: "maps", Name: name, Title: title, Set: "points50", rows: [2]int{100_000, 20_000}, Single: single,
		Peers: []string{sklearn}, params: params, Value: "mean error of K", Within: 0.1}
}

func ofProjection(name, title string) work {
	return work{Group: "maps", Name: name, Title: title, Set: "points784", rows: [2]int{100_000, 10_000}, Single: true,
		Peers: []string{sklearn}, params: mapped(256, 0), Value: "mean error of lengths", Within: 0.2}
}

// supportVectors returns the works of C-SVC: training, all predictions, and
// predictions one at a time by what was trained.
func supportVectors() []work {
	sets := []struct {
		name, title string
		rows        [2]int
		params      map[string]any
		one         bool
	}{
		{"clusters", "clusters, %d × 20, 4 %% wrong labels", [2]int{5_000, 5_000}, clustered, true},
		{"noisy", "clusters, %d × 20, 15 %% wrong labels", [2]int{20_000, 5_000}, clustered, false},
		{"noisy", "clusters, %d × 20, 15 %% wrong labels", [2]int{80_000, 0}, clustered, false},
		{"a9a", "a9a, %d × 123", [2]int{32_561, 4_000}, machine(1, 0.05, true), false},
		{"ijcnn1", "ijcnn1, %d × 22", [2]int{49_990, 10_000}, machine(32, 2, true), false},
		{"letter", "letter, %d × 16, 26 classes", [2]int{15_000, 4_000}, machine(16, 4, false), false},
		{"covtype", "covtype, %d × 54, 7 classes", [2]int{15_000, 3_000}, machine(10, 0.1, false), false},
	}
	var all []work
	for _, s := range sets {
		value, within := "dual objective", 1e-3
		if s.params["two"] == false {
			value, within = "test error", 0.02
		}
		train := work{Group: "C-SVC", Name: svmTrain, Title: "train: " + s.title, Set: s.name, rows: s.rows, Peers: machines,
			params: s.params, Value: value, Within: within}
		predict := train
		predict.Name, predict.Value, predict.Within = svmPredict, "test error", 0.02
		predict.Title = "predict by it: " + s.title
		all = append(all, train, predict)
		if s.one {
			one := predict
			one.Name, one.Peers = "svm-one", []string{libsvm, onnx, sklearn}
			one.Title = "predict 1,000 rows, one a call: " + s.title
			all = append(all, one)
		}
	}
	return all
}

// separators are of C = 1 and without a bias. The tolerances are those that bring
// each to the objective; LIBLINEAR's primal solver is the faster one on dense rows.
var separators = []work{
	{Group: "linear", Name: "linear", Title: "linear SVM, squared hinge, %d × 1,000 dense", Set: "dense",
		rows: [2]int{200_000, 20_000}, Peers: []string{liblinear, sklearn},
		params: map[string]any{"dual": false, "eps": 0.01}, Value: "objective", Within: 1e-3},
	{Group: "linear", Name: "logistic", Title: "logistic, %d × 1,000 dense", Set: "dense", rows: [2]int{200_000, 20_000},
		Peers:  []string{liblinear, sklearn, intelex},
		params: map[string]any{"dual": false, "eps": 0.01, "slope": 1e-4}, Value: "objective", Within: 1e-3},
	{Group: "linear", Name: "linear", Title: "linear SVM, squared hinge, %d × 50,000 sparse", Set: "sparse",
		rows: [2]int{100_000, 50_000}, Peers: []string{liblinear, sklearn},
		params: map[string]any{"dual": true, "eps": 0.3, "cols": 50_000}, Value: "objective", Within: 1e-3},
	{Group: "linear", Name: "logistic", Title: "logistic, %d × 50,000 sparse", Set: "sparse",
		rows:   [2]int{100_000, 50_000},
		Peers:  []string{liblinear, sklearn},
		params: map[string]any{"dual": true, "eps": 0.1, "slope": 1e-4, "cols": 50_000}, Value: "objective", Within: 1e-3},
}

var ridges = []work{
	{Group: "ridge", Name: "ridge", Title: "kernel ridge, %d × 20", Set: "waves", rows: [2]int{10_000, 4_000},
		Peers: []string{numpy, sklearn}, params: map[string]any{"penalty": 0.1, "gamma": smooth}, Value: "test error",
		Within: 1e-3},
	{Group: "ridge", Name: "falkon", Title: "Falkon's scheme, %d × 20, 2,000 landmarks, 20 steps", Set: "waves",
		rows: [2]int{200_000, 30_000}, Single: true, Peers: []string{numpy, falkon},
		params: map[string]any{"penalty": 1e-6, "gamma": smooth, "steps": 20}, Value: "test error", Within: 1e-2},
	{Group: "ridge", Name: "metric", Title: "learned metric, california, %d × 8, 4 rounds", Set: "california",
		rows: [2]int{6_000, 2_000}, Peers: []string{xrfm}, params: map[string]any{"rounds": 4}, Value: "test error",
		Within: 0.05},
}

var texts = []work{
	{Group: "strings", Name: "text", Title: "sms, %d texts, n-grams of 2 to 5", Set: "sms", rows: [2]int{4_000, 4_000},
		Peers: []string{sklearn}, params: map[string]any{"aligned": 0, "C": 1.0}, Value: "test error", Within: 0.15},
	{Group: "strings", Name: "text", Title: "splice, %d × 60 letters, runs of up to 5 at each place", Set: "splice",
		rows: [2]int{2_300, 2_300}, Peers: []string{sklearn}, params: map[string]any{"aligned": 5, "C": 0.01},
		Value: "test error", Within: 0.15},
	{Group: "strings", Name: "text", Title: "celegans, %d × 398 letters, runs of up to 5 at each place", Set: "celegans",
		rows: [2]int{20_000, 3_000}, Peers: []string{sklearn}, params: map[string]any{"aligned": 5, "C": 0.01},
		Value: "test error", Within: 0.15},
}

var tables = []work{
	{Group: "tables", Name: "csv", Title: "read CSV, %d × 51 numbers", Set: "tables", rows: [2]int{400_000, 150_000},
		Peers: []string{polars, pyarrow, pandas}, Value: "sum", Within: 1e-9},
	{Group: "tables", Name: "parquet", Title: "read Parquet, %d × 51 numbers", Set: "tables",
		rows:  [2]int{400_000, 150_000},
		Peers: []string{polars, pyarrow, pandas}, Value: "sum", Within: 1e-9},
	{Group: "tables", Name: "libsvm", Title: "read LIBSVM, %d × 50 numbers", Set: "tables", rows: [2]int{400_000, 150_000},
		Peers: []string{sklearn}, Value: "sum", Within: 1e-9},
	{Group: "tables", Name: "auto", Title: "adult, %d rows of mixed columns, nothing chosen: file to tested model",
		Set: "adult", rows: [2]int{32_561, 5_000}, Peers: []string{sklearn, boosting}, Value: "test error", Within: 0.02},
	{Group: "tables", Name: "auto-quick", Title: "adult, %d rows, --effort quick",
		Set: "adult", rows: [2]int{32_561, 5_000}, Peers: []string{sklearn, boosting}, Value: "test error", Within: 0.02,
		above: true},
}

// A growth is a work at n, 2n, 4n and 8n rows.
type growth struct {
	work
	least [2]int // n, all and with -quick
}

const growthGroup = "growth"

func (g growth) id() string { return fmt.Sprintf("growth-%s", g.Name) }

var growths = []growth{
	{work{Name: "product", Title: "K·v, 2,000 columns, d = 50", Set: "points50", Single: true,
		Peers: []string{numpy, torch}, params: byRows, Value: "norm"}, [2]int{20_000, 10_000}},
	{work{Name: "chain", Title: "F2 of 500 landmarks and a linear SVM, d = 20", Set: "clusters", Single: true,
		Peers: []string{sklearn}, params: mapped(500, 0.05), Value: "test error"}, [2]int{25_000, 5_000}},
	{work{Name: "svm", Title: "C-SVC, 15 % wrong labels, d = 20", Set: "noisy",
		Peers: []string{intelex, libsvm, sklearn}, params: clustered, Value: "dual objective"}, [2]int{2_500, 1_000}},
	{work{Name: "linear", Title: "linear SVM, 50,000 sparse columns", Set: "sparse", Peers: []string{liblinear, sklearn},
		params: map[string]any{"dual": true, "eps": 0.3, "cols": 50_000}, Value: "objective"}, [2]int{12_500, 6_250}},
	{work{Name: "ridge", Title: "kernel ridge, d = 20", Set: "waves", Peers: []string{numpy, sklearn},
		params: map[string]any{"penalty": 0.1, "gamma": smooth}, Value: "test error"}, [2]int{1_250, 750}},
}
