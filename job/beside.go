package job

import (
	"cmp"
	"context"
	"slices"

	"github.com/kerf-ml/kerf/gram"
	"github.com/kerf-ml/kerf/internal/par"
	"github.com/kerf-ml/kerf/run"
)

const (
	// mostBeside is how many arms run at a time, and besideRows up to how many rows they are fitted to then: what one of
	// them does takes so little that cores are woken up more often than is worth it.
	mostBeside = 4
	besideRows = 3000
)

// runBeside is runAll with several chains of arms at a time, each on a part of the cores, where they are small. Those
// that would leave cores idle at the end come after them, on all cores. Each comes to the same as alone.
func (s *search) runBeside(ctx context.Context, arms []*arm, r rung, stages *run.Stages) ([]*arm, error) {
	ctl, chains := s.recipe.Run, chainsOf(arms)
	some := min(mostBeside, ctl.Cores(), len(chains))
	if some < 2 || r.rows > besideRows || !ctl.Affords(float64(some)*armBytes(r)) || onDevice(ctl) {
		return s.runAll(ctx, arms, r, stages)
	}
	full := len(chains) / some * some
	if len(chains) > 2*some {
		full = len(chains) // the last ones are a small part
	}
	work, beside := 0.0, 0
	for _, c := range chains[:full] {
		beside += len(c.arms)
		for _, a := range c.arms {
			work += s.work(a, r)
		}
	}
	stages.Next("candidates", work)
	each := ctl.Share(some).Quiet()
	each.Workers = ctl.Cores() / some
	ctl.Workers = some
	went := make([][]*arm, full)
	err := par.For(ctx, ctl, "candidates", full, func(i int) error {
		went[i] = chains[i].run(func(a *arm) error {
			own := a.recipe.Run
			a.recipe.Run = each
			defer func() { a.recipe.Run = own }()
			return a.run(ctx, s.views[a.view].sample, r)
		})
		return nil
	})
	out := slices.Concat(went...)
	if err == nil && full < len(chains) {
		var rest []*arm
		rest, err = s.runAll(ctx, arms[beside:], r, stages)
		out = append(out, rest...)
	}
	if len(out) == 0 {
		return nil, cmp.Or(ctx.Err(), err, errNoArm)
	}
	return out, nil
}

// armBytes is the memory that an arm takes on a rung: K of the rows fitted to and its factor, in half of 8 bytes each,
// and that of those measured on, of all divisions that are worked on together.
func armBytes(r rung) float64 {
	most, sum := 0, 0
	for _, d := range r.parts {
		size := len(d.fit) * (len(d.fit) + len(d.measure))
		most, sum = max(most, size), sum+size
	}
	if r.together() {
		most = sum
	}
	return 8 * float64(most)
}

// onDevice reports whether the run computes on another device than the cores, which arms would have to share.
func onDevice(ctl run.Control) bool {
	_, err := gram.DeviceName(ctl.Device)
	return ctl.Device != run.CPU && (ctl.Device != run.Auto || err == nil)
}
