package cli_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// awkward is a table as people have them.
type awkward struct {
	name, file string
	write      func(b *strings.Builder)

	refused string // part of the one line that says why not; empty for a model that beats the baseline
	either  string // why it depends on how columns are encoded whether there is a model: then a line will do
}

// manyRows writes n lines of what row returns.
func manyRows(n int, header string, row func(i int, a, b float64, yes bool) string) func(*strings.Builder) {
	return func(b *strings.Builder) {
		if header != "" {
			b.WriteString(header + "\n")
		}
		r := rand.New(rand.NewPCG(7, 7))
		for i := range n {
			u, v := r.NormFloat64(), r.NormFloat64()
			b.WriteString(row(i, u, v, u+0.3*v > 0) + "\n")
		}
	}
}

func word(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func comma(v float64) string { return strings.Replace(fmt.Sprintf("%.3f", v), ".", ",", 1) }

func awkwardTables() []awkward {
	f := fmt.Sprintf
	return []awkward{
		{name: "ids", write: manyRows(200, "id,a,b,label", func(i int, a, b float64, yes bool) string {
			return f("K-%05d,%.3f,%.3f,%s", i, a, b, word(yes))
		})},
		{name: "dates", either: "a date is a text that is different in every row", write: manyRows(200, "day,a,label",
			func(i int, a, _ float64, yes bool) string {
				return f("2024-%02d-%02d,%.3f,%s", 1+i/28%12, 1+i%28, a, word(yes))
			})},
		{name: "mixed text", either: "free text beside numbers is left out", write: manyRows(200, "note,a,b,label",
			func(i int, a, b float64, yes bool) string {
				return f("\"seen on visit %d, room %d\",%.3f,%.3f,%s", i, i%7, a, b, word(yes))
			})},
		{name: "units", either: "cells with units are texts", write: manyRows(200, "a,b,label",
			func(_ int, a, b float64, yes bool) string { return f("%.2f kg,%.2f cm,%s", a, b, word(yes)) })},
		{name: "rare class", write: manyRows(500, "a,b,label", func(i int, a, b float64, yes bool) string {
			if i%200 == 99 {
				return "9,9,never"
			}
			return f("%.3f,%.3f,%s", a, b, word(yes))
		})},
		{name: "wide", write: func(b *strings.Builder) {
			manyRows(200, "", func(i int, a, v float64, yes bool) string {
				r := rand.New(rand.NewPCG(uint64(i), 1))
				cells := []string{f("%.3f,%.3f", 5*a, v)}
				for range 498 {
					cells = append(cells, f("%.1f", 0.1*r.NormFloat64()+a))
				}
				return strings.Join(cells, ",") + "," + word(yes)
			})(b)
		}},
		{name: "constant target", refused: "there is nothing to separate", write: manyRows(60, "a,b,label",
			func(_ int, a, b float64, _ bool) string { return f("%.3f,%.3f,same", a, b) })},
		{name: "duplicated columns", write: manyRows(200, "a,copy,b,label", func(_ int, a, b float64, yes bool) string {
			return f("%.3f,%.3f,%.3f,%s", a, a, b, word(yes))
		})},
		{name: "semicolons and decimal commas", either: "numbers with decimal commas are refused",
			write: manyRows(200, "a;b;label", func(_ int, a, b float64, yes bool) string {
				return comma(a) + ";" + comma(b) + ";" + word(yes)
			})},
		{name: "empty column", write: manyRows(200, "a,nothing,b,label", func(_ int, a, b float64, yes bool) string {
			return f("%.3f,,%.3f,%s", a, b, word(yes))
		})},
		{name: "header only", refused: "only one row", write: manyRows(0, "a,b,label", nil)},
		{name: "one row", refused: "only one row", write: manyRows(1, "a,b,label", func(int, float64, float64, bool) string {
			return "1,2,x"
		})},
		{name: "target missing", refused: "the label is missing", write: manyRows(200, "a,b,label",
			func(i int, a, b float64, yes bool) string {
				if i%50 == 9 {
					return f("%.3f,%.3f,", a, b)
				}
				return f("%.3f,%.3f,%s", a, b, word(yes))
			})},
		{name: "numbers and texts in a column", write: manyRows(300, "a,b,label", func(i int, a, b float64, yes bool) string {
			if i%3 == 0 {
				return f("%.3f,%s,%s", a, []string{"low", "high"}[i%2], word(yes))
			}
			return f("%.3f,%.0f,%s", a, b, word(yes))
		})},
		{name: "trailing separators", write: manyRows(200, "a,b,label,", func(_ int, a, b float64, yes bool) string {
			return f("%.3f,%.3f,%s,", a, b, word(yes))
		})},
		{name: "trailing separators but in the header", write: manyRows(200, "a,b,label",
			func(_ int, a, b float64, yes bool) string { return f("%.3f,%.3f,%s,", a, b, word(yes)) })},
		{name: "ragged rows", refused: "the row has 4 cells and line 2 has 3", write: manyRows(200, "a,b,label",
			func(i int, a, b float64, yes bool) string {
				if i == 150 {
					return f("%.3f,%.3f,%s,more", a, b, word(yes))
				}
				return f("%.3f,%.3f,%s", a, b, word(yes))
			})},
		{name: "long cells", write: manyRows(60, "a,b,essay,label", func(i int, a, b float64, yes bool) string {
			return f("%.3f,%.3f,%s,%s", a, b, strings.Repeat(f("word%d ", i), 2000), word(yes))
		})},
		{name: "unicode", write: manyRows(200, "größe,長さ,étiquette", func(_ int, a, b float64, yes bool) string {
			return f("%.3f,%.3f,%s", a, b, map[bool]string{true: "да", false: "нет"}[yes])
		})},
		{name: "names twice", write: manyRows(200, "a,a,label", func(_ int, a, b float64, yes bool) string {
			return f("%.3f,%.3f,%s", a, b, word(yes))
		})},
		{name: "tabs in quotes", file: "t.tsv", write: manyRows(200, "a\tgroup\tlabel",
			func(i int, a, _ float64, yes bool) string { return f("%.3f\t\"x\ty%d\"\t%s", a, i%3, word(yes)) })},
		{name: "blanks around labels", write: manyRows(200, "a,b,label", func(i int, a, b float64, yes bool) string {
			return f("%.3f,%.3f,%s%s%s", a, b, strings.Repeat(" ", i%3), word(yes), strings.Repeat(" ", i%2))
		})},
		{name: "byte order mark and CRLF", write: func(b *strings.Builder) {
			var text strings.Builder
			manyRows(200, `"a","b","label"`, func(_ int, a, b float64, yes bool) string {
				return f("%.3f,%.3f,%q", a, b, word(yes))
			})(&text)
			b.WriteString("\xef\xbb\xbf" + strings.ReplaceAll(text.String(), "\n", "\r\n") + "\r\n\r\n")
		}},
		{name: "odd blanks of LIBSVM", file: "t.data", write: manyRows(200, "# by hand",
			func(i int, a, b float64, yes bool) string {
				sign := map[bool]string{true: "+1", false: "-1"}[yes]
				return f("%s%s\tqid:%d 1:%.3f   2:%.3f  # row %d", strings.Repeat(" ", i%3), sign, i/10, a, b, i)
			})},
		{name: "houses", write: manyRows(300, "town,size,price", func(i int, a, b float64, _ bool) string {
			return f("%s,%.2f,%.1f", []string{"here", "there"}[i%2], a, 100+30*a+2*b+20*float64(i%2))
		})},
	}
}

// TestAwkward: each table gives a model that is better than a constant at the first try,
// or one line that says why not.
func TestAwkward(t *testing.T) {
	for _, a := range awkwardTables() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			if a.file == "" {
				a.file = "t.csv"
			}
			path := filepath.Join(t.TempDir(), a.file)
			var text strings.Builder
			a.write(&text)
			writeFile(t, path, []byte(text.String()))
			status, stdout, stderr := kerf(t, "train", path, "--holdout", "0.3", "--dim", "30", "--json")
			if status != 0 {
				if wrong := wrongFailure(stdout, stderr); wrong != "" || status != 3 {
					t.Fatalf("exit status %d, %s: %s", status, wrong, stderr)
				}
				if a.either == "" && (a.refused == "" || !strings.Contains(stderr, a.refused)) {
					t.Fatalf("refused: %s", stderr)
				}
				return
			}
			if a.refused != "" {
				t.Fatalf("a model, and no line that says %s", a.refused)
			}
			if a.either == "" && !strings.Contains(stdout, `"beaten":true`) && !strings.Contains(stdout, `"beaten": true`) {
				t.Errorf("the model is no better than a constant: %s%s", stderr, stdout)
			}
		})
	}
}
