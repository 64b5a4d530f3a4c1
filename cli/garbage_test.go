package cli_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// table returns a header and n good rows of two numbers and a label.
func table(n int) string {
	var b strings.Builder
	b.WriteString("a,b,label\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%d.5,%s\n", i%7, i%5, []string{"x", "y"}[i%2])
	}
	return b.String()
}

func gzipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a Buffer cannot fail
	_ = w.Close()
	return b.Bytes()
}

func utf16le(text string) []byte {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// distinct returns n rows whose target is a text of its own each.
func distinct(n int) string {
	var b strings.Builder
	b.WriteString("a,b,name\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,%d,person %d\n", i, i*i, i)
	}
	return b.String()
}

// TestGarbage gives every command that reads data files that it cannot use. Each
// must end soon with one line that names the file, status 3 and no output.
func TestGarbage(t *testing.T) {
	long := strings.Repeat("1234567890", 1<<20) // 10 MiB
	zipped := gzipped(table(5000))
	for _, c := range []struct {
		name    string // of the file
		content []byte
		says    string
		labels  bool // whether the labels alone are at fault, which a map does not need
	}{
		{"truncated.csv.gz", zipped[:len(zipped)/2], "truncated", false},
		{"barely.csv.gz", zipped[:len(zipped)-4], "truncated", false},
		{"head.csv.gz", zipped[:5], "", false},
		{"broken.csv.gz", append(append([]byte{}, zipped[:40]...), noise(200)...), "gzip", false},
		{"truncated.csv", []byte(table(50) + "3,"), ":52", false},
		{"halved.csv", []byte(table(50)[:len(table(50))-4]), ":51", false},
		{"empty.csv", nil, "empty", false},
		{"blank.csv", []byte("\n \n\n"), "empty", false},
		{"header.csv", []byte("a,b,label\n"), "", true},
		{"binary.csv", noise(10_000), "binary", false},
		{"zeros.csv", make([]byte, 10_000), "binary", false},
		{"class.csv", []byte("a,b,label\n1,2,x\n3,4,x\n5,6,x\n"), `"x"`, true},
		{"row.csv", []byte("a,b,label\n1,2,x\n"), "", true},
		{"nan.csv", []byte("a,b,label\n1,2,x\n3,NaN,y\n5,6,x\n1,4,y\n"), ":3:3", false},
		{"inf.csv", []byte("a,b,label\n1,2,x\n3,-Inf,y\n5,6,x\n1,4,y\n"), ":3:3", false},
		{"large.csv", []byte("a,b,label\n1,2,x\n3,1e999,y\n5,6,x\n1,4,y\n"), ":3:3", false},
		{"ragged.csv", []byte("a,b,label\n1,2,x\n3,4,5,y\n5,6,x\n"), ":3", false},
		{"short.csv", []byte("a,b,label\n1,2,x\n3,y\n5,6,x\n"), ":3", false},
		{"line.csv", []byte(long), "longer than", false},
		{"lateline.csv", []byte(table(100) + long + ",1,x\n"), "longer than", false},
		{"longline.libsvm", []byte("1 1:1\n-1 1:" + long), "longer than", false},
		{"utf16.csv", utf16le(table(10)), "UTF-16", false},
		{"quote.csv", []byte("a,b,label\n1,2,x\n3,\"4,y\n5,6,x\n"), ":3", false},
		{"quoted.csv", []byte("a,b,label\n1,2,x\n3,\"4\"5,y\n5,6,x\n"), ":3", false},
		{"missing.csv", []byte("a,b,label\n1,2,x\n3,4,\n5,6,y\n"), ":3", false},
		{"names.csv", []byte(distinct(60)), "60 different values", true},
		{"numbers.csv", []byte("1\n2\n3\n4\n"), "", false},
		{"lonely.csv", []byte("label\nx\ny\nx\ny\n"), "", false},
		{"void.csv", []byte("a,b,label\n,,x\n,,y\n,,x\n,,y\n"), "", false},
		{"prose.txt", []byte("It was a dark and stormy night.\nThe rain fell in torrents.\n"), "", true},
		{"page.html", []byte("<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n"), "", false},
		{"json.csv", []byte(`{"a": 1, "b": [1, 2, 3]}` + "\n"), "", true},
		{"badindex.libsvm", []byte("1 1:0.5\n-1 x:2\n1 1:2\n-1 1:3\n"), ":2:4", false},
		{"negindex.libsvm", []byte("1 1:0.5\n-1 -2:2\n1 1:2\n-1 1:3\n"), ":2:4", false},
		{"badvalue.libsvm", []byte("1 1:0.5\n-1 1:two\n1 1:2\n-1 1:3\n"), ":2:4", false},
		{"novalue.libsvm", []byte("1 1:0.5\n-1 1:\n1 1:2\n-1 1:3\n"), ":2:4", false},
		{"nan.libsvm", []byte("1 1:0.5\n-1 1:nan\n1 1:2\n-1 1:3\n"), ":2:4", false},
		{"inf.libsvm", []byte("1 1:0.5\n-1 1:1e999\n1 1:2\n-1 1:3\n"), ":2:4", false},
		{"order.libsvm", []byte("1 1:0.5 2:1\n-1 2:2 1:1\n1 1:2\n-1 1:3\n"), ":2:8", false},
		{"twice.libsvm", []byte("1 1:0.5 2:1\n-1 2:2 2:1\n1 1:2\n-1 1:3\n"), ":2:8", false},
		{"huge.libsvm", []byte("1 1:0.5\n-1 99999999999999999999:2\n1 1:2\n-1 1:3\n"), ":2:4", false},
		{"unlabelled.libsvm", []byte("1:0.5\n1:2\n1:3\n"), "label", true},
		{"some.libsvm", []byte("1 1:0.5\n1:2\n-1 1:3\n-1 1:2\n"), ":2", false},
		{"class.libsvm", []byte("1 1:0.5\n1 1:2\n1 1:3\n"), "1", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), c.name), c.content)
			out := filepath.Join(filepath.Dir(path), "out.csv")
			for _, args := range [][]string{
				{"train", path, "-o", out},
				{"train", path, "--kernel", "linear", "--holdout", "0.5", "--json"},
				{"map", "--fit", path, "-o", out},
			} {
				if args[0] == "map" && c.labels {
					continue
				}
				begun := time.Now()
				wantFailure(t, 3, c.says, args...)
				if took := time.Since(begun); took > 30*time.Second { // generous: others may have the machine
					t.Errorf("kerf %s took %v to fail", args[0], took)
				}
				if _, err := os.Stat(out); err == nil {
					t.Fatalf("kerf %s wrote a file", args[0])
				}
			}
			_, _, message := kerf(t, "train", path)
			if !strings.Contains(message, c.name) {
				t.Errorf("the message does not name the file: %s", message)
			}
		})
	}
}

