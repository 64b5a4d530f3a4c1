package dataset_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/dataset"
)

// TestRecordColumns encodes the rows of a table with columns of every kind, by all
// scales, as a file and as records, which must be the same bit by bit.
func TestRecordColumns(t *testing.T) {
	names := []string{"id", "tail", "city", "when", "price", "unit", "y"}
	var cells [][]string
	var csv, lines strings.Builder
	csv.WriteString(strings.Join(names, ";") + "\n")
	for i := range 120 {
		row := []string{
			fmt.Sprint(i + 1000), fmt.Sprint(math.Exp(float64(i*37%120) / 10)), fmt.Sprintf("c%d", i*i%67),
			fmt.Sprintf("%d.%d.2024", i%28+1, i%12+1), fmt.Sprintf("%d,%d €", i*i, i%10), "kg", fmt.Sprintf("l%d", i%3),
		}
		if i%11 == 0 {
			row[2], row[3] = "", "?"
		}
		if i%13 == 0 {
			row[1], row[4] = "", "NA"
		}
		cells = append(cells, row)
		csv.WriteString(strings.Join(row, ";") + "\n")
		var fields []string
		for j, name := range names {
			if !table.IsMissing(row[j]) {
				fields = append(fields, fmt.Sprintf("%q:%q", name, row[j]))
			}
		}
		lines.WriteString("{" + strings.Join(fields, ",") + "}\n")
	}
	for _, kind := range scale.Kinds() {
		for _, how := range []table.Categories{table.OneHot, table.ByTarget} {
			o := dataset.Options{Categories: how, Target: "y"}
			for name, content := range map[string]string{"a.csv": csv.String(), "a.jsonl": lines.String()} {
				e, rows := fit(t, name, content, kind, o)
				want, err := dataset.Decode[data.Vector](e, rows)
				if err != nil {
					t.Fatal(err)
				}
				for i, row := range cells {
					record := map[string]any{}
					for j, column := range names {
						if record[column] = any(row[j]); table.IsMissing(row[j]) {
							record[column] = nil
						}
					}
					records := []any{record}
					if name == "a.csv" {
						records = append(records, row)
					}
					for _, record := range records {
						one, err := e.Record(record)
						if err != nil {
							t.Fatal(err)
						}
						got, err := dataset.Decode[data.Vector](e, one)
						if err != nil || !same(got.X.At(0), want.X.At(i)) {
							t.Fatalf("%s, %s, %s: %v is %v, want %v, %v", name, kind, how, record, got.X, want.X.At(i), err)
						}
					}
				}
			}
		}
	}
}
