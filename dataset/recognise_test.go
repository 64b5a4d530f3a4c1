package dataset_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/scale"
	"github.com/kerf-ml/kerf/dataset"
)

// rowsOf returns n lines; each format takes the number of the row where it has a verb,
// and [a b] stands for one of its words in turn.
func rowsOf(n int, header, format string) string {
	var out strings.Builder
	if header != "" {
		out.WriteString(header + "\n")
	}
	for i := range n {
		line := format
		for k := 0; strings.Contains(line, "["); k++ {
			lo, hi := strings.Index(line, "["), strings.Index(line, "]")
			words := strings.Fields(line[lo+1 : hi])
			line = line[:lo] + words[(i+i*k/2)%len(words)] + line[hi+1:]
		}
		fmt.Fprintln(&out, strings.ReplaceAll(line, "#", fmt.Sprint(i)))
	}
	return out.String()
}

func TestRecognise(t *testing.T) {
	const essay = "some thoughts on the matter of # and its double"
	for _, test := range []struct {
		name, file, text string
		target           string // title of the column
		kind             dataset.Kind
		note             string // part of the notes; empty for none
		bad              string // part of the error
	}{
		{"last", "a.csv", rowsOf(40, "a,b,c", "#.5,[1 2],[yes no]"), "column c", "vectors", "", ""},
		{"number", "a.csv", rowsOf(40, "a,b,c", "[u v],1#,#.5"), "column c", "vectors", "", ""},
		{"named", "a.csv", rowsOf(40, "Label,b,c", "[yes no],#.5,[1 2 3]"), "column Label", "vectors", "named", ""},
		{"named last", "a.csv", rowsOf(40, "class,b,target", "[yes no],#.5,[1 2 3]"), "column target", "vectors", "", ""},
		{"two names", "a.csv", rowsOf(40, "survived,class,c", "[0 1],[a b c],#.5"), "column survived", "vectors", "named",
			""},
		{"a coordinate", "a.csv", rowsOf(40, "x,y,colour", "#.5,#.25,[red green]"), "column colour", "vectors", "", ""},
		{"y first", "a.csv", rowsOf(40, "y,x", "#.5,#.25"), "column y", "vectors", "named", ""},
		{"empty last", "a.csv", rowsOf(40, "", "#.5,[1 2],[yes no],"), "column 3", "vectors", "not empty", ""},
		{"label, text", "a.tsv", rowsOf(40, "", "[ham spam]\t"+essay), "the target", "strings", "a tab", ""},
		{"header, label, text", "a.tsv", rowsOf(40, "kind\tmessage", "[ham spam]\t"+essay), "column kind", "strings",
			"column message is text", ""},
		{"text, label", "a.csv", rowsOf(40, "", essay+",[ham spam]"), "column 2", "strings", "column 1 is text", ""},
		{"label, name, text", "a.csv", rowsOf(40, "", "[EI IE],N#,ACGTACGTACGTACGTACGT#"), "column 1", "strings",
			"column 3 is text", ""},
		{"number, text, label", "a.csv", rowsOf(40, "id,words,kind", "#,"+essay+",[ham spam]"), "column kind", "strings",
			"column words is text", ""},
		{"label, text, number", "a.csv", rowsOf(40, "kind,words,row_id", "[ham spam],"+essay+",7#"), "column kind", "strings",
			"column words is text", ""},
		{"text beside numbers", "a.csv", rowsOf(40, "n,words,kind", "#.5,"+essay+",[ham spam]"), "column kind", "vectors",
			"", ""},
		{"JSON", "a.jsonl", rowsOf(40, "", `{"label":"[ham spam]","text":"`+essay+`"}`), "column label", "strings",
			"column text is text", ""},
		{"votes", "a.csv", rowsOf(40, "", "[rep dem],[y n],[n y y],[y n ?],[n y]"), "column 1", "vectors", "share", ""},
		{"signals", "a.csv", rowsOf(40, "", "[up down]"+strings.Repeat(",#.5", 8)), "column 1", "vectors", "fractions", ""},
		{"wines", "a.csv", rowsOf(40, "", "[1 2 3]"+strings.Repeat(",#.5", 7)+",7#"), "column 1", "vectors",
			"3 different whole numbers", ""},
		{"a header and wines", "a.csv", rowsOf(40, "a,b,c,d,e,f,g,h,i", "[1 2 3]"+strings.Repeat(",#.5", 7)+",7#"),
			"column i", "vectors", "", ""},
		{"pixels", "a.csv", rowsOf(40, "", "[1 2 3],[0 7 255],#,0"), "column 1", "vectors", "the same in all rows", ""},
		{"doubtful", "a.csv", rowsOf(40, "", "[M F I],#.5,#.25,1#"), "column 4", "vectors", "may be meant", ""},
		{"no target", "a.csv", rowsOf(40, "", "#.5,"+essay), "", "", "", "no column looks like a target"},
		{"baskets", "a.baskets", rowsOf(40, "", "[milk bread soap],[soap milk bread]"), "", "", "", "there are no labels"},
		{"labelled baskets", "a.baskets", rowsOf(40, "", "[yes no],[soap milk bread]"), "the target", "sets", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), test.file)
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := dataset.Recognise(context.Background(), path, dataset.Options{}, true)
			if test.bad != "" {
				if err == nil || !strings.Contains(err.Error(), test.bad) {
					t.Fatalf("error %v, want %s", err, test.bad)
				}
				if _, err := dataset.Recognise(context.Background(), path, dataset.Options{}, false); err != nil {
					t.Errorf("where labels are not needed: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(r.Notes, "\n")
			if r.TargetTitle() != test.target || r.Kind != test.kind || !strings.Contains(notes, test.note) ||
				test.note == "" && strings.Contains(notes, "target") {
				t.Errorf("%s, %s, %q", r.TargetTitle(), r.Kind, notes)
			}
			e, err := dataset.Fit(r, nil, scale.None, dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			if err := e.Stream(context.Background(), path, dataset.Options{}, func(s *dataset.Rows) error {
				for i, label := range s.Labels {
					if label != r.Labels[seen+i] {
						t.Fatalf("row %d has the label %q, and had %q", seen+i, label, r.Labels[seen+i])
					}
				}
				seen += s.Len()
				return nil
			}); err != nil || seen != r.Len() {
				t.Errorf("read again: %d rows, %v", seen, err)
			}
		})
	}
}