// TestGarbageFromStandardInput: the same words, with the name of the stream.
func TestGarbageFromStandardInput(t *testing.T) {
	wantFailure(t, 3, "standard input", "train", "-")
}

// TestOddButGood goes through data that are unusual and can be learnt from.
func TestOddButGood(t *testing.T) {
	for _, c := range []struct{ name, content string }{
		{"constant.csv", "a,b,c,label\n1,7,q,x\n2,7,q,y\n1,7,q,x\n2,7,q,y\n1,7,q,x\n2,7,q,y\n"},
		{"allconstant.csv", "a,b,label\n1,7,x\n1,7,y\n1,7,x\n1,7,y\n"},
		{"duplicates.csv", "a,b,label\n" + strings.Repeat("1,2,x\n3,4,y\n", 100)},
		{"contradiction.csv", "a,b,label\n" + strings.Repeat("1,2,x\n1,2,y\n", 20)},
		{"missing.csv", "a,b,label\n1,,x\n?,4,y\n5,NA,x\n1,4,y\n"},
		{"void.csv", "a,b,c,label\n1,,2,x\n2,,4,y\n1,,3,x\n2,,4,y\n"},
		{"noheader.csv", "1,2,x\n3,4,y\n1,3,x\n4,4,y\n"},
		{"crlf.csv", "a,b,label\r\n1,2,x\r\n3,4,y\r\n1,3,x\r\n4,4,y\r\n"},
		{"bom.csv", "\xef\xbb\xbfa,b,label\n1,2,x\n3,4,y\n1,3,x\n4,4,y\n"},
		{"noend.csv", "a,b,label\n1,2,x\n3,4,y\n1,3,x\n4,4,y"},
		{"tabs.tsv", "a\tb\tlabel\n1\t2\tx\n3\t4\ty\n1\t3\tx\n4\t4\ty\n"},
		{"semicolons.csv", "a;b;label\n1.5;2;x\n3;4;y\n1;3;x\n4;4;y\n"},
		{"quoted.csv", "\"a,1\",b,label\n1,\"2\",\"x, \"\"y\"\"\"\n3,4,z\n1,3,\"x, \"\"y\"\"\"\n4,4,z\n"},
		{"categories.csv", "colour,size,label\nred,big,x\nblue,small,y\nred,small,x\nblue,big,y\nred,big,x\n"},
		{"unicode.csv", "größe,b,label\n1,2,für\n3,4,über\n1,3,für\n4,4,über\n"},
		{"tiny.csv", "a,label\n0,x\n1,y\n"},
		{"extreme.csv", "a,b,label\n1e140,1,x\n-1e140,2,y\n1e139,3,x\n-1e139,4,y\n"},
		{"small.csv", "a,b,label\n1e-300,1e-310,x\n2e-300,0,y\n1e-300,0,x\n2e-300,0,y\n"},
		{"zeros.libsvm", "1\n-1 1:1\n1\n-1 1:2\n"},
		{"ends.libsvm", "1 1:1\r\n-1 1:-1\r\n1 1:2 # remark\r\n\r\n-1 1:-3"},
		{"three.csv", "a,label\n1,x\n2,y\n3,z\n1.1,x\n2.1,y\n3.1,z\n"},
		{"gzip.csv", string(gzipped(table(40)))},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := writeFile(t, filepath.Join(dir, c.name), []byte(c.content))
			m := filepath.Join(dir, "m.kerf")
			for _, kind := range []string{"f1", "f2", "f3", "none"} {
				mustRun(t, "train", path, "--map", kind, "--max-passes", "500", "--quiet", "-o", m)
				rows := strings.Count(mustRun(t, "predict", m, path), "\n")
				o, err := object(mustRun(t, "eval", m, path, "--json"))
				if err != nil {
					t.Fatal(err)
				}
				if n, _ := o["n"].(float64); int(n) != rows {
					t.Errorf("%s: %d predictions for %v rows", kind, rows, n)
				}
			}
			mustRun(t, "train", path, "--learner", "kernel-perceptron", "--max-passes", "500", "--quiet", "-o", m)
			mustRun(t, "eval", m, path)
		})
	}
}

