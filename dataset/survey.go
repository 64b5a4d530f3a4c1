package dataset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kerf-ml/kerf/data/file"
	"github.com/kerf-ml/kerf/data/table"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/sums"
)

// Sampling says how a file of any size is surveyed.
type Sampling struct {
	Rows   int                // of the sample, at most; fewer where they are long for the memory of the run
	Seed   uint64             // of the sample
	Below  uint64             // bound of its hashes, of a part of the rows: see sums.Bound; 0 for none
	Keep   func(row int) bool // which rows of the file have a part in it, by their number from 0; nil for all
	Needed bool               // rows must have labels
	Bytes  int64              // of content after which the survey may end; 0 for all
	More   int                // of a larger sample, at most, fewer where memory is short; 0 for none

	// Quantiles of the numbers of a table are known of all rows, for scales that sort them.
	Quantiles bool
}

// Surveyed is what is known of all rows of a file of which Survey returned a sample: of
// those with a positive weight that Sampling keeps.
type Surveyed struct {
	Rows   int
	File   int     // rows of the file, with those that are not counted
	Weight float64 // sum of the weights, Rows where they have none
	Begun  bool    // these are the first rows of the file: the survey ended at Sampling.Bytes

	// Path, and the options Target, and Beside for Labels, are by what the file is to be read
	// again.
	Path, Target, Beside string

	more   *Kept            // of a larger sample; nil for none
	like   *Rows            // none of the rows, with all columns
	labels map[string]tally // nil where there are more than mostLabels different ones
	table  *table.Survey
}

// tally is how many rows have a label, and the sum of their weights.
type tally struct {
	rows   int
	weight float64
}

// mostLabels is how many different labels are counted: more are no classes.
const mostLabels = 1000

// sampleShare is the part of the budget that a sample may take.
const sampleShare = 1.0 / 8

// moreShare is the same of a larger sample.
const moreShare = 1.0 / 4

// keptRow is what a row of a larger sample takes beside its cells.
const keptRow = 128

// sampledByte is about how many bytes a byte of a table is in a sample, as a row and as an
// instance: a digit and a comma are a number of 8 bytes twice. Other rows take perByte.
const sampledByte = 8

// Surveyed returns what is known of the file that the rows are a sample of, nil where
// they are no sample.
func (r *Rows) Surveyed() *Surveyed { return r.survey }

// Labels returns the labels of all rows in increasing order with the number of rows and
// the sum of the weights of each; false where there are more than 1000.
func (s *Surveyed) Labels() (names []string, rows []int, weights []float64, ok bool) {
	if s.labels == nil {
		return nil, nil, nil, false
	}
	for name := range s.labels {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		rows, weights = append(rows, s.labels[name].rows), append(weights, s.labels[name].weight)
	}
	return names, rows, weights, true
}

// Survey reads a file of any size part by part, and returns a uniform sample of its rows
// as Recognise would return them all. What Fit makes of the sample has means, scales and
// categories of all rows: see table.Survey. Where the target is found in another column
// than the one that labels were counted in, the file is read a second time.
func Survey(ctx context.Context, path string, o Options, s Sampling) (*Rows, error) {
	begin := func() *recogniser { return &recogniser{Options: o, on: true, needed: s.Needed, asked: o.Kind} }
	rows, moved, err := survey(ctx, path, begin(), &s)
	if err != nil || !moved {
		return rows, err
	}
	notes := rows.Notes
	o.Target = rows.survey.Target
	if rows, _, err = survey(ctx, path, begin(), &s); err == nil {
		rows.Notes = notes
	}
	return rows, err
}

// survey reads the file once. It reports whether the target was found elsewhere than
// where the labels were counted.
func survey(ctx context.Context, path string, o *recogniser, s *Sampling) (*Rows, bool, error) {
	if err := o.settleTarget(); err != nil {
		return nil, false, err
	}
	g := newGathering(o, s)
	if err := eachFile(ctx, path, &o.Options, func(f *file.File) error { return g.file(ctx, f, path) }); err != nil {
		return nil, false, err
	}
	return g.finish(path)
}

func newGathering(o *recogniser, s *Sampling) *gathering {
	sample := sums.NewReservoir(s.Seed, s.Rows)
	sample.Below = s.Below
	known := &Surveyed{labels: map[string]tally{}, table: &table.Survey{Quantiles: s.Quantiles}}
	return &gathering{o: o, s: s, known: known, sample: sample}
}

// finish returns the sample with all that is known of the file, as survey does.
func (g *gathering) finish(path string) (*Rows, bool, error) {
	o, s := g.o, g.s
	r, err := g.end(o.Named(path))
	if err != nil {
		return nil, false, err
	}
	r.Notes = append(r.Notes, o.notes...)
	before := -1
	if r.table != nil {
		before = r.table.Target
	}
	if err := cmp.Or(r.recognise(o), r.checkOptions(&o.Options)); err != nil {
		return nil, false, err
	}
	r.survey.Path, r.survey.Target, r.survey.Beside = path, o.Target, o.Labels
	if r.table != nil && r.table.Target >= 0 {
		r.survey.Target = columnTitle(r.table, r.table.Target)
	}
	if r.Labels == nil {
		r.survey.labels = nil
	}
	moved := r.table != nil && (g.moved || r.table.Target != before)
	if r.Labels != nil && !moved && s.Needed && g.unlabeled != nil {
		return nil, false, g.unlabeled
	}
	return r, moved, nil
}

