// Package repro measures what the papers behind kerf claim. An Experiment is one
// claim: it draws data that meet the assumption, does what the theorem says, and
// sets what is measured, with its confidence interval, beside what is promised.
//
// Nothing is stored: every number of a Result is computed in the run. What is
// promised comes from package bound, never from the experiment. Results are the
// same for any number of workers, times aside.
package repro

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kerf-ml/kerf/internal/order"
	"github.com/kerf-ml/kerf/run"
)

// Experiment measures one claim of the papers.
type Experiment struct {
	Name   string      `json:"name"`   // for the command line: lower case, words joined by hyphens
	Title  string      `json:"title"`  // a few words
	Claim  string      `json:"claim"`  // what is claimed, to be read without the paper
	Where  string      `json:"where"`  // where it is claimed: "Blum 2006, theorem 4"
	Method string      `json:"method"` // how it is measured
	Takes  []Parameter `json:"takes"`
	Full   Params      `json:"full"`  // of a whole run: a list for each parameter it takes
	Quick  Params      `json:"quick"` // of a run of seconds; empty lists are those of Full

	// Limit reports values that are in range but that the experiment cannot
	// serve, such as a dimension past memory. Nil for none.
	Limit func(p Params) error `json:"-"`

	// Run measures. Params are complete and checked.
	Run func(ctx context.Context, p Params) (*Result, error) `json:"-"`

	// falsify is a factor of the promised quantity at which the claim must be
	// seen to fail, for tests; 0 where there is none.
	falsify float64
}

// Parameter says what a flag means to an experiment.
type Parameter struct {
	Name Name   `json:"name"`
	What string `json:"what"`
}

// Names returns the names of all experiments in their order.
func Names() []string {
	var names []string
	for _, e := range All() {
		names = append(names, e.Name)
	}
	return names
}

// Find returns the experiment of a name.
func Find(name string) (Experiment, error) {
	all := All()
	if i := slices.IndexFunc(all, func(e Experiment) bool { return e.Name == name }); i >= 0 {
		return all[i], nil
	}
	return Experiment{}, fmt.Errorf("there is no experiment %q; there are %s", name, strings.Join(Names(), ", "))
}

// Measure runs the experiment with the parameters that are set, the others being
// its own: those of Quick if quick is true. The error of a parameter that it
// does not take says which it takes.
func (e Experiment) Measure(ctx context.Context, ctl run.Control, set Params, quick bool) (*Result, error) {
	p, err := e.params(set, quick)
	if err != nil {
		return nil, err
	}
	p.ctl = ctl
	start := time.Now()
	r, err := e.Run(ctx, p)
	if ctx.Err() != nil {
		err = ctx.Err() // what a learner said of being cancelled is less clear
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	r.Name, r.Title, r.Claim, r.Where, r.Method = e.Name, e.Title, e.Claim, e.Where, e.Method
	r.Params = p
	r.Command = e.command(set, quick)
	r.Confidence = Confidence
	together(r.Rows)
	for _, row := range r.Rows {
		r.Verdict = r.Verdict.and(row.Verdict)
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// Check reports every parameter that is set and that the experiment does not
// take, or that is out of its range, without running it.
func (e Experiment) Check(set Params, quick bool) error {
	_, err := e.params(set, quick)
	return err
}

// command returns the command that repeats the measurement.
func (e Experiment) command(set Params, quick bool) string {
	words := []string{"kerf repro", e.Name}
	if quick {
		words = append(words, "--quick")
	}
	for _, name := range names {
		if list := set.list(name); list != "" {
			words = append(words, "--"+string(name)+" "+list)
		}
	}
	return strings.Join(append(words, fmt.Sprintf("--seed %d", set.Seed)), " ")
}

// together puts rows that measure the same next to each other, in the order in
// which they first come.
func together(rows []Row) {
	first := map[string]int{}
	for i, r := range rows {
		if _, known := first[r.What]; !known {
			first[r.What] = i
		}
	}
	order.Stable(rows, func(a, b Row) int { return first[a.What] - first[b.What] })
}
