package serve_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/explain"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/serve"
)

// TestWhy: what is served as why is what package explain says, as JSON and as a tensor,
// and many rows are refused.
func TestWhy(t *testing.T) {
	for _, f := range fixtures(t) {
		if f.form != cells {
			continue
		}
		m, err := model.Load(f.model)
		if err != nil {
			continue // one that starts programs
		}
		s, err := serve.New([]serve.Source{{Name: "m", Path: f.model}}, serve.NewOptions())
		if err != nil {
			t.Fatal(err)
		}
		h, rows := s.Handler(), []any{}
		for i := range 101 {
			row := map[string]any{}
			for j, text := range strings.Split(f.lines[i%len(f.lines)], ",")[:len(f.names)] {
				row[f.names[j]] = cell(text)
			}
			rows = append(rows, row)
		}
		_, body := post(t, h, "/predict/m?outputs=why", 200, encode(t, rows[:3]))
		var out struct {
			Predictions []any
			Why         []*explain.Row
		}
		if err := json.Unmarshal(body, &out); err != nil {
			t.Fatal(err)
		}
		if len(out.Why) != 3 || len(out.Predictions) != 3 {
			t.Fatalf("%s: %d explanations of 3 rows: %s", f.name, len(out.Why), body)
		}
		for i, got := range out.Why {
			r, err := m.Encoding.Records(rows[i])
			if err != nil {
				t.Fatal(err)
			}
			x, err := m.Encode(r)
			if err != nil {
				t.Fatal(err)
			}
			want, err := explain.NewWhy(m).Row(t.Context(), nil, x, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got.Row != i+1 || fmt.Sprint(got.Prediction) != fmt.Sprint(out.Predictions[i]) || got.Score != want.Score ||
				len(got.Columns) != len(want.Columns) {
				t.Fatalf("%s, row %d: %+v, want %+v", f.name, i+1, got, want)
			}
			for j, c := range got.Columns {
				if c != want.Columns[j] {
					t.Errorf("%s, row %d: column %v, want %v", f.name, i+1, c, want.Columns[j])
				}
			}
			if k := got.Sum; k != nil && math.Abs(k.Bias+k.Rest+k.Pulls-k.Score) > 1e-9*(1+k.Size) {
				t.Errorf("%s, row %d: the sum is %+v", f.name, i+1, *k)
			}
		}
		post(t, h, "/predict/m?outputs=why", 422, encode(t, rows))
		_, table := post(t, h, "/predict/m?outputs=why", 200, encode(t, rows[:2]), "Accept", "text/csv")
		if lines := strings.Count(string(table), "\n"); lines != 3 || !strings.Contains(string(table), `""background""`) {
			t.Errorf("%s: the table is %s", f.name, table)
		}
	}
}
