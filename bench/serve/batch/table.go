package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/data/arrow"
)

// width is that of a9a.
const width = 123

// table is a9a, dense.
type table struct {
	labels []string
	rows   [][]float64
	lines  []string // as they came
}

func readTable(name string) (*table, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	r := io.Reader(f)
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, err
		}
	}
	t := &table{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		row := make([]float64, width)
		for _, field := range fields[1:] {
			index, value, _ := strings.Cut(field, ":")
			j, err := strconv.Atoi(index)
			if err != nil || j < 1 || j > width {
				return nil, fmt.Errorf("%s is not a9a: index %s", name, index)
			}
			if row[j-1], err = strconv.ParseFloat(value, 64); err != nil {
				return nil, err
			}
		}
		t.labels, t.rows, t.lines = append(t.labels, fields[0]), append(t.rows, row), append(t.lines, lines.Text())
	}
	return t, lines.Err()
}

// write writes the table in a format, with its labels, and returns the file.
func (t *table) write(dir, format string) (string, error) {
	var name string
	var b []byte
	switch format {
	case "sparse":
		name, b = "sparse.libsvm", t.text(len(t.lines))
	case "table":
		name, b = "table.csv", t.csv(len(t.rows), true)
	case "dense":
		name = "dense.npy"
		b = append(npyHeader("<f8", fmt.Sprintf("(%d, %d)", len(t.rows), width)), t.tensor(len(t.rows))...)
		labels := npyHeader("<i8", fmt.Sprintf("(%d,)", len(t.rows)))
		for _, label := range t.labels {
			v, err := strconv.ParseInt(label, 10, 64)
			if err != nil {
				return "", err
			}
			labels = binary.LittleEndian.AppendUint64(labels, uint64(v))
		}
		if err := os.WriteFile(filepath.Join(dir, "labels.npy"), labels, 0o600); err != nil {
			return "", err
		}
	}
	name = filepath.Join(dir, name)
	return name, os.WriteFile(name, b, 0o600)
}

func (t *table) text(n int) []byte { return []byte(strings.Join(t.lines[:n], "\n") + "\n") }

func npyHeader(kind, shape string) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	text += strings.Repeat(" ", 63-(len(text)+10)%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(text)))
	return append(b, text...)
}

func (t *table) csv(n int, labels bool) []byte {
	var b bytes.Buffer
	if labels {
		b.WriteString("label,")
	}
	for j := range width {
		fmt.Fprintf(&b, "c%d%s", j+1, ending(j))
	}
	for i, row := range t.rows[:n] {
		if labels {
			b.WriteString(t.labels[i] + ",")
		}
		for j, v := range row {
			b.WriteString(strconv.FormatFloat(v, 'g', -1, 64) + ending(j))
		}
	}
	return b.Bytes()
}

func ending(j int) string {
	if j == width-1 {
		return "\n"
	}
	return ","
}

func (t *table) tensor(n int) []byte {
	var b []byte
	for _, row := range t.rows[:n] {
		for _, v := range row {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

// arrow returns rows as a stream of Arrow.
func (t *table) arrow(n int) []byte {
	columns := make([]arrow.Column, width)
	for j := range columns {
		columns[j].Name = "c" + strconv.Itoa(j+1)
		for _, row := range t.rows[:n] {
			columns[j].Numbers = append(columns[j].Numbers, row[j])
		}
	}
	var b bytes.Buffer
	if arrow.WriteTable(&b, columns) != nil {
		return nil
	}
	return b.Bytes()
}

// bodies returns the forms of a request of n rows.
func (t *table) bodies(n int) ([]body, error) {
	rows := t.rows[:n]
	lists, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	var objects, named []map[string]float64
	for _, row := range rows {
		object, name := map[string]float64{}, map[string]float64{}
		for j, v := range row {
			name["c"+strconv.Itoa(j+1)] = v
			if v != 0 {
				object[strconv.Itoa(j+1)] = v
			}
		}
		objects, named = append(objects, object), append(named, name)
	}
	sparse, err := json.Marshal(objects)
	if err != nil {
		return nil, err
	}
	columns, err := json.Marshal(named)
	if err != nil {
		return nil, err
	}
	kind := func(text string) map[string]string { return map[string]string{"Content-Type": text} }
	asJSON := kind("application/json")
	head := func(data string) []byte {
		return fmt.Appendf(nil, `{"inputs":[{"name":"rows","datatype":"FP64","shape":[%d,%d],%s}]}`, n, width, data)
	}
	const binaryOut = `"parameters":{"binary_data_size":%d}`
	raw := t.tensor(n)
	binaryHead := head(fmt.Sprintf(binaryOut, len(raw)))
	octets := map[string]string{
		"Content-Type":                    "application/octet-stream",
		"Inference-Header-Content-Length": strconv.Itoa(len(binaryHead)),
	}
	stream := t.arrow(n)
	if stream == nil {
		return nil, errors.New("the rows cannot be written as Arrow")
	}
	return []body{
		{"Arrow, CSV model", "table", "/predict/table", kind("application/vnd.apache.arrow.stream"), stream},
		{"JSON lists, LIBSVM model", "sparse", "/predict/sparse?first=1", asJSON, lists},
		{"JSON by index, LIBSVM model", "sparse", "/predict/sparse", asJSON, sparse},
		{"lines, LIBSVM model", "sparse", "/predict/sparse", kind("text/plain"), t.text(n)},
		{"JSON lists, CSV model", "table", "/predict/table", asJSON, lists},
		{"JSON by name, CSV model", "table", "/predict/table", asJSON, columns},
		{"CSV, CSV model", "table", "/predict/table", kind("text/csv"), t.csv(n, false)},
		{"v2 JSON, CSV model", "table", "/v2/models/table/infer", asJSON, head(`"data":` + string(lists))},
		{"v2 binary, CSV model", "table", "/v2/models/table/infer", octets, slices.Concat(binaryHead, raw)},
		{"v2 JSON, NPY model", "dense", "/v2/models/dense/infer", asJSON, head(`"data":` + string(lists))},
		{"v2 binary, NPY model", "dense", "/v2/models/dense/infer", octets, slices.Concat(binaryHead, raw)},
	}, nil
}
