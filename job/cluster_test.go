package job_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// shuffled is an engine that does units in any order, each as another machine would, and
// merges every three results.
type shuffled struct {
	rng   *rand.Rand
	units int // that were done
	kept  map[string][]byte
}

func (*shuffled) Files(_ context.Context, path string) ([]string, error) { return dataset.Files(path) }

func (s *shuffled) Each(
	ctx context.Context, w *job.Work, units []job.Unit, tell func(int), take func(*job.Result) error,
) error {
	sent, err := w.Marshal()
	if err != nil {
		return err
	}
	results := make([]*job.Result, len(units))
	s.kept = map[string][]byte{}
	for _, i := range s.rng.Perm(len(units)) {
		work, err := job.ReadWork(sent)
		if err != nil {
			return err
		}
		worker, err := job.NewWorker(work, nil, run.Control{Workers: 1})
		if err != nil {
			return err
		}
		var b bytes.Buffer
		done, err := worker.Do(ctx, units[i], &b)
		s.units++
		results[i] = &job.Result{Done: *done, Units: 1, Content: b.Bytes()}
		s.kept[fmt.Sprint(units[i])] = b.Bytes()
		if errors.As(err, &results[i].Bad) {
			continue
		}
		if err != nil {
			return err
		}
		tell(s.units)
	}
	if w.Merges() {
		merged := []*job.Result{}
		for part := range slices.Chunk(results, 3) {
			at := 0
			all, err := w.Merge(func() ([]byte, error) {
				if at == len(part) {
					return nil, nil
				}
				at++
				return part[at-1].Content, nil
			})
			if err != nil {
				return err
			}
			merged = append(merged, &job.Result{Units: len(part), Content: all})
		}
		results = merged
	}
	for _, r := range results {
		if err := take(r); err != nil {
			return err
		}
	}
	return nil
}

