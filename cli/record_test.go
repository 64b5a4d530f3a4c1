package cli_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// unpacked returns the bytes of a data set.
func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(dataSet(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(f.Name(), ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// spread returns at most n of the elements of a list, evenly spread: some files are
// sorted by class.
func spread[E any](list []E, n int) []E {
	n = min(n, len(list))
	out := make([]E, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}

// lines returns the lines of a data set that are not blank.
func lines(t *testing.T, name string) []string {
	t.Helper()
	var out []string
	s := bufio.NewScanner(bytes.NewReader(unpacked(t, name)))
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		if strings.TrimSpace(s.Text()) != "" {
			out = append(out, s.Text())
		}
	}
	return out
}

// cut is a part of a data set: the text of a file, and its rows as records in every
// form that the format has.
type cut struct {
	text  string
	forms map[string][]any
	more  map[string]string // further files by name
}

func (c *cut) add(form string, record any) {
	if c.forms == nil {
		c.forms = map[string][]any{}
	}
	c.forms[form] = append(c.forms[form], record)
}

// cells returns the fields of a line of CSV, by the standard library.
func cells(t *testing.T, line string) []string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(line))
	r.TrimLeadingSpace = true
	all, err := r.Read()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// cellNumbers returns cells as numbers, and false where one is none.
func cellNumbers(cells []string) ([]float64, bool) {
	out := make([]float64, len(cells))
	for i, s := range cells {
		v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

// tableCut takes rows of a CSV file. names is how a record in a map calls column j;
// the header of the file, where there is one, is kept.
func tableCut(t *testing.T, name string, n, target int, header string, names func(j int) string) cut {
	t.Helper()
	var c cut
	all := lines(t, name)
	if header == "" { // the file has one
		header, all = all[0], all[1:]
	}
	if header != "none" {
		c.text = header + "\n"
		titles := cells(t, header)
		if names == nil {
			names = func(j int) string { return titles[j] }
		}
	}
	for _, line := range spread(all, n) {
		c.text += line + "\n"
		row := cells(t, line)
		bare := append(append([]string{}, row[:target]...), row[target+1:]...)
		named := map[string]any{"a column that nobody knows": 1}
		for j, s := range row {
			if j != target {
				named[names(j)] = s
			}
		}
		c.add("map", named)
		c.add("cells", row)
		c.add("cells without the target", bare)
		if v, ok := cellNumbers(bare); ok {
			c.add("numbers", v)
		}
	}
	return c
}

// sparseCut takes rows of a LIBSVM file of so many coordinates: vectors have no names
// and no cells. Dense ones are left out where they would be long.
func sparseCut(t *testing.T, name string, n, dim int) cut {
	t.Helper()
	var c cut
	for _, line := range spread(lines(t, name), n) {
		c.text += line + "\n"
		v, row := data.Vector{Index: []int32{}}, make([]float64, dim+1)
		for _, pair := range strings.Fields(line)[1:] {
			index, value, _ := strings.Cut(pair, ":")
			j, wrong := strconv.Atoi(index)
			x, bad := strconv.ParseFloat(value, 64)
			if wrong != nil || bad != nil {
				t.Fatal(wrong, bad)
			}
			v.Index, v.Value = append(v.Index, int32(j)), append(v.Value, x)
			row[j] = x
		}
		c.add("vector", v)
		if dim < 1000 {
			c.add("numbers", row)
		}
	}
	return c
}

// imageCut takes images of an IDX file, whose labels are in another.
func imageCut(t *testing.T, images, labels string, n int) cut {
	t.Helper()
	const head, width = 16, 28 * 28
	pixels, classes := unpacked(t, images), unpacked(t, labels)
	index := make([]int, (len(pixels)-head)/width)
	for i := range index {
		index[i] = i
	}
	index = spread(index, n)
	size := binary.BigEndian.AppendUint32(nil, uint32(len(index)))
	file := append(append(append([]byte{}, pixels[:4]...), size...), pixels[8:head]...)
	truth := append(append([]byte{}, classes[:4]...), size...)
	var c cut
	for _, i := range index {
		image, row := pixels[head+i*width:][:width], make([]float64, width)
		for j, b := range image {
			row[j] = float64(b)
		}
		file, truth = append(file, image...), append(truth, classes[8+i])
		c.add("numbers", row)
		c.add("vector", data.Dense(row...))
	}
	c.text, c.more = string(file), map[string]string{"labels.idx": string(truth)}
	return c
}

// linesCut takes lines of which record says what the record is: no names, no cells.
func linesCut(t *testing.T, name string, n int, record func(line string) map[string]any) cut {
	t.Helper()
	var c cut
	for _, line := range spread(lines(t, name), n) {
		c.text += line + "\n"
		for form, v := range record(line) {
			c.add(form, v)
		}
	}
	return c
}

// fastaCut takes records of a FASTA file, which are strings.
func fastaCut(t *testing.T, name string, n int) cut {
	t.Helper()
	var heads, bodies []string
	for _, line := range lines(t, name) {
		if line[0] == '>' {
			heads, bodies = append(heads, line), append(bodies, "")
			continue
		}
		bodies[len(bodies)-1] += line
	}
	var c cut
	heads, bodies = spread(heads, n), spread(bodies, n)
	for i := range heads {
		c.text += heads[i] + "\n" + bodies[i] + "\n"
		c.add("string", bodies[i])
	}
	return c
}

// wantSamePredictions trains on a part of a data set and compares what the program
// prints of its rows with what the model says of them as records, digit by digit.
func wantSamePredictions(t *testing.T, file string, c cut, train ...string) {
	t.Helper()
	dir := t.TempDir()
	path, saved := filepath.Join(dir, file), filepath.Join(dir, "m.kerf")
	writeFile(t, path, []byte(c.text))
	for name, text := range c.more {
		writeFile(t, filepath.Join(dir, name), []byte(text))
	}
	for i, a := range train {
		if _, ok := c.more[a]; ok {
			train[i] = filepath.Join(dir, a)
		}
	}
	mustRun(t, append([]string{"train", path, "--quiet", "-o", saved}, train...)...)
	predict := []string{"predict", saved, path}
	if i := slices.Index(train, "--header"); i >= 0 {
		predict = append(predict, train[i:i+2]...)
	}
	plain := strings.Split(strings.TrimSuffix(mustRun(t, predict...), "\n"), "\n")
	scored := strings.Split(strings.TrimSuffix(mustRun(t, append(predict, "--scores")...), "\n"), "\n")
	m, err := model.Load(saved)
	if err != nil {
		t.Fatal(err)
	}
	check := func(form string, i int, p model.Prediction) {
		t.Helper()
		line := p.Label
		for _, s := range p.Scores {
			if !m.Regresses() {
				line += "\t" + strconv.FormatFloat(s, 'g', -1, 64)
			}
		}
		if p.Label != plain[i] || line != scored[i] {
			t.Fatalf("row %d as %s is %q, the program prints %q", i+1, form, line, scored[i])
		}
	}
	for form, records := range c.forms {
		if len(records) != len(plain) {
			t.Fatalf("%d records as %s of %d rows", len(records), form, len(plain))
		}
		together, err := m.PredictAll(t.Context(), run.Control{}, records...)
		if err != nil {
			t.Fatalf("as %s: %v", form, err)
		}
		for i, r := range records {
			check(form+", all together", i, together[i])
			if i%7 != 0 {
				continue
			}
			one, err := m.Predict(r)
			if err != nil {
				t.Fatalf("row %d as %s: %v", i+1, form, err)
			}
			check(form, i, one)
		}
	}
	t.Logf("%d rows in %d forms, %s", len(plain), len(c.forms), fmt.Sprint(m.Classes.Names))
}
