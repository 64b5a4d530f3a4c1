package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
)

// pieced are files that can be divided, or not.
var pieced = []struct {
	name, text string
	divides    bool
}{
	{"header.csv", "a,b,y\n" + numberedLines(100, "%d,2.5,x\n"), true},
	{"bare.csv", numberedLines(100, "%d,2.5,1\n"), true},
	{"blank.csv", "a,b,y\n\n" + numberedLines(100, "%d,2.5,x\n\n"), true},
	{"cr.csv", "a,b,y\r\n" + numberedLines(100, "%d,2.5,x\r\n"), true},
	{"unended.csv", "a,b,y\n" + numberedLines(100, "%d,2.5,x\n") + "7,8,x", true},
	{"tab.tsv", "a\tb\ty\n" + numberedLines(100, "%d\t2.5\tx\n"), true},
	{"quoted.csv", "a,b,y\n" + numberedLines(50, "%d,2.5,x\n") + "1,2,\"x\ny\"\n", false},
	{"few.csv", "a,b,y\n" + numberedLines(5, "%d,2.5,x\n"), false},
	{"plain.libsvm", numberedLines(100, "1 1:%d 3:2\n"), true},
	{"remarks.libsvm", numberedLines(50, "1 1:%d 3:2\n") + "  # more\n" + numberedLines(50, "1 1:%d 3:2\n"), false},
	{"objects.jsonl", numberedLines(100, "{\"a\": %d, \"y\": \"x\"}\n"), false},
	{"long.csv", "a,b,y\n" + numberedLines(30000, "%d,2.5,x\n"), true},
}

func numberedLines(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestPiecesAreTheFile(t *testing.T) {
	ctx := context.Background()
	for _, c := range pieced {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		whole, err := dataset.SurveyPart(ctx, path, dataset.Options{}, dataset.Sampling{Rows: 1 << 20})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, most := range []int{1, 7, 33, 1000} {
			if most < 1000 && len(c.text) > 1<<17 {
				continue
			}
			pieces, err := dataset.Divide(ctx, path, dataset.Options{}, nil, most)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if divided := len(pieces) > 1; divided != (c.divides && whole.Rows() > most) {
				t.Errorf("%s by %d: %d pieces", c.name, most, len(pieces))
			}
			var all *dataset.Partial
			rows := 0
			for _, p := range pieces {
				p.Row = p.InFile
				if p.InFile != rows || p.Rows > most && len(pieces) > 1 {
					t.Fatalf("%s by %d: piece %+v after %d rows", c.name, most, p, rows)
				}
				rows += p.Rows
				one, err := dataset.SurveyPart(ctx, path, dataset.Options{Piece: &p}, dataset.Sampling{Rows: 1 << 20})
				if err != nil {
					t.Fatalf("%s by %d: %v", c.name, most, err)
				}
				if all == nil {
					all = sent(t, one)
				} else if err := all.Merge(sent(t, one)); err != nil {
					t.Fatalf("%s by %d: %v", c.name, most, err)
				}
			}
			if a, b := surveyText(t, whole), surveyText(t, all); a != b {
				t.Errorf("%s by %d: rows differ:\n%.300s\n%.300s", c.name, most, a, b)
			}
		}
	}
}

// sent returns a partial survey as it comes out of its binary form.
func sent(t *testing.T, p *dataset.Partial) *dataset.Partial {
	t.Helper()
	b, err := p.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	out := &dataset.Partial{}
	if err := out.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return out
}

// surveyText writes down the sample of a survey.
func surveyText(t *testing.T, p *dataset.Partial) string {
	t.Helper()
	r, _, err := sent(t, p).End("all", dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(r.Labels, r.Surveyed().Rows, r.Surveyed().File)
	if r.IsTable() {
		columns, cells, err := r.Cells([]string{"all"})
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprint(columns, cells)
	}
	return text
}

func TestFaultsOfPiecesNameTheLineOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bad.csv")
	text := "a,b,y\n" + numberedLines(500, "%d,2.5,x\n") + "1,2\n" + numberedLines(100, "%d,2.5,x\n")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	// The bad row is counted as any line; who reads it says what is wrong.
	pieces, err := dataset.Divide(ctx, path, dataset.Options{}, nil, 200)
	var fault *data.InputError
	for _, p := range pieces {
		if err == nil {
			_, err = dataset.SurveyPart(ctx, path, dataset.Options{Piece: &p}, dataset.Sampling{Rows: 10})
		}
	}
	if !errors.As(err, &fault) || fault.Line != 502 {
		t.Errorf("%v", err)
	}
}

func FuzzPartial(f *testing.F) {
	path := filepath.Join(f.TempDir(), "some.csv")
	if err := os.WriteFile(path, []byte("a,b,y\n1,red,x\n2,,z\ninf,blue,x\n"), 0o644); err != nil {
		f.Fatal(err)
	}
	p, err := dataset.SurveyPart(context.Background(), path, dataset.Options{}, dataset.Sampling{Rows: 2})
	if err != nil {
		f.Fatal(err)
	}
	b, err := p.MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		one, other := &dataset.Partial{}, &dataset.Partial{}
		if one.UnmarshalBinary(b) != nil || other.UnmarshalBinary(b) != nil {
			return
		}
		if one.Merge(other) == nil {
			_, _, _ = one.End("fuzz", dataset.Options{})
		}
	})
}
