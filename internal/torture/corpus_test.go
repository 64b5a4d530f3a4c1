//go:build unix

package torture

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// corpus are whole files: data of every format, models of every kind with data
// that they were trained on, and others.
type corpus struct {
	data   files            // by name
	models map[string]files // by name of the model: it and its data
}

// trainings are the models of the corpus: data, then flags.
var trainings = []string{
	"rows.csv --map f1 --dim 8", "rows.csv --map f2 --dim 8 --calibrate platt", "rows.csv --map f3 --landmarks 12 --dim 6",
	"rows.csv --map f2 --dim 6 --calibrate isotonic --conformal 0.3",
	"rows.csv --kernel rbf(gamma=1) --map fourier --dim 8",
	"rows.csv --kernel rbf(gamma=1) --map orf --dim 8", "rows.csv --kernel poly(degree=2,coef=1) --map sketch --dim 8",
	"rows.csv --kernel poly(degree=2,coef=1) --map monomials", "rows.csv --kernel linear --map none",
	"rows.csv --learner kernel-svm", "rows.csv --learner kernel-perceptron", "rows.csv --learner boost --rounds 5",
	"rows.csv --kernel sigmoid --map f2 --dim 6 --repair clip", "rows.csv --map f2 --dim 6 --precision float32",
	"three.csv --map f2 --dim 6 --scale range", "three.csv --learner kernel-svm --calibrate temperature --conformal 0.3",
	"three.csv --learner boost --rounds 4", "numbers.csv --task regress --map f2 --dim 6 --conformal 0.3",
	"numbers.csv --task regress --learner kernel-ridge", "rows.libsvm --kernel laplace(gamma=1) --map f1 --dim 6",
	"words.tsv --as strings --kernel spectrum(k=2) --map f2 --dim 5",
	"baskets.txt --as sets --kernel jaccard --map f1 --dim 5",
	"genes.fasta --kernel degree(d=3) --map f2 --dim 5", "rows.jsonl --map f2 --dim 5", "mixed.csv --map f2 --dim 6",
}

// whole is the corpus, made once by the program itself.
var wholeCorpus = sync.OnceValues(makeCorpus)

func makeCorpus() (*corpus, error) {
	r := rand.New(rand.NewPCG(*seed, 0))
	c := &corpus{data: plainData(r), models: map[string]files{}}
	dir, err := c.data.write()
	if err != nil {
		return nil, err
	}
	for _, out := range []string{"features.npy", "features.parquet", "features.arrow", "features.libsvm"} {
		if r := run(dir, nil, "map", "--fit", "rows.csv", "--map", "f2", "--dim", "4", "-q", "-o", out); r.status != 0 {
			return nil, fmt.Errorf("kerf map: %s", r.stderr)
		}
		if c.data[out], err = os.ReadFile(filepath.Join(dir, out)); err != nil {
			return nil, err
		}
	}
	for i, training := range trainings {
		words := strings.Fields(training)
		name := fmt.Sprintf("m%d.kerf", i)
		args := append([]string{"train", words[0], "-q", "-o", name}, words[1:]...)
		if r := run(dir, nil, args...); r.status != 0 {
			return nil, fmt.Errorf("kerf %s: status %d: %s", strings.Join(args, " "), r.status, r.stderr)
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		c.models[name] = files{name: b, words[0]: c.data[words[0]]}
	}
	return c, nil
}

func loadCorpus(t *testing.T) *corpus {
	t.Helper()
	c, err := wholeCorpus()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// plainData writes small data of the formats that are text, and of some others.
func plainData(r *rand.Rand) files {
	text := map[string]*strings.Builder{}
	add := func(name, format string, args ...any) {
		if text[name] == nil {
			text[name] = &strings.Builder{}
		}
		fmt.Fprintf(text[name], format, args...)
	}
	add("rows.csv", "x1,x2,label\n")
	add("three.csv", "a;b;c\n")
	add("numbers.csv", "x,y\n")
	add("mixed.csv", "size,colour,\"odd, name\",class\n")
	for i := range 48 {
		x, y := r.NormFloat64(), r.NormFloat64()
		in, word := []string{"-1", "1"}[i%2], strings.Repeat("acgt"[i%4:i%4+1], 2)+"gat"[:i%3]+"tacc"
		x += float64(i % 2)
		add("rows.csv", "%.4f,%.4f,%s\n", x, y, in)
		add("three.csv", "%.3f;%.3f;%s\n", x+float64(i%3), y, []string{"red", "green", "blue"}[i%3])
		add("numbers.csv", "%.3f,%.4f\n", x, x*x+0.1*y)
		add("mixed.csv", "%.2f,%s,%s,%s\n", x, []string{"red", "\"light, blue\"", ""}[i%3], []string{"1", "?", "3"}[i%3], in)
		add("rows.libsvm", "%s 1:%.3f 3:%.3f\n", in, x, y)
		add("rows.jsonl", "{\"x\": %.3f, \"kind\": %q, \"label\": %q}\n", x, word, in)
		add("words.tsv", "%s\t%s\n", in, word)
		add("baskets.txt", "%s,milk,%s,%s\n", in, word[:2], word[1:])
		add("genes.fasta", ">s%d label=%s\n%s\n", i, in, word[:6])
		add("labels.txt", "%s\n", in)
		add("weights.txt", "%d\n", 1+i%3)
	}
	f := files{"empty.csv": nil, "module.wasm": []byte("\x00asm\x01\x00\x00\x00"),
		"images.idx": append([]byte{0, 0, 8, 2, 0, 0, 0, 48, 0, 0, 0, 4}, bytes.Repeat([]byte("abcdefgh"), 24)...)}
	for name, b := range text {
		f[name] = []byte(b.String())
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write(f["rows.csv"]) // a Buffer cannot fail
	_ = w.Close()
	f["rows.csv.gz"] = zipped.Bytes()
	if e, err := zstd.NewWriter(nil); err == nil {
		f["three.csv.zst"] = e.EncodeAll(f["three.csv"], nil)
	}
	return f
}