// begin finds the format of a file and opens its rows.
func (o *recogniser) begin(ctx context.Context, f *file.File, path string) (*format, next, error) {
	found, err := detect(f)
	if err != nil {
		return nil, nil, err
	}
	if found.name == formatCSV {
		o.findKind(f)
	}
	if o.needed && o.Labels == "" && o.Target == "" && path != "-" && o.Open == nil && len(o.More) == 0 {
		o.findLabels(path, found.name)
	}
	keep := o.Weighted() || o.on && o.Kind != o.asked && o.asTable(f)
	if found.name != formatCSV || !keep { // only a table has columns
		found = asked(found, o.Kind, f.Head())
	}
	rest, err := found.open(ctx, f, &reading{o.Options, o.table(f.Name)})
	if err == nil {
		rest, err = withFiles(ctx, o.Piece.next(f.Name, rest), &o.Options)
	}
	return found, rest, err
}

// gathering is a survey on the way.
type gathering struct {
	o      *recogniser
	s      *Sampling
	known  *Surveyed
	sample *sums.Reservoir
	parts  []*Rows // rows that were taken into the sample
	places [][]int // which rows of the file they are
	held   int     // rows in parts

	part  bool    // of a survey: there are others, and the size of the sample is settled at the end
	bytes float64 // of the file a row is, by the beginning of the first

	first     *Rows // of the first file, none of its rows
	files     int   // that were read to their end
	target    int   // column of the labels of the last part
	moved     bool  // labels were counted in another column before
	unlabeled error // the first row without a label
}

// readPart is a part of a file, up to so many of its bytes.
type readPart struct {
	rows  *Rows
	bytes int64
}

// file surveys a file, of which parts are read while those before are added.
func (g *gathering) file(ctx context.Context, f *file.File, path string) error {
	o := g.o
	found, rest, err := o.begin(ctx, f, path)
	if err != nil {
		return err
	}
	ctl := o.Run
	if g.s.Bytes > 0 { // no more is read than is surveyed: a pipe keeps what was
		ctl.Workers = 1
	}
	var last *Rows
	err = par.Ahead(ctx, ctl, func(_ context.Context, hand func(readPart) error) error {
		budget := settled(o.Run)
		for rows, size := 0, firstRows; ; size = PartOf(budget, perByte*float64(f.Count())/float64(rows)) {
			r, err := rest(size)
			if errors.Is(err, io.EOF) && rows == 0 {
				return noRows(f.Name)
			}
			if err != nil {
				return err
			}
			r.Name, r.Format, r.Kind = f.Name, found.name, o.Kind
			if r.Kind == "" {
				r.Kind = r.native()
			}
			rows += r.Len()
			if err := hand(readPart{r, f.Count()}); err != nil {
				return err
			}
		}
	}, func(part readPart) (err error) {
		last, err = g.take(f, found, part)
		return err
	})
	if err == errEnough {
		g.known.Begun = true
		err = io.EOF
	}
	if err != io.EOF {
		return err
	}
	return g.endFile(last)
}

// errEnough ends the reading of a file of which as much as is wanted was surveyed.
var errEnough = errors.New("these are bytes enough")

// take surveys a part of a file, and returns none of its rows.
func (g *gathering) take(f *file.File, found *format, part readPart) (last *Rows, err error) {
	r := part.rows
	if g.first == nil {
		if err := g.begin(f, found, part); err != nil {
			return nil, err
		}
	}
	if last = r.pick(nil); !found.late {
		err = r.alike(g.first)
	}
	if err = cmp.Or(r.checkKind(), err); err == nil {
		err = g.add(r)
	}
	if err == nil && g.s.Bytes > 0 && part.bytes >= g.s.Bytes {
		err = errEnough
	}
	return last, err
}

// begin begins with the first part of all, which says how long rows are.
func (g *gathering) begin(f *file.File, found *format, part readPart) error {
	r := part.rows
	g.first = r.pick(nil)
	if g.bytes = rowBytes(f, found, part); !g.part {
		g.sample.Most = g.most()
		g.known.more = g.larger()
	}
	if r.table == nil || !g.s.Quantiles {
		return nil
	}
	return g.o.Run.Reserve(fmt.Sprintf("the quantiles of %d columns", r.table.Cols()), table.QuantileBytes(r.table.Cols()),
		"use a larger --max-memory, or --scale standard")
}

// endFile ends a file, whose columns are those of its last part, and compares it with the first.
func (g *gathering) endFile(last *Rows) error {
	if g.files++; g.files == 1 {
		g.first, g.known.like = last, last
	}
	if held := g.parts[len(g.parts)-1].table; held != nil && held.Cols() < last.table.Cols() {
		g.parts, g.places = append(g.parts, last), append(g.places, nil)
	}
	return last.alike(g.first)
}