// TestModelDamage cuts a model at many lengths and flips one bit at many places:
// no command may take it, and none may write anything.
func TestModelDamage(t *testing.T) {
	dir := t.TempDir()
	c, m := filepath.Join(dir, "c.csv"), filepath.Join(dir, "m.kerf")
	mustRun(t, "gen", "circle", "--n", "60", "-o", c)
	mustRun(t, "train", c, "--dim", "10", "-o", m)
	whole, err := os.ReadFile(m)
	if err != nil {
		t.Fatal(err)
	}
	bad, out := filepath.Join(dir, "bad.kerf"), filepath.Join(dir, "out.txt")
	check := func(b []byte, says string) {
		t.Helper()
		writeFile(t, bad, b)
		wantFailure(t, 3, says, "inspect", bad)
		wantFailure(t, 3, says, "predict", bad, c, "-o", out)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range append(r.Perm(len(whole))[:40], 0, 1, 7, 8, 11, 12, 15, 16, 47, 48, len(whole)-1, len(whole)-32) {
		check(whole[:n], "model file")
	}
	for _, i := range append(r.Perm(len(whole))[:60], 0, 7, 8, 11, 12, 15, 16, len(whole)-1) {
		b := bytes.Clone(whole)
		b[i] ^= 1 << r.IntN(8)
		check(b, "model file")
	}
	newer := bytes.Clone(whole)
	newer[8] = 99
	check(newer, "newer kerf")
	wantFailure(t, 3, "newer kerf", "map", bad, c, "-o", out)
	wantFailure(t, 3, "newer kerf", "eval", bad, c)
	check(append(bytes.Clone(whole), '\n'), "damaged")
	check(noise(1000), "not a kerf model")
	check(nil, "not a kerf model")
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was written")
	}
	// With --json a damaged model is told on standard output too.
	status, stdout, stderr := kerf(t, "inspect", "--json", writeFile(t, bad, whole[:len(whole)-1]))
	o, err := object(stdout)
	if status != 3 || err != nil || o["checksum_ok"] != false || wrongFailure("", stderr) != "" {
		t.Errorf("inspect --json of a damaged model: status %d, %q (%v), %q", status, stdout, err, stderr)
	}
}
