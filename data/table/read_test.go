package table_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/data/table"
)

// read reads a whole table.
func read(text string, o table.Options) (*table.Table, error) {
	o.Name = "f"
	r, err := csv.NewReader(strings.NewReader(text), o)
	if err != nil {
		return nil, err
	}
	return r.Read(context.Background(), 0)
}

func mustRead(t testing.TB, text string, o table.Options) *table.Table {
	t.Helper()
	tab, err := read(text, o)
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

func checkFault(t *testing.T, err error, line, column int, want string) {
	t.Helper()
	var input *data.InputError
	if !errors.As(err, &input) || input.Line != line || input.Column != column || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want line %d, column %d, %q", err, line, column, want)
	}
}
