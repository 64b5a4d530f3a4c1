package convert_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/convert"
	"github.com/kerf-ml/kerf/convert/foreign"
	"github.com/kerf-ml/kerf/model"
)

// put writes a file into a folder.
func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRefused: what a format cannot express is one line with the reason, and no file.
func TestRefused(t *testing.T) {
	dir := samples(t)
	put(t, dir, "texts.txt", strings.Repeat("a\tabcabc\nb\tbcdbcd\n", 20))
	put(t, dir, "sets.baskets", strings.Repeat("a,milk,bread\nb,beer,wine\n", 20))
	var dates strings.Builder
	dates.WriteString("when,size,y\n")
	for i := range 40 {
		dates.WriteString([]string{"2024-03-01", "2024-07-15", "2023-01-31", "2022-11-05"}[i%4] + "," +
			string(rune('0'+i%7)) + "," +
			string(rune('a'+i%2)) + "\n")
	}
	put(t, dir, "dates.csv", dates.String())
	for name, args := range map[string]string{
		"texts": "texts.txt --effort least --as strings --target first",
		"sets":  "sets.baskets --effort least --target first", "dates": "dates.csv --effort least",
		"rbf":     "train2 --kernel rbf(gamma=0.3) --map f2 --dim 20 --learner svm --C 1",
		"laplace": "train2 --kernel laplace(gamma=0.3) --map f2 --dim 20 --learner svm --C 1",
		"fourier": "train2 --kernel rbf(gamma=0.3) --map fourier --dim 20 --learner svm --C 1",
		"scaled":  "train2 --kernel rbf(gamma=0.3) --map f2 --dim 20 --learner svm --C 1 --scale standard",
		"hidden":  "train2 --kernel hidden(bits=2) --map f2 --dim 5 --C 1",
		"pairs":   "train4 --kernel linear --learner kernel-svm --C 1", "boost": "train2 --map none --learner boost",
	} {
		words := strings.Fields(args)
		kerf(t, dir, append([]string{"train", "@" + words[0], "-q", "-o", "@" + name + ".kerf"}, words[1:]...)...)
	}
	for _, c := range []struct{ model, to, says string }{
		{"texts", "onnx", "its instances are strings"}, {"sets", "libsvm", "its instances are sets"},
		{"texts", "liblinear", "its instances are strings"}, {"dates", "onnx", `column "when" holds dates`},
		{"rbf", "liblinear", "not linear in the coordinates"}, {"laplace", "libsvm", "LIBSVM has no kernel laplace"},
		{"fourier", "libsvm", "no similarities to rows"}, {"scaled", "libsvm", "it encodes its rows (scale standard)"},
		{"pairs", "liblinear", "a separator a pair of classes"}, {"boost", "libsvm", "no similarities to rows"},
		{"hidden", "onnx", "no operators for the kernel hidden"},
		{"boost", "liblinear", "not linear"}, {"dates", "libsvm", "it encodes its rows"},
	} {
		_, message, status := try(t, dir, "convert", "@"+c.model+".kerf", "--to", c.to, "-o", "@out")
		if status != 3 || !strings.Contains(message, c.says) || strings.Count(message, "\n") != 1 {
			t.Errorf("%s to %s: %d %q", c.model, c.to, status, message)
		}
		if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
			t.Errorf("%s to %s: a file was left", c.model, c.to)
		}
	}
	for _, model := range []string{"texts", "sets", "dates", "boost", "pairs"} {
		kerf(t, dir, "convert", "@"+model+".kerf", "-o", "@"+model+".json")
		checkJSON(t, filepath.Join(dir, model+".json"))
	}
}

