//go:build unix

package torture

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// apart are commands that are not fuzzed: those that serve until they are ended,
// and one that is long by nature.
var apart = []string{"serve", "lab", "repro", "completion"}

// verb is a command as its own help describes it.
type verb struct {
	name  string
	takes []string // words of its usage that stand for arguments
	flags []flagOf
}

type flagOf struct{ name, kind string } // the kind is "" of one without a value

var (
	commandLine = regexp.MustCompile(`(?m)^  ([a-z]+) +[A-Z]`)
	flagLine    = regexp.MustCompile(`(?m)^ +(?:-\w, |    )--([A-Za-z-]+)(?: ([a-z]+))?  +\S`)
	usageLine   = regexp.MustCompile(`(?m)^  kerf \S+(.*)$`)
)

// verbs asks the program for its commands and flags.
func verbs(t *testing.T) []verb {
	t.Helper()
	var all []verb
	for _, m := range commandLine.FindAllSubmatch(run(home, nil, "help").stdout, -1) {
		v := verb{name: string(m[1])}
		if slices.Contains(apart, v.name) {
			continue
		}
		text := run(home, nil, "help", v.name).stdout
		if u := usageLine.FindSubmatch(text); u != nil {
			for word := range strings.FieldsSeq(string(u[1])) {
				if word != strings.ToUpper(word) || word[0] < 'A' || word[0] > 'Z' {
					break // a flag, or another way to call it
				}
				v.takes = append(v.takes, word)
			}
		}
		for _, f := range flagLine.FindAllSubmatch(text, -1) {
			if name := string(f[1]); name != "checkpoint" || v.name != "cv" {
				v.flags = append(v.flags, flagOf{name, string(f[2])})
			}
		}
		all = append(all, v)
	}
	if len(all) < 10 {
		t.Fatalf("the help of the program names %d commands", len(all))
	}
	return all
}

// values are what flags of text take, by the flag's name; of others, all of them.
var values = map[string][]string{
	"kernel": {"rbf", "rbf(gamma=0.5)", "rbf(sigma=2)", "linear", "poly(degree=2,coef=1)", "laplace(gamma=1)",
		"sigmoid", "cosine", "min", "chi2", "spectrum(k=2)", "degree(d=3)", "substring", "mismatch(k=3,m=1)",
		"subsequence(k=2,decay=0.5)",
		"jaccard", "intersection", "conjunction(degree=2)", "normalize(poly(degree=3,coef=1,gamma=1))", "2*rbf+linear",
		"rbf^2*linear", "rbf(gamma=1e308)", "poly(degree=99,coef=1)", "exec:cat", "exec:false", "exec:/dev/null", "exec:",
		"wasm:module.wasm", "wasm:/dev/zero", "wasm:none"},
	"map": {"f1", "f2", "f3", "fourier", "orf", "sketch", "monomials", "none", "f2(dim=5,select=kmeans)", "f2(dim=-1)"},
	"learner": {"svm", "ridge", "logistic", "perceptron", "boost", "lp", "kernel-svm", "kernel-perceptron", "kernel-sgd",
		"kernel-ridge", "centroid", "svr", "one-class", "svm(C=10)", "margin-perceptron", "hard-margin"},
	"select":       {"uniform", "rpcholesky", "kmeans", "greedy"},
	"projection":   {"gaussian", "sign", "sparse", "hadamard"},
	"repair":       {"clip", "flip", "shift", "none"},
	"calibrate":    {"platt", "isotonic", "temperature", "none"},
	"task":         {"classify", "regress"},
	"scale":        {"none", "standard", "range", "auto"},
	"as":           {"vectors", "strings", "sets"},
	"header":       {"auto", "yes", "no", "skip"},
	"search":       {"grid", "random", "halving"},
	"target":       {"first", "last", "none", "label", "1", "2", "99"},
	"text":         {"1", "2", "colour", "label"},
	"drop":         {"1", "x1", "1,2", "label"},
	"weight":       {"1", "x2", "size"},
	"class-weight": {"balanced", "1=2", "red=0", "-1=3,1=1"},
	"precision":    {"float64", "float32"},
	"loss":         {"hinge", "squared-hinge", "logistic", "epsilon"},
	"metric":       {"error", "auc", "rmse", "f1"},
	"max-memory":   {"1MB", "20MB", "500MB", "2GiB", "1", "0"},
	"time":         {"1ms", "100ms", "1s", "-1s", "0"},
}

