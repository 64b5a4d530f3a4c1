package cli_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
)

// house is a row of california.csv.
type house struct {
	Longitude float64 `kerf:"longitude"`
	Latitude  float64 `kerf:"latitude"`
	Age       float64 `kerf:"housingMedianAge"`
	Rooms     float64 `kerf:"totalRooms"`
	Bedrooms  float64 `kerf:"totalBedrooms"`
	People    float64 `kerf:"population"`
	Homes     float64 `kerf:"households"`
	Income    float64 `kerf:"medianIncome"`
}

// person is a row of adult.csv; what is missing there is nil here.
type person struct {
	Age       int     `kerf:"age"`
	Work      *string `kerf:"workclass"`
	Weight    int     `kerf:"fnlwgt"`
	Education string  `kerf:"education"`
	Years     int     `kerf:"years"`
	Marriage  string  `kerf:"marital"`
	Job       *string `kerf:"occupation"`
	Family    string  `kerf:"relationship"`
	Race      string  `kerf:"race"`
	Sex       string  `kerf:"sex"`
	Gain      int     `kerf:"gain"`
	Loss      int     `kerf:"loss"`
	Hours     int     `kerf:"hours"`
	Country   *string `kerf:"country"`
}

const personHeader = "age,workclass,fnlwgt,education,years,marital,occupation,relationship,race,sex,gain,loss,hours," +
	"country,income"

// known returns nil for a cell that is missing.
func known(cell string) *string {
	if cell == "?" {
		return nil
	}
	return &cell
}

func whole(t *testing.T, cell string) int {
	t.Helper()
	v, err := strconv.Atoi(cell)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func asPerson(t *testing.T, c []string) person {
	t.Helper()
	return person{
		whole(t, c[0]), known(c[1]), whole(t, c[2]), c[3], whole(t, c[4]), c[5], known(c[6]), c[7], c[8], c[9],
		whole(t, c[10]), whole(t, c[11]), whole(t, c[12]), known(c[13]),
	}
}

// TestRecordsOfRealTables: a Go program predicts what kerf predict prints, of tables.
// Columns without names are called by their numbers.
func TestRecordsOfRealTables(t *testing.T) {
	vectors := func(j int) string { return fmt.Sprint("column ", j+1) }
	others := func(j int) string { return fmt.Sprint(j + 1) }
	small := []string{"--dim", "40", "--C", "3"}
	for _, c := range []struct {
		name   string
		n      int
		target int
		header string // none, empty for that of the file, or another
		names  func(j int) string
		args   []string
	}{
		{"adult.csv", 700, 14, "none", vectors, small},
		{"sonar.csv", 208, 60, "none", vectors, small},
		{"covtype20k.csv", 700, 54, "none", vectors, small},
		{"california.csv", 600, 8, "", nil, []string{"--task", "regress", "--dim", "40"}},
		{"kin40k.csv", 600, 8, "none", vectors, []string{"--task", "regress", "--dim", "60", "--lambda", "1e-4"}},
		{"concrete.csv", 600, 8, "none", vectors, []string{"--learner", "svr", "--C", "10", "--scale", "standard"}},
		{"splice-dna.csv", 400, 0, "none", others, append([]string{"--as", "strings", "--target", "first", "--kernel",
			"normalize(degree(d=3))"}, small...)},
		{"house-votes.csv", 435, 0, "none", vectors, append([]string{"--target", "first"}, small...)},
		{"house-votes.csv", 435, 0, "none", others, append([]string{"--target", "first", "--as", "sets"}, small...)},
		{"zoo.csv", 101, 17, "", vectors, append([]string{"--header", "skip", "--drop", "1"}, small...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			part := tableCut(t, c.name, c.n, c.target, c.header, c.names)
			if c.name == "california.csv" {
				for _, v := range part.forms["numbers"] {
					v := v.([]float64)
					part.add("struct", house{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]})
				}
			}
			if len(c.args) > 1 && c.args[1] == "strings" {
				for _, row := range part.forms["cells"] {
					part.add("string", row.([]string)[2])
				}
			}
			wantSamePredictions(t, c.name, part, c.args...)
		})
	}
	t.Run("adult.csv with names", func(t *testing.T) {
		part := tableCut(t, "adult.csv", 700, 14, "none", vectors)
		part.text, part.forms["map"] = personHeader+"\n"+part.text, nil
		for _, row := range part.forms["cells"] {
			p := asPerson(t, row.([]string))
			part.add("struct", p)
			part.add("pointer", &p)
			named := map[string]any{}
			for j, title := range strings.Split(personHeader, ",")[:14] {
				named[title] = row.([]string)[j]
			}
			named["age"], named["hours"] = p.Age, float64(p.Hours) // numbers as numbers
			part.add("map", named)
		}
		wantSamePredictions(t, "adult.csv", part, small...)
	})
}

// TestRecordsOfRealData: the same of vectors, strings and sets, whose records have
// neither names nor cells.
func TestRecordsOfRealData(t *testing.T) {
	for _, c := range []struct {
		name   string
		n, dim int
		args   []string
	}{
		{"a9a.libsvm", 500, 123, []string{"--dim", "40", "--C", "1"}},
		{"ijcnn1.libsvm", 900, 22, []string{"--dim", "40", "--C", "10", "--scale", "standard"}},
		{"svmguide1.libsvm", 500, 4, []string{"--learner", "kernel-svm", "--kernel", "rbf(gamma=2)", "--C", "2",
			"--scale", "range"}},
		{"heart.libsvm", 270, 13, nil},
		{"letter.libsvm", 900, 16, []string{"--dim", "60", "--C", "10"}},
		{"news20.libsvm", 500, 62061, []string{"--kernel", "cosine", "--dim", "60", "--C", "10"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantSamePredictions(t, c.name, sparseCut(t, c.name, c.n, c.dim), c.args...)
		})
	}
	t.Run("mnist", func(t *testing.T) {
		part := imageCut(t, "mnist-train-images.idx", "mnist-train-labels.idx", 400)
		wantSamePredictions(t, "images.idx", part, "--labels", "labels.idx", "--dim", "60", "--C", "1")
	})
	t.Run("celegans", func(t *testing.T) {
		part := fastaCut(t, "celegans-acceptor.fasta", 400)
		wantSamePredictions(t, "c.fasta", part, "--dim", "30", "--C", "10", "--class-weight", "balanced")
	})
	t.Run("sms-spam", func(t *testing.T) {
		part := linesCut(t, "sms-spam.tsv", 500, func(line string) map[string]any {
			_, text, _ := strings.Cut(line, "\t")
			return map[string]any{"string": text}
		})
		wantSamePredictions(t, "sms.tsv", part, "--as", "strings", "--dim", "40", "--C", "10")
	})
	t.Run("groceries", func(t *testing.T) { // without labels: where the baskets lie
		part := linesCut(t, "groceries.baskets", 600, func(line string) map[string]any {
			items := strings.Split(line, ",")
			return map[string]any{"line": line, "items": items, "set": data.NewSet(items...)}
		})
		wantSamePredictions(t, "g.baskets", part, "--target", "none", "--learner", "one-class", "--nu", "0.2")
	})
}