// TestCommandLine: flags that do not go together, and files that are no models.
func TestCommandLine(t *testing.T) {
	dir := samples(t)
	kerf(t, dir, "train", "@train2", "--map", "none", "--learner", "svm", "--C", "1", "-q", "-o", "@m.kerf")
	kerf(t, dir, "convert", "@m.kerf", "--to", "onnx", "-o", "@m.onnx", "-q")
	kerf(t, dir, "convert", "@m.kerf", "--to", "json", "-o", "@m.json", "-q")
	kerf(t, dir, "convert", "@m.kerf", "--to", "liblinear", "-o", "@m.lin", "-q")
	put(t, dir, "broken", "svm_type c_svc\nkernel_type rbf\n")
	put(t, dir, "empty", "")
	put(t, dir, "one", "svm_type c_svc\nkernel_type rbf\ngamma 1\nnr_class 1\ntotal_sv 0\nrho\nlabel 1\nnr_sv 0\nSV\n")
	put(t, dir, "table",
		"svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 1\nrho 1\nlabel 1 2\nnr_sv 1 0\nSV\n1 0:1 \n")
	put(t, dir, "poly",
		"svm_type c_svc\nkernel_type polynomial\ndegree 3\ngamma -1\ncoef0 0\nnr_class 2\ntotal_sv 1\nrho 1\nlabel 1 "+
			"2\nnr_sv 1 0\nSV\n1 0:1 \n")
	for _, c := range []struct {
		args   string
		status int
		says   string
	}{
		{"@m.kerf --to onnx", 2, "-o FILE"}, {"@m.kerf --to pmml -o @x", 2, "--to is"}, {"@m.kerf --from onnx -o @x", 2,
			"--from is"},
		{"@m.kerf -o @m.kerf --to json", 2, "is the input"}, {"@m.kerf -o @x", 3, "already"},
		{"@m.lin -o @x --to liblinear", 3, "already"},
		{"@train2 -o @x", 3, "this is no model"}, {"@empty -o @x", 3, "empty"}, {"@nowhere -o @x", 3, "nowhere"},
		{"@m.onnx -o @x", 3, "models of ONNX are written"}, {"@m.json -o @x", 3, "models of JSON are written"},
		{"@m.lin --from libsvm -o @x", 3, "a model of LIBLINEAR, not of LIBSVM"}, {"@broken -o @x", 3, "broken:2: "},
		{"@one -o @x", 3, "a single class"}, {"@table -o @x", 3, "precomputed"}, {"@poly -o @x", 3, "gamma is -1"},
		{"@m.kerf --to onnx -o @x --rows @test2 --rows-to @y", 2, "--rows is for"},
		{"@m.kerf --to libsvm -o @x --rows @test2", 2, "go together"},
		{"@m.kerf --to libsvm -o @x --rows @test2 --rows-to @x", 2, "cannot both"},
		{"@m.kerf --to json -o - --json", 2, "cannot both"}, {"@m.kerf --to libsvm -o @no/such/x", 2, "no directory"},
	} {
		_, message, status := try(t, dir, append([]string{"convert"}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(message, c.says) || strings.Count(message, "\n") != 1 {
			t.Errorf("%s: %d %q, want %d …%s…", c.args, status, message, c.status, c.says)
		}
		if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
			t.Fatalf("%s: a file was left", c.args)
		}
	}
	// From one program to another, to standard output, and with --json.
	if out := kerf(t, dir, "convert", "@m.lin", "--to", "libsvm", "-o", "-", "-q"); !strings.HasPrefix(out,
		"svm_type c_svc\n") {
		t.Errorf("to standard output: %q", out)
	}
	var said struct {
		From, To, Output string
		Bytes            int64
		Notes            []string
		Inputs           []convert.Input
	}
	text := kerf(t, dir, "convert", "@m.lin", "--to", "onnx", "-o", "@l.onnx", "--json")
	if err := json.Unmarshal([]byte(text), &said); err != nil || said.From != "liblinear" || said.To != "onnx" ||
		said.Bytes == 0 ||
		len(said.Inputs) != 1 || said.Inputs[0].Name != "x" {
		t.Errorf("%s: %v", text, err)
	}
	kerf(t, dir, "convert", "@m.lin", "--to", "json", "-o", "@l.json", "-q")
	checkJSON(t, filepath.Join(dir, "l.json"))
}

// checkJSON: the object has what its schema says, in the shapes of the model.
func checkJSON(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var o struct {
		Format  string
		SHA256  string
		Header  model.Header
		Content map[string]json.RawMessage
	}
	if err := json.Unmarshal(b, &o); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if o.Format != "kerf model" || len(o.SHA256) != 64 || o.Header.Learner == "" ||
		len(o.Content) != len(o.Header.Blobs) {
		t.Errorf("%s: %s", path, b[:min(len(b), 300)])
	}
	var bias []float64
	var weights [][]float64
	if json.Unmarshal(o.Content["bias"], &bias) != nil || json.Unmarshal(o.Content["weights"], &weights) != nil ||
		o.Header.Pairs == nil && len(weights) != len(bias) {
		t.Errorf("%s: bias %s", path, o.Content["bias"])
	}
	if z := o.Content["landmarks"]; z != nil {
		var all []any
		if json.Unmarshal(z, &all) != nil || len(all) != o.Header.Map.Landmarks {
			t.Errorf("%s: %d landmarks, %d in the header", path, len(all), o.Header.Map.Landmarks)
		}
	}
}

// FuzzForeign: a file of another program that is read becomes a model that can be
// written and opened, and written for that program again.
func FuzzForeign(f *testing.F) {
	f.Add([]byte("svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 3\nrho 0.1 -2 3\nlabel 1 -1 " +
		"7\nnr_sv 1 1 1\nSV\n" +
		"1 0.5 1:1 3:-2 \n-1 0.25 2:1e-3 \n0.5 -0.125 \n"))
	f.Add([]byte("svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 0\nrho 0.1\nSV\n"))
	f.Add([]byte("svm_type c_svc\nkernel_type sigmoid\ngamma 1\ncoef0 0\nnr_class 2\ntotal_sv 1\nrho 0.1\nlabel 1 " +
		"2\nprobA -1\nprobB 0\n" +
		"nr_sv 1 0\nSV\n1 5:1\n"))
	f.Add([]byte("solver_type L2R_LR\nnr_class 3\nlabel 1 -1 2\nnr_feature 2\nbias 1\nw\n0.5 1 1 \n-1 2 1 \n0 3 1 \n"))
	f.Add([]byte("solver_type ONECLASS_SVM\nnr_class 2\nnr_feature 1\nbias -1\nrho 0.5\nw\n0.5 \n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<12 {
			return
		}
		var m *model.Model
		var err error
		if foreign.IsSVM(text) {
			var s *foreign.SVM
			if s, err = foreign.ParseSVM("m", text); err != nil {
				return
			}
			m, _, err = convert.FromSVM(s)
		} else {
			var s *foreign.Separators
			if s, err = foreign.ParseSeparators("m", text); err != nil || s.Features > 1<<12 {
				return
			}
			m, _, err = convert.FromSeparators(s)
		}
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		file, err := model.Decode(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		back, err := file.Model()
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if _, _, err := convert.ToSVM(back, false); err != nil {
			t.Fatal(err)
		}
		var o bytes.Buffer
		if err := convert.WriteJSON(&o, file); err != nil || !json.Valid(o.Bytes()) {
			t.Fatal(err)
		}
	})
}
