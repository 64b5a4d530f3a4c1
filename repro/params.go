package repro

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/kerf-ml/kerf/internal/seed"
	"github.com/kerf-ml/kerf/run"
)

// Name is the name of a parameter, and of its flag.
type Name string

// The parameters that experiments take, apart from the seed, which all take.
const (
	Margin Name = "margin" // γ, above 0 and below 1
	Error  Name = "error"  // ε, above 0 and below 1
	Dim    Name = "dim"    // dimensions, at least 1
	N      Name = "n"      // how many of what the experiment says, at least 1
)

var names = []Name{Margin, Error, Dim, N}

// Params are the parameters of an experiment. It runs for every value of a list;
// an empty list stands for its own values.
type Params struct {
	Margin []float64 `json:"margin,omitempty"`
	Error  []float64 `json:"error,omitempty"`
	Dim    []int     `json:"dim,omitempty"`
	N      []int     `json:"n,omitempty"`
	Seed   uint64    `json:"seed"`

	Quick bool `json:"quick"` // whether to take fewer trials; set by Measure

	ctl     run.Control
	base    uint64  // the experiment's own seed
	falsify float64 // 0 for none; see promised
}

// list returns the values of a parameter as its flag takes them, empty for none.
func (p Params) list(name Name) string {
	var out []string
	for _, v := range map[Name][]float64{Margin: p.Margin, Error: p.Error}[name] {
		out = append(out, strconv.FormatFloat(v, 'g', -1, 64))
	}
	for _, v := range map[Name][]int{Dim: p.Dim, N: p.N}[name] {
		out = append(out, strconv.Itoa(v))
	}
	return strings.Join(out, ",")
}

// params returns the parameters of a run: those that are set, else those of Quick
// or Full. It reports every fault.
func (e Experiment) params(set Params, quick bool) (Params, error) {
	var faults []error
	own := e.Full
	if quick {
		own = e.Quick.or(e.Full)
	}
	for _, name := range names {
		if set.list(name) != "" && e.Full.list(name) == "" {
			faults = append(faults, fmt.Errorf("%s takes no --%s: it takes %s", e.Name, name, e.taken()))
		}
	}
	p := set.or(own)
	p.Seed, p.Quick, p.falsify = set.Seed, quick, set.falsify
	faults = append(faults, p.check(e.Name)...)
	if err := errors.Join(faults...); err != nil {
		return p, err
	}
	if e.Limit != nil {
		if err := e.Limit(p); err != nil {
			return p, fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	h := fnv.New64a()
	h.Write([]byte(e.Name))
	p.base = seed.Derive(set.Seed, h.Sum64())
	return p, nil
}

// or returns the parameters with empty lists replaced by those of others.
func (p Params) or(others Params) Params {
	if len(p.Margin) == 0 {
		p.Margin = others.Margin
	}
	if len(p.Error) == 0 {
		p.Error = others.Error
	}
	if len(p.Dim) == 0 {
		p.Dim = others.Dim
	}
	if len(p.N) == 0 {
		p.N = others.N
	}
	return p
}

// most is how many values a list may have.
const most = 20

func (p Params) check(experiment string) (faults []error) {
	fault := func(name Name, v any, want string) {
		faults = append(faults, fmt.Errorf("%s: --%s is %v and must be %s", experiment, name, v, want))
	}
	for _, v := range p.Margin {
		if !(v > 0 && v < 1) {
			fault(Margin, v, "above 0 and below 1")
		}
	}
	for _, v := range p.Error {
		if !(v > 0 && v < 1) {
			fault(Error, v, "above 0 and below 1")
		}
	}
	for _, v := range p.Dim {
		if v < 1 || v > math.MaxInt32 {
			fault(Dim, v, "from 1 to 2147483647")
		}
	}
	for _, v := range p.N {
		if v < 1 || v > math.MaxInt32 {
			fault(N, v, "from 1 to 2147483647")
		}
	}
	for name, count := range map[Name]int{Margin: len(p.Margin), Error: len(p.Error), Dim: len(p.Dim), N: len(p.N)} {
		if count > most {
			fault(name, fmt.Sprintf("a list of %d", count), fmt.Sprintf("one of at most %d", most))
		}
	}
	return faults
}

// taken lists the flags that an experiment takes.
func (e Experiment) taken() string {
	var out []string
	for _, t := range e.Takes {
		out = append(out, fmt.Sprintf("--%s (%s)", t.Name, t.What))
	}
	return strings.Join(append(out, "--seed"), ", ")
}

// rng returns the random stream of a trial of a part, such as a row of the table.
// Parts and trials number from 0, trials below 2³².
func (p Params) rng(part, trial int) *rand.Rand {
	return seed.Stream(p.base, seed.Experiments, seed.Derive(uint64(part)<<32, uint64(trial)))
}

// seedOf returns a seed for recipes that a trial of a part uses. It comes from
// another stream than rng.
func (p Params) seedOf(part, trial int) uint64 {
	return seed.Stream(p.base, seed.Recipes, seed.Derive(uint64(part)<<32, uint64(trial))).Uint64()
}

// promised returns a quantity that a theorem promises, or that it says is enough:
// v itself, or less of it where a test tells a lie to see the claim fail. Each
// experiment passes its main one through it, once.
func (p Params) promised(v float64) float64 {
	if p.falsify > 0 {
		return v * p.falsify
	}
	return v
}

// promisedCount is promised for a count, at least 1.
func (p Params) promisedCount(n int) int { return max(int(p.promised(float64(n))), 1) }