// written are the names of outputs, by command, and of other files by flag; inputs
// are the flags that name a file to read, with one of the kind; needed are flags
// that a command does not do without.
var (
	written = map[string][]string{"train": {"out.kerf"}, "tune": {"out.kerf"}, "demo": {"out.html"},
		"predict": {"out.txt"}, "map": {"out.csv", "out.npy", "out.parquet", "out.arrow", "out.libsvm"},
		"report": {"out.html"}, "html": {"out.html"},
		"checkpoint": {"out.state"}, "": {"out.csv"}}
	needed = map[string][]string{"check": {"kernel"}, "margin": {"kernel"}, "plan": {"margin", "error", "confidence"}}
	inputs = map[string]string{"labels": "labels.txt", "weights": "weights.txt", "test": "", "test-labels": "labels.txt",
		"test-weights": "weights.txt", "groups": "weights.txt"}
	small = []string{"1", "2", "3", "5", "8", "10", "20"}
	large = []string{"0", "-1", "1000", "2147483647", "2147483648", "9223372036854775807",
		"-9223372036854775808", "1e3", "99999"}
	parts = []string{"0.5", "0.1", "0.9", "0.01", "0.2"}
	rare  = []string{"0", "1", "2", "-1", "1e-300", "1e300", "NaN", "Inf", "1e-9", "100"}
)

// seldom are commands that take seconds, or hardly do anything: tried once in so
// many times.
var seldom = map[string]int{"demo": 100, "repro": 100, "help": 8, "version": 8, "plan": 3, "gen": 2, "inspect": 2}

// fuzzer makes up command lines.
type fuzzer struct {
	c     *corpus
	verbs []verb
	names []string // of data
	kinds []string // of models
}

// choose returns one of a list.
func choose[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// attempt makes up a run: a command with arguments and flags that fit more often
// than not, and then mutates arguments and files.
func (f *fuzzer) attempt(r *rand.Rand) attempt {
	v := choose(r, f.verbs)
	for often, ok := seldom[v.name]; ok && r.IntN(often) > 0; often, ok = seldom[v.name] {
		v = choose(r, f.verbs)
	}
	a := attempt{before: files{}, args: []string{v.name}, outputs: []string{"kerf-demo.html"}}
	data := choose(r, f.names)
	for _, word := range v.takes {
		switch {
		case word == "MODEL" && r.IntN(8) > 0:
			m := choose(r, f.kinds)
			for n, b := range f.c.models[m] {
				a.before[n] = b
				if n != m && r.IntN(6) > 0 {
					data = n
				}
			}
			a.args = append(a.args, m)
		case word == "NAME":
			a.args = append(a.args, choose(r, []string{"circle", "xor", "rings", "moons", "interval", "interleaved", "halfspace",
				"baskets", "signatures", "hidden", "none"}))
		case word == "COMMAND":
			a.args = append(a.args, choose(r, f.verbs).name)
		default:
			a.args = append(a.args, data)
			a.before[data] = f.c.data[data]
		}
	}
	if v.name == "map" && r.IntN(2) == 0 {
		a.args = []string{"map", "--fit", data}
		a.before[data] = f.c.data[data]
	}
	f.addFlags(r, v, &a)
	f.disturb(r, &a)
	for name, b := range a.before {
		a.unsure = a.unsure || notWord.Match(b) && name != "module.wasm"
	}
	a.unsure = a.unsure || a.has("--set") || notWord.MatchString(strings.Join(a.args, " "))
	return a
}

// addFlags adds some flags of the command with values.
func (f *fuzzer) addFlags(r *rand.Rand, v verb, a *attempt) {
	flags := slices.DeleteFunc(slices.Clone(v.flags), func(f flagOf) bool {
		return !slices.Contains(needed[v.name], f.name) || r.IntN(20) == 0
	})
	for range r.IntN(1 + r.IntN(6)) {
		flags = append(flags, choose(r, v.flags))
	}
	for _, flag := range flags {
		if flag.name == "help" && r.IntN(20) > 0 {
			continue
		}
		name := "--" + flag.name
		if flag.name == "output" || written[flag.name] != nil {
			names := written[flag.name]
			if names == nil {
				names = written[v.name]
			}
			if names == nil {
				names = written[""]
			}
			out := choose(r, names)
			a.outputs = append(a.outputs, out)
			a.args = append(a.args, name, out)
			if r.IntN(3) == 0 && flag.name != "checkpoint" {
				a.before[out] = []byte("what was there\n")
			}
			continue
		}
		if file, ok := inputs[flag.name]; ok {
			if file == "" || r.IntN(5) == 0 {
				file = choose(r, f.names)
			}
			a.before[file] = f.c.data[file]
			a.args = append(a.args, name, file)
			continue
		}
		switch flag.kind {
		case "":
			a.args = append(a.args, name)
		case "int", "uint":
			if r.IntN(12) == 0 {
				a.args = append(a.args, name, choose(r, large))
			} else {
				a.args = append(a.args, name, choose(r, small))
			}
		case "float":
			if r.IntN(8) == 0 {
				a.args = append(a.args, name, choose(r, rare))
			} else {
				a.args = append(a.args, name, choose(r, parts))
			}
		default:
			known, ok := values[flag.name]
			if !ok || r.IntN(15) == 0 {
				known = values[choose(r, slices.Sorted(maps.Keys(values)))]
			}
			a.args = append(a.args, name, choose(r, known))
		}
	}
	if strings.Contains(strings.Join(a.args, " "), "module.wasm") {
		a.before["module.wasm"] = f.c.data["module.wasm"]
	}
	if a.args[0] == "tune" && !a.has("--trials") {
		a.args = append(a.args, "--trials", "3")
	}
}

// whollyRead are endings of files that cannot be cut without losing something.
var whollyRead = []string{".kerf", ".gz", ".zst", ".npy", ".parquet", ".arrow", ".idx"}

// disturb mutates a file, an argument, both or neither.
func (f *fuzzer) disturb(r *rand.Rand, a *attempt) {
	if r.IntN(3) > 0 {
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(a.before)), func(n string) bool {
			return slices.Contains(a.outputs, n) || !slices.Contains(a.args, n)
		})
		if len(names) > 0 {
			name := choose(r, names)
			f.spoil(r, a, name)
		}
	}
	if r.IntN(4) > 0 {
		return
	}
	i := r.IntN(len(a.args))
	switch r.IntN(5) {
	case 0:
		a.args = slices.Insert(a.args, i, "--nosuch")
	case 1:
		a.args = slices.Insert(a.args, i, choose(r, a.args))
	case 2:
		a.args = slices.Delete(a.args, i, min(len(a.args), i+1))
	case 3:
		j := r.IntN(len(a.args))
		a.args[i], a.args[j] = a.args[j], a.args[i]
	default: // no path out of the folder and no command of one's own comes of it
		b := string(mutate(r, []byte(a.args[i]), func() []byte { return []byte(choose(r, tokens)) }))
		if a.args[i] != "" && !strings.ContainsAny(b, "/\x00") && !strings.Contains(strings.Join(a.args, " "), "exec:") {
			a.args[i] = b
		}
	}
	if len(a.args) == 0 {
		a.args = []string{"help"}
	}
	a.refused = "" // another file may be read, or none
	for _, word := range a.args {
		if strings.Trim(word, ".") != "" {
			a.outputs = append(a.outputs, word) // an argument of -o, maybe
		}
	}
}

