package pipe

import (
	"fmt"
	"math"
	"strconv"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/run"
)

// rowsName is what rows are called in errors.
const rowsName = "X"

// The forms in which rows come.
const (
	rowsMatrix = "matrix" // frame x
	rowsSparse = "sparse" // frames ptr, index and value
	rowsTexts  = "texts"  // frame x
	rowsSets   = "sets"   // frames ptr, of items of each set, and x, the items
	rowsTable  = "table"  // for column k frame ck, of numbers or texts, and mk, the rows where a number is missing
)

// RowsHead says in which frames the rows of a request are.
type RowsHead struct {
	Form  string   `json:"form"`
	Cols  int      `json:"cols,omitempty"`  // of a sparse matrix
	Names []string `json:"names,omitempty"` // of the columns of a table
}

// frames are what came with a request, by name.
type frames map[string]payload

// fault reports a request that its client should not have sent.
func fault(format string, args ...any) error {
	return &data.InputError{File: rowsName, Problem: fmt.Sprintf(format, args...), Advice: "check the kerf package"}
}

// numbers returns an array of one value a row; nil where there is none.
func (f frames) numbers(name string) ([]float64, error) {
	p, ok := f[name]
	switch {
	case !ok:
		return nil, nil
	case p.array == nil || p.array.Cols != 1:
		return nil, fault("the frame %s is no array of one dimension", name)
	case p.array.Data == nil:
		return []float64{}, nil
	}
	return p.array.Data, nil
}

// counts returns an array of whole numbers from 0 to most.
func (f frames) counts(name string, most int) ([]int, error) {
	values, err := f.numbers(name)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(values))
	for i, v := range values {
		if v != math.Trunc(v) || v < 0 || v > float64(most) {
			return nil, fault("the frame %s holds %v, which is no whole number from 0 to %d", name, v, most)
		}
		out[i] = int(v)
	}
	return out, nil
}

// rows returns the rows of a request, with their labels and weights.
func (r *Request) rows(f frames, ctl run.Control) (*dataset.Rows, error) {
	rows, err := r.instances(f, ctl)
	if err != nil {
		return nil, err
	}
	labels, err := r.labels(f)
	if err != nil {
		return nil, err
	}
	weights, err := f.numbers("weight")
	if err != nil {
		return nil, err
	}
	return rows, rows.Beside(labels, weights)
}

// instances returns the rows of a request.
func (r *Request) instances(f frames, ctl run.Control) (*dataset.Rows, error) {
	if r.Rows == nil {
		return nil, fault("there are no rows")
	}
	switch r.Rows.Form {
	case rowsMatrix:
		x := f["x"].array
		if x == nil {
			return nil, fault("there is no matrix")
		}
		return dataset.OfMatrix(rowsName, x)
	case rowsSparse:
		return r.sparse(f)
	case rowsTexts:
		return dataset.OfTexts(rowsName, f["x"].texts)
	case rowsSets:
		return r.sets(f)
	case rowsTable:
		return r.table(f, ctl)
	}
	return nil, fault("there are no rows of the form %q", data.ClipMiddle(r.Rows.Form, 60))
}

func (r *Request) sparse(f frames) (*dataset.Rows, error) {
	value, err := f.numbers("value")
	if err != nil {
		return nil, err
	}
	if r.Rows.Cols < 0 || r.Rows.Cols >= math.MaxInt32 {
		return nil, fault("a sparse matrix of %d columns is more than kerf takes", r.Rows.Cols)
	}
	ptr, err := f.counts("ptr", len(value))
	if err != nil {
		return nil, err
	}
	at, err := f.counts("index", r.Rows.Cols)
	if err != nil {
		return nil, err
	}
	index := make([]int32, len(at))
	for k, j := range at {
		index[k] = int32(j)
	}
	return dataset.OfSparse(rowsName, &data.CSR{Cols: r.Rows.Cols, Ptr: ptr, Index: index, Value: value})
}

func (r *Request) sets(f frames) (*dataset.Rows, error) {
	items := f["x"].texts
	ptr, err := f.counts("ptr", len(items))
	if err != nil {
		return nil, err
	}
	if len(ptr) == 0 {
		return nil, fault("there is no list of where sets begin")
	}
	sets := make([][]string, len(ptr)-1)
	for i := range sets {
		if ptr[i] > ptr[i+1] {
			return nil, fault("the list of where sets begin is not increasing")
		}
		sets[i] = items[ptr[i]:ptr[i+1]]
	}
	return dataset.OfSets(rowsName, sets)
}

func (r *Request) table(f frames, ctl run.Control) (*dataset.Rows, error) {
	columns := make([]dataset.GivenColumn, len(r.Rows.Names))
	for k := range columns {
		c, key := &columns[k], strconv.Itoa(k)
		c.Name = r.Rows.Names[k]
		p, ok := f["c"+key]
		if !ok {
			return nil, fault("column %d has no frame", k+1)
		}
		if c.Texts = p.texts; p.array == nil {
			continue
		}
		var err error
		if c.Numbers, err = f.numbers("c" + key); err != nil {
			return nil, err
		}
		rows, err := f.counts("m"+key, len(c.Numbers)-1)
		if err != nil {
			return nil, err
		}
		for _, i := range rows {
			c.Numbers[i] = math.NaN()
		}
	}
	return dataset.OfTable(rowsName, columns, ctl)
}

// labels returns those of the rows: of the classes that the request names, by their
// number, or numbers.
func (r *Request) labels(f frames) ([]string, error) {
	if r.Labels != nil {
		codes, err := f.counts("y", len(r.Labels)-1)
		if err != nil {
			return nil, err
		}
		out := make([]string, len(codes))
		for i, c := range codes {
			out[i] = r.Labels[c]
		}
		return out, nil
	}
	values, err := f.numbers("y")
	if values == nil || err != nil {
		return nil, err
	}
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return out, nil
}