func (s *shuffled) Publish(_ context.Context, w *job.Work, units []job.Unit, folder string) ([]string, error) {
	var names []string
	for i, u := range units {
		names = append(names, filepath.Join(folder, fmt.Sprintf("%d%s", i, w.Ending)))
		if err := os.WriteFile(names[i], s.kept[fmt.Sprint(u)], 0o644); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// clusterData are files of a folder with how they are learnt from.
var clusterData = []struct {
	name    string
	rows    func(rng *rand.Rand, i int) string
	header  string
	ending  string
	options func(o *job.TrainOptions)
}{
	{"ridge", numbers, "a,b,y\n", ".csv", with("ridge", nil)},
	{"svm", numbers, "a,b,y\n", ".csv", with("svm", map[string]any{"C": 1.0})},
	{"chosen C", numbers, "", ".csv", with("svm", nil)},
	{"logistic", numbers, "a,b,y\n", ".csv", with("logistic", map[string]any{"C": 1.0})},
	{"classes", func(rng *rand.Rand, i int) string {
		return fmt.Sprintf("%.4f,%.4f,%c\n", rng.NormFloat64()+3*float64(i%3), rng.NormFloat64(), 'p'+rune(i%3))
	}, "", ".csv", with("svm", map[string]any{"C": 1.0})},
	{"softmax", func(rng *rand.Rand, i int) string {
		return fmt.Sprintf("%.4f,%.4f,%c\n", rng.NormFloat64()+2*float64(i%4), rng.NormFloat64(), 'p'+rune(i%4))
	}, "", ".csv", with("logistic", map[string]any{"C": 1.0})},
	{"regression", func(rng *rand.Rand, i int) string {
		x := rng.NormFloat64()
		return fmt.Sprintf("%.5f,%.5f\n", x, math.Sin(2*x)+0.1*rng.NormFloat64())
	}, "x,y\n", ".csv", with("ridge", nil)},
	{"weights", func(rng *rand.Rand, i int) string {
		return fmt.Sprintf("%d,%s", rng.IntN(3), numbers(rng, i))
	}, "w,a,b,y\n", ".csv", func(o *job.TrainOptions) {
		with("ridge", nil)(o)
		o.Read.Weight, o.Choices.Balanced = "w", true
	}},
	{"categories", func(rng *rand.Rand, i int) string {
		return fmt.Sprintf("%s,%s", []string{"red", "green", "blue", ""}[rng.IntN(4)], numbers(rng, i))
	}, "c,a,b,y\n", ".csv", with("ridge", nil)},
	{"sparse", func(rng *rand.Rand, i int) string {
		return fmt.Sprintf("%d %d:%.4f %d:1\n", 1-2*(i%2), 1+rng.IntN(10), rng.NormFloat64()+float64(i%2), 20+rng.IntN(20))
	}, "", ".libsvm", with("svm", map[string]any{"C": 1.0})},
	{"strings", words, "", ".txt", func(o *job.TrainOptions) {
		with("ridge", nil)(o)
		o.Choices.Kernel = "normalize(spectrum(k=2))"
	}},
	{"sets", func(rng *rand.Rand, i int) string {
		return fmt.Sprintf("%c,item%d,item%d,item%d\n", 'p'+rune(i%2), rng.IntN(5)+3*(i%2), rng.IntN(9), rng.IntN(9))
	}, "", ".baskets", func(o *job.TrainOptions) {
		with("ridge", nil)(o)
		o.Choices.Kernel = "jaccard"
	}},
	{"objects", func(rng *rand.Rand, i int) string {
		return fmt.Sprintf("{\"a\": %.4f, \"b\": %.4f, \"y\": \"%c\"}\n", rng.NormFloat64()+2*float64(i%2), rng.NormFloat64(),
			'p'+rune(i%2))
	}, "", ".jsonl", with("ridge", nil)},
}

func numbers(rng *rand.Rand, i int) string {
	return fmt.Sprintf("%.4f,%.4f,%c\n", rng.NormFloat64()+2*float64(i%2), rng.NormFloat64(), 'p'+rune(i%2))
}

func words(rng *rand.Rand, i int) string {
	text := []byte{"pq"[i%2], '\t'}
	for range 8 {
		text = append(text, "abcd"[rng.IntN(2)+i%2])
	}
	return string(append(text, '\n'))
}

func with(learner string, args map[string]any) func(o *job.TrainOptions) {
	return func(o *job.TrainOptions) {
		o.Choices.Learner.Name, o.Choices.Learner.Args = learner, args
		o.Choices.Kernel, o.Choices.Map.Name, o.Choices.Map.Args = "rbf(gamma=0.5)", "f2", map[string]any{"dim": 20}
	}
}

// write writes files of so many rows each.
func writeFiles(t *testing.T, rows func(rng *rand.Rand, i int) string, header, ending string, sizes ...int) string {
	t.Helper()
	dir, rng := t.TempDir(), rand.New(rand.NewPCG(3, 4))
	for k, n := range sizes {
		var b strings.Builder
		b.WriteString(header)
		for i := range n {
			b.WriteString(rows(rng, i))
		}
		name := filepath.Join(dir, fmt.Sprintf("part-%d%s", k, ending))
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func trainOptions(set func(o *job.TrainOptions), e job.Engine, span int) job.TrainOptions {
	o := job.NewTrainOptions()
	set(&o)
	o.Stream, o.Engine, o.Span, o.Holdout = true, e, span, 0.2
	o.Run.Memory = 1 << 30
	return o
}

// A data set of one unit is the same bytes on an engine. Of several units sums differ by
// rounding, and so do scores: by 1e-9 where rows are about 1 and conditions a million.
func TestEngineTrainsAsOneMachine(t *testing.T) {
	ctx := context.Background()
	for _, c := range clusterData {
		t.Run(c.name, func(t *testing.T) {
			engine := &shuffled{rng: rand.New(rand.NewPCG(1, 2))}
			one := writeFiles(t, c.rows, c.header, c.ending, 700)
			want, err := job.Train(ctx, one, trainOptions(c.options, nil, 0))
			if err != nil {
				t.Fatal(err)
			}
			got, err := job.Train(ctx, one, trainOptions(c.options, engine, 0))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(modelBytes(t, want.Model), modelBytes(t, got.Model)) {
				t.Error("the model of one unit is another one")
			}
			if fmt.Sprint(want.Test) != fmt.Sprint(got.Test) {
				t.Errorf("test: %v, on one machine %v", got.Test, want.Test)
			}
			many := writeFiles(t, c.rows, c.header, c.ending, 1500, 100, 30, 900)
			if want, err = job.Train(ctx, many, trainOptions(c.options, nil, 0)); err != nil {
				t.Fatal(err)
			}
			var first []byte
			for seed := range uint64(2) {
				engine.rng = rand.New(rand.NewPCG(seed, 3))
				if got, err = job.Train(ctx, many, trainOptions(c.options, engine, 400)); err != nil {
					t.Fatal(err)
				}
				b := modelBytes(t, got.Model)
				if first == nil {
					first = b
				}
				if !bytes.Equal(first, b) {
					t.Error("the model depends on the order in which units are done")
				}
			}
			compareScores(t, want.Model, got.Model, many)
			if fmt.Sprint(want.Test) != fmt.Sprint(got.Test) {
				t.Errorf("test: %v, on one machine %v", got.Test, want.Test)
			}
		})
	}
}

// Units of more rows than the sample has leave out those that have no chance of a place in
// it. Where rows of weight 0 make that too few, the rows are surveyed again.
func TestUnitsSampleAsOneMachine(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name  string
		every int // row that counts
		works int
	}{{"all rows", 1, 10}, {"few rows", 3, 15}} {
		t.Run(c.name, func(t *testing.T) {
			path := writeFiles(t, func(rng *rand.Rand, i int) string {
				return fmt.Sprintf("%d,%s", max(0, 1-i%c.every), numbers(rng, i))
			}, "w,a,b,y\n", ".csv", 50_000)
			set := func(o *job.TrainOptions) {
				with("ridge", nil)(o)
				o.Read.Weight, o.Holdout = "w", 0
			}
			want, err := job.Train(ctx, path, trainOptions(set, nil, 0))
			if err != nil {
				t.Fatal(err)
			}
			engine := &shuffled{rng: rand.New(rand.NewPCG(1, 2))}
			got, err := job.Train(ctx, path, trainOptions(set, engine, 10_000))
			if err != nil {
				t.Fatal(err)
			}
			compareScores(t, want.Model, got.Model, path)
			if did := engine.units - 1; did != c.works+5 { // a file to divide, units to survey, units to sum up, units to test
				t.Errorf("%d units were done", did)
			}
		})
	}
}

func modelBytes(t *testing.T, m *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compareScores(t *testing.T, a, b *model.Model, path string) {
	t.Helper()
	ctx := context.Background()
	rows, most := 0, 0.0
	err := a.Encoding.Stream(ctx, path, dataset.Options{}, func(r *dataset.Rows) error {
		x, err := a.Scores(ctx, run.Control{}, r)
		if err != nil {
			return err
		}
		y, err := b.Scores(ctx, run.Control{}, r)
		if err != nil {
			return err
		}
		for i, v := range x.Data {
			most = max(most, math.Abs(v-y.Data[i])/(1+math.Abs(v)))
		}
		rows += r.Len()
		return nil
	})
	if err != nil || rows == 0 {
		t.Fatal(rows, err)
	}
	if most > 1e-9 {
		t.Errorf("scores differ by %g", most)
	}
}

func TestEngineScoresPredictsAndMapsAsOneMachine(t *testing.T) {
	ctx := context.Background()
	for _, c := range clusterData {
		t.Run(c.name, func(t *testing.T) {
			engine := &shuffled{rng: rand.New(rand.NewPCG(1, 2))}
			dir := writeFiles(t, c.rows, c.header, c.ending, 900, 40, 300)
			o := trainOptions(c.options, nil, 0)
			trained, err := job.Train(ctx, dir, o)
			if err != nil {
				t.Fatal(err)
			}
			m := trained.Model
			want, err := job.Evaluate(ctx, m, dir, o.Options)
			if err != nil {
				t.Fatal(err)
			}
			on := o.Options
			on.Engine, on.Span = engine, 70
			got, err := job.Evaluate(ctx, m, dir, on)
			if err != nil {
				t.Fatal(err)
			}
			a, _ := want.MarshalJSON()
			if b, _ := got.MarshalJSON(); !bytes.Equal(a, b) {
				t.Errorf("measures differ:\n%s\n%s", a, b)
			}
			var lines strings.Builder
			o.Read.Weight = ""
			err = job.Predict(ctx, m, dir, job.PredictOptions{Options: o.Options, Scores: true}, func(p *job.Predictions) error {
				for i := range p.Predictions {
					lines.WriteString(p.Line(i) + "\n")
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			on.Read.Weight = ""
			out, err := job.PredictOn(ctx, m, dir, t.TempDir(), job.PredictOptions{Options: on, Scores: true})
			if err != nil {
				t.Fatal(err)
			}
			if text := joinFiles(t, out.Files); text != lines.String() || out.Rows != 1240 {
				t.Errorf("predictions of %d rows differ", out.Rows)
			}
			mapped, err := job.MapOn(ctx, m, dir, t.TempDir(), ".libsvm", on)
			if err != nil || mapped.Rows != 1240 || mapped.Dim != m.Dim() {
				t.Errorf("%+v, %v", mapped, err)
			}
		})
	}
}

func joinFiles(t *testing.T, names []string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return all.String()
}

func TestBadFilesFailOrAreLeftOut(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct{ name, text, want string }{
		{"cells", "a,b,y\n1,2,p\n3,4\n", "part-9.csv:3"},
		{"columns", "a,b,c,y\n1,2,3,p\n1,2,3,q\n", "part-9.csv:1"},
		{"empty", "", "part-9.csv"},
		{"header alone", "a,b,y\n", "part-9.csv"},
		{"label", "a,b,y\n1,2,p\n1,2,\n", "part-9.csv:3"},
		{"garbage", "\x00\x01\x02", "part-9.csv"},
	} {
		dir := writeFiles(t, numbers, "a,b,y\n", ".csv", 300, 200)
		engine := &shuffled{rng: rand.New(rand.NewPCG(1, 2))}
		set := with("ridge", nil)
		good, err := job.Train(ctx, dir, trainOptions(set, engine, 100))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "part-9.csv"), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		o := trainOptions(set, engine, 100)
		var fault *data.InputError
		if _, err = job.Train(ctx, dir, o); !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		warned := ""
		o.SkipBad, o.Warn = 1, func(text string) { warned += text }
		got, err := job.Train(ctx, dir, o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.Streamed.Skipped != 1 || !strings.Contains(warned, c.want) {
			t.Errorf("%s: %+v, warned %q", c.name, got.Streamed, warned)
		}
		if !bytes.Equal(modelBytes(t, good.Model), modelBytes(t, got.Model)) {
			t.Errorf("%s: the model is not that of the other files", c.name)
		}
	}
}

func TestWhatAnEngineCannotDo(t *testing.T) {
	dir := writeFiles(t, numbers, "a,b,y\n", ".csv", 100)
	engine := &shuffled{rng: rand.New(rand.NewPCG(1, 2))}
	for name, set := range map[string]func(o *job.TrainOptions){
		"checkpoint":   func(o *job.TrainOptions) { o.Checkpoint = "x" },
		"labels":       func(o *job.TrainOptions) { o.Read.Labels = "x" },
		"weights":      func(o *job.TrainOptions) { o.Read.Weights = "x" },
		"test-weights": func(o *job.TrainOptions) { o.Test, o.TestWeights = dir, "x" },
		"effort":       func(o *job.TrainOptions) { o.Effort = job.Thorough },
	} {
		o := trainOptions(with("ridge", nil), engine, 0)
		set(&o)
		var option *dataset.OptionError
		_, err := job.Train(context.Background(), dir, o)
		if !errors.As(err, &option) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