// spoil damages a file of the run.
func (f *fuzzer) spoil(r *rand.Rand, a *attempt, name string) {
	other := func() []byte { return f.c.data[choose(r, f.names)] }
	old := a.before[name]
	isBinary := slices.ContainsFunc(whollyRead, func(end string) bool { return strings.HasSuffix(name, end) })
	switch {
	case strings.HasSuffix(name, ".kerf"):
		kind := choose(r, f.kinds)
		b, sealed := damage(r, old, func() []byte { return f.c.models[kind][kind] })
		a.before[name] = b
		if !sealed && !bytes.Equal(b, old) && slices.Index(a.args, name) == 1 && a.args[0] != "help" {
			a.refused = "a damaged model"
		}
	case isBinary && r.IntN(2) == 0 && len(old) > 1:
		a.before[name] = old[:1+r.IntN(len(old)-1)]
		if slices.Index(a.args, name) == 1 && a.args[0] != "help" {
			a.refused = "a file that is cut off"
		}
	default:
		a.before[name] = mutate(r, old, other)
	}
	if a.has("--help") || a.has("-h") {
		a.refused = ""
	}
}

// TestFuzz runs commands with mutated arguments and files for a while.
func TestFuzz(t *testing.T) {
	c, l := loadCorpus(t), newLedger(t)
	f := &fuzzer{c: c, verbs: verbs(t), names: slices.Sorted(maps.Keys(c.data)), kinds: slices.Sorted(maps.Keys(c.models))}
	end := time.Now().Add(*seconds)
	each(func(i uint64) bool {
		if time.Now().After(end) {
			return false
		}
		r := rand.New(rand.NewPCG(*seed, i))
		a := f.attempt(r)
		dir, err := a.before.write()
		if err != nil {
			t.Error(err)
			return false
		}
		defer os.RemoveAll(dir)
		if r.IntN(4) == 0 {
			a.stdin = c.data["rows.csv"]
		}
		l.settle(&a, run(dir, a.stdin, a.args...), dir)
		return true
	})
	l.report()
}
