package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// Limits of a state.
const (
	MaxPoints = 5000 // that are made, or drawn from a table
	MaxDrawn  = 1000
	MaxDim    = 256 // landmarks and coordinates
	MaxCells  = 256 // of a side of the raster
)

// Where points come from, beside the generators.
const (
	DataDrawn = "drawn" // by hand alone
	DataTable = "table"
)

// State is all that a picture depends on. NewState has that which leads into the subject.
type State struct {
	Data  string  `json:"data"`  // a generator of package gen, DataDrawn or DataTable
	N     int     `json:"n"`     // points of the generator
	Noise float64 `json:"noise"` // probability that a label is flipped
	Seed  uint32  `json:"seed"`

	// Drawn are points by hand, beside those of Data: x, y, and the class 0 or 1.
	Drawn [][3]float64 `json:"drawn"`

	// Table is the table of DataTable, by the name that loading it gave; empty for the
	// one that the lab was started with. Columns are two of its columns, empty for the
	// first two principal directions.
	Table   string   `json:"table"`
	Columns []string `json:"columns"`

	Kernel  string            `json:"kernel"`
	Map     string            `json:"map"`
	Dim     int               `json:"dim"`     // landmarks, or coordinates of a map without
	Project int               `json:"project"` // coordinates of map f3
	Select  feature.Selection `json:"select"`
	Learner string            `json:"learner"`
	Penalty float64           `json:"penalty"` // C, or lambda, of a learner that has one
	Bias    bool              `json:"bias"`    // the separator need not go through the origin

	Error      float64 `json:"error"`      // that plan and certificate may leave, noise and mapping together
	Confidence float64 `json:"confidence"` // with which they hold

	Cells int  `json:"cells"` // of a side of the raster
	Draft bool `json:"draft"` // leave out what takes long
}

// NewState returns two rings under a wide Gaussian kernel, on 32 landmarks that nearly look
// alike to it: mapping F1 loses most of the margin there, and mapping F2 next to nothing.
func NewState() State {
	return State{
		Data: "rings", N: 1000, Seed: 1, Kernel: "rbf(gamma=0.1)", Map: model.MapF1, Dim: 32, Project: 16,
		Select: feature.Uniform, Learner: model.LearnerSVM, Penalty: 100, Error: 0.1, Confidence: 0.9, Cells: 128,
	}
}

// Maps are the maps that the lab shows.
var Maps = []string{model.MapF1, model.MapF2, model.MapF3, model.MapFourier, model.MapNone}

// Learners are the learners that the lab shows: those of features, and those that work in
// the kernel's own space.
var Learners = []string{
	model.LearnerSVM, model.LearnerHardMargin, model.LearnerPerceptron, model.LearnerLogistic, model.LearnerRidge,
	model.LearnerBoost, model.LearnerKernelSVM, model.LearnerKernelPerceptron, model.LearnerKernelRidge,
	model.LearnerCentroid,
}

// ParseState reads a state as JSON. What is not named is as in NewState.
func ParseState(text []byte) (State, error) {
	s := NewState()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("the state cannot be read: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return s, errors.New("there is more behind the state")
	}
	return s, s.Validate()
}

// Validate reports every field that is out of range.
func (s *State) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	whole := func(name string, v, low, high int) {
		if v < low || v > high {
			fault("%s is %d and must be from %d to %d", name, v, low, high)
		}
	}
	known := func(name, v string, all []string) {
		if !slices.Contains(all, v) {
			fault("%s is %q and must be one of %s", name, v, strings.Join(all, ", "))
		}
	}
	part := func(name string, v float64) {
		if !(v > 0 && v < 1) {
			fault("%s is %v and must be above 0 and below 1", name, v)
		}
	}
	known("data", s.Data, append(gen.Names(), DataDrawn, DataTable))
	whole("n", s.N, 1, MaxPoints)
	if !(s.Noise >= 0 && s.Noise <= 0.5) {
		fault("noise is %v and must be from 0 to 0.5", s.Noise)
	}
	whole("points drawn", len(s.Drawn), 0, MaxDrawn)
	for _, p := range s.Drawn {
		if p[2] != 0 && p[2] != 1 || !(math.Abs(p[0]) <= 1e6) || !(math.Abs(p[1]) <= 1e6) {
			fault("%v is drawn and must be two coordinates of at most a million and a class, 0 or 1", p)
			break
		}
	}
	if len(s.Columns) != 0 && len(s.Columns) != 2 {
		fault("columns are %d and must be two, or none for principal directions", len(s.Columns))
	}
	known("map", s.Map, Maps)
	whole("dim", s.Dim, 1, MaxDim)
	whole("project", s.Project, 1, MaxDim)
	if !slices.Contains(feature.Selections, s.Select) {
		fault("select is %q and must be one of %v", s.Select, feature.Selections)
	}
	known("learner", s.Learner, Learners)
	if !(s.Penalty >= 1e-9 && s.Penalty <= 1e9) {
		fault("penalty is %v and must be from 1e-9 to 1e9", s.Penalty)
	}
	part("error", s.Error)
	part("confidence", s.Confidence)
	whole("cells", s.Cells, 2, MaxCells)
	if _, err := s.kernel(); err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// longestKernel is how many bytes the text of a kernel may have.
const longestKernel = 300

// kernel reads the kernel. One that is a program or a module is refused: the text comes
// from a page.
func (s *State) kernel() (spec.Kernel, error) {
	if len(s.Kernel) > longestKernel {
		return spec.Kernel{}, fmt.Errorf("the kernel has %d characters and may have %d", len(s.Kernel), longestKernel)
	}
	if strings.Contains(s.Kernel, ":") {
		return spec.Kernel{}, errors.New("the lab starts no programs and loads no modules as kernels; use kerf train")
	}
	k, err := spec.Parse(s.Kernel)
	if err != nil {
		return k, err
	}
	if k.Kind() != "" && string(k.Kind()) != (spec.Vectors{}).Name() {
		return k, fmt.Errorf("%s is a kernel of %s, and points are vectors", k.Name(), k.Kind())
	}
	return k, nil
}

// kernelLearner reports a learner that works in the kernel's own space, without the map.
func (s *State) kernelLearner() bool {
	t, ok := model.TraitsOf(s.Learner)
	return ok && t.Kernel
}