// most is how many rows the sample may have, by their length in the file.
func (g *gathering) most() int {
	ctl := g.o.Run
	ctl.Process = false
	each := perByte * g.bytes
	if g.first != nil && g.first.table != nil {
		each = sampledByte * g.bytes
	}
	return max(1, min(g.sample.Most, int(sampleShare*float64(ctl.Budget())/max(each, 1))))
}

// larger returns the larger sample of no rows, nil where none is asked for.
func (g *gathering) larger() *Kept {
	if g.s.More <= g.sample.Most {
		return nil
	}
	ctl := g.o.Run
	ctl.Process = false
	each := perByte * g.bytes
	if t := g.first.table; t != nil { // cells come in parts, are joined and become instances
		each = max(g.bytes, 3*8*float64(t.Cols()+1)) + keptRow
	}
	most := min(g.s.More, int(moreShare*float64(ctl.Budget())/max(each, 1)))
	if most <= g.sample.Most {
		return nil
	}
	return NewKept(g.s.Seed, most)
}

// TakeMore returns the larger sample, or a part of it, that is at most a quarter of the rows,
// and forgets it. It is nil where there is none of at least so many rows.
func (s *Surveyed) TakeMore(least int) *Rows {
	more := s.more
	if s.more = nil; more == nil || s.Rows/4 < least {
		return nil
	}
	more.sample.Shrink(s.Rows / 4)
	parts, _ := more.Parts()
	if more.held < least {
		return nil
	}
	return joined(append(parts, s.like))
}

// add adds a part of the file.
func (g *gathering) add(r *Rows) error {
	first := g.o.Piece.before() + g.known.File
	r.first = first
	g.known.File += r.Len()
	if g.o.Weighted() && !g.o.WeightSpare {
		if r.table == nil {
			return r.weigh(&g.o.Options) // it says that there are no columns
		}
		var err error
		if r.Weights, err = tableWeights(r.table, r.table.Weight); err != nil {
			return err
		}
	}
	if t := r.table; t != nil {
		g.moved = g.moved || g.known.File > r.Len() && t.Target != g.target
		g.target = t.Target
	}
	if g.unlabeled == nil && r.Labels != nil {
		g.unlabeled = r.CheckLabels()
	}
	var live, taken, places []int
	for i := range r.Len() {
		w := 1.0
		if r.Weights != nil {
			w = r.Weights[i]
		}
		if w == 0 || g.s.Keep != nil && !g.s.Keep(first+i) {
			continue
		}
		live = append(live, i)
		g.known.Weight += w
		if r.Labels != nil {
			g.count(r.Labels[i], w)
		}
		if g.sample.Offer(first + i) {
			taken, places = append(taken, i), append(places, first+i)
		}
	}
	g.known.Rows += len(live)
	if g.known.more != nil {
		g.known.more.Add(r, first, live)
	}
	if r.table != nil {
		g.known.table.Add(r.table, live)
	}
	if len(taken) > 0 || len(g.parts) == 0 { // the first part says what rows are, even where none is taken
		g.parts, g.places, g.held = append(g.parts, r.pick(taken)), append(g.places, places), g.held+len(taken)
	}
	if g.held > 2*g.sample.Most+PartRows {
		g.compact()
	}
	return nil
}

// rowBytes returns about how many bytes of a file a row is, by its beginning, which was read.
func rowBytes(f *file.File, found *format, begun readPart) float64 {
	head := f.Head()
	if lines := bytes.Count(head, []byte{'\n'}); lines > 0 && !found.binary && found.name != formatFASTA {
		return float64(len(head)) / float64(lines)
	}
	return float64(begun.bytes) / float64(begun.rows.Len())
}

// count counts a label.
func (g *gathering) count(label string, weight float64) {
	labels := g.known.labels
	if labels == nil {
		return
	}
	t := labels[label]
	labels[label] = tally{t.rows + 1, t.weight + weight}
	if len(labels) > mostLabels {
		g.known.labels = nil
	}
}

// compact forgets rows that have lost their place in the sample.
func (g *gathering) compact() {
	all, at := joined(g.parts), 0
	var kept, places []int
	for _, part := range g.places {
		for _, place := range part {
			if g.sample.Kept(place) {
				kept, places = append(kept, at), append(places, place)
			}
			at++
		}
	}
	g.parts, g.places, g.held = []*Rows{all.pick(kept)}, [][]int{places}, len(kept)
}

// end returns the sample.
func (g *gathering) end(name string) (*Rows, error) {
	if g.known.File == 0 {
		return nil, noRows(name)
	}
	if g.known.Rows == 0 {
		return nil, SomeWeight(name, []float64{0})
	}
	g.compact()
	r := g.parts[0]
	r.survey, r.first = g.known, 0
	if r.Name != name && name != "-" {
		r.Name = name
	}
	if r.table != nil {
		r.table.Name, r.table.Places = r.Name, g.places[0]
	}
	return r, nil
}
