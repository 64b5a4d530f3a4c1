package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// reheaded returns a model file with another header, and the checksum for it.
func reheaded(t *testing.T, b []byte, change func(h map[string]any)) []byte {
	t.Helper()
	n := binary.LittleEndian.Uint32(b[12:])
	var h map[string]any
	if err := json.Unmarshal(b[16:16+n], &h); err != nil {
		t.Fatal(err)
	}
	change(h)
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	body := append(binary.LittleEndian.AppendUint32(bytes.Clone(b[:12]), uint32(len(text))), text...)
	body = append(body, b[16+n:len(b)-sha256.Size]...)
	sum := sha256.Sum256(body)
	return append(body, sum[:]...)
}

// TestHostileModel has a model whose texts are a stranger's: a long command of a
// program with what a terminal obeys. Nothing starts it unasked, and all that is
// said of it is lines of text.
func TestHostileModel(t *testing.T) {
	dir := t.TempDir()
	c, m, mark := filepath.Join(dir, "c.csv"), filepath.Join(dir, "m.kerf"), filepath.Join(dir, "mark")
	mustRun(t, "gen", "circle", "--n", "40", "-o", c)
	mustRun(t, "train", c, "--kernel", "rbf(gamma=1)", "--dim", "5", "-o", m)
	b, err := os.ReadFile(m)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, m, reheaded(t, b, func(h map[string]any) {
		h["kernel"] = "exec:touch " + mark + " \x1b[2J\u202e\u2028\n" + strings.Repeat("größe ", 500)
		h["learner"] = "svm\nchecksum  right\r\x1b]0;title\a"
	}))

	shown := mustRun(t, "inspect", m)
	if strings.ContainsAny(shown, "\x1b\r\a\u202e\u2028") || strings.Count(shown, "\nchecksum") != 1 {
		t.Errorf("a model's text is a command to the terminal: %q", shown)
	}
	for line := range strings.Lines(shown) {
		if len(line) > 1100 || !utf8.ValidString(line) {
			t.Errorf("a line of %d bytes: %q", len(line), line)
		}
	}
	if !strings.Contains(shown, "touch "+mark) || !strings.Contains(shown, "…") {
		t.Errorf("the program is not shown: %s", shown)
	}
	for _, args := range [][]string{
		{"predict", m, c}, {"eval", m, c}, {"map", m, c}, {"explain", m, c}, {"serve", m, "--listen", "127.0.0.1:0"},
	} {
		status, stdout, stderr := kerf(t, args...)
		if status != 3 || wrongFailure(stdout, stderr) != "" || len(stderr) > 500 || !utf8.ValidString(stderr) ||
			!strings.Contains(stderr, "touch "+mark) || !strings.HasSuffix(stderr, "if you trust the file, use --allow-exec\n") {
			t.Errorf("kerf %v: status %d, %q", args, status, stderr)
		}
	}
	for _, to := range []string{"onnx", "libsvm", "liblinear"} {
		wantFailure(t, 3, "its kernel is the program", "convert", m, "--to", to, "-o", m+".other")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the program was started")
	}
}

// TestConvertModule has a model whose kernel is a module of WebAssembly, which no other
// format can hold.
func TestConvertModule(t *testing.T) {
	dir := t.TempDir()
	c, m := filepath.Join(dir, "c.csv"), filepath.Join(dir, "m.kerf")
	mustRun(t, "gen", "circle", "--n", "40", "-o", c)
	mustRun(t, "train", c, "--kernel", "rbf(gamma=1)", "--dim", "5", "-o", m)
	b, err := os.ReadFile(m)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, m, reheaded(t, b, func(h map[string]any) { h["kernel"] = "wasm:mine.wasm" }))
	for _, to := range []string{"onnx", "libsvm", "liblinear"} {
		wantFailure(t, 3, "wasm", "convert", m, "--to", to, "-o", m+".other")
		if _, err := os.Stat(m + ".other"); err == nil {
			t.Errorf("a file for %s was left", to)
		}
	}
}

// TestTooLarge has a row whose score, feature or similarity is not finite, far down
// in a file: the message names the file and the row in it.
func TestTooLarge(t *testing.T) {
	dir := t.TempDir()
	c, m := filepath.Join(dir, "c.csv"), filepath.Join(dir, "m.kerf")
	mustRun(t, "gen", "circle", "--n", "60", "-o", c)
	rows := "x1,x2,label\n" + strings.Repeat("0.5,0.25,1\n", 4999)
	big := filepath.Join(dir, "big.csv")
	for _, train := range [][]string{
		{"--kernel", "poly(degree=3,coef=1,gamma=1)", "--map", "f2", "--dim", "8"},
		{"--kernel", "poly(degree=3,coef=1,gamma=1)", "--map", "monomials"},
		{"--kernel", "rbf(gamma=1)", "--map", "fourier", "--dim", "8"},
		{"--kernel", "poly(degree=3,coef=1,gamma=1)", "--map", "sketch", "--dim", "8"},
	} {
		mustRun(t, append([]string{"train", c, "-q", "--scale", "none", "-o", m}, train...)...)
		writeFile(t, big, []byte(rows+"1.7e308,-1.7e308,1\n1,1,1\n"))
		for _, command := range []string{"predict", "eval", "map"} {
			status, stdout, stderr := kerf(t, command, m, big, "-q")
			if status != 3 || !strings.Contains(stderr, "big.csv: ") || !strings.Contains(stderr, "row 5000") {
				t.Errorf("kerf %s: status %d, %.100q, %q", command, status, stdout, stderr)
			}
		}
	}
}

// TestOtherFormat has test rows of another format than the training rows: their
// coordinates are not those of the training, and nothing is measured on them.
func TestOtherFormat(t *testing.T) {
	dir := t.TempDir()
	table, sparse := filepath.Join(dir, "t.csv"), filepath.Join(dir, "s.libsvm")
	mustRun(t, "gen", "circle", "--n", "60", "-o", table)
	writeFile(t, sparse, []byte(strings.Repeat("1 1:0.5 2:1\n-1 1:2 2:0.25\n", 20)))
	for _, pair := range [][2]string{{table, sparse}, {sparse, table}} {
		for _, command := range []string{"train", "tune"} {
			wantFailure(t, 3, filepath.Base(pair[1])+": this is ", command, pair[0], "--test", pair[1], "-q")
		}
	}
}

// TestWrongInput has input that is wrong though it can be read: the status says so.
func TestWrongInput(t *testing.T) {
	dir := t.TempDir()
	zeros := writeFile(t, filepath.Join(dir, "z.libsvm"), []byte("1 1:0\n-1 1:0\n1 1:0\n-1 1:0\n"))
	few := writeFile(t, filepath.Join(dir, "few.csv"), []byte("x,label\n1,a\n2,b\n3,a\n"))
	wantFailure(t, 3, "the kernel sees nothing in this data",
		"map", "--fit", zeros, "--kernel", "linear", "--map", "f2", "-q")
	large := writeFile(t, filepath.Join(dir, "l.csv"), []byte("x,label\n1e200,a\n2,b\n3,a\n"))
	wantFailure(t, 3, "is infinite", "check", large, "--kernel", "linear", "--scale", "none", "-q")
	wantFailure(t, 3, "too few to train on half", "margin", few, "--kernel", "linear", "-q")
	wantFailure(t, 2, "--conformal", "train", few, "--conformal", "0.3", "--error", "0.2", "-q")
}
