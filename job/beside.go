package job

import (
	"cmp"
	"context"

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

// runBeside is runAll with several arms at a time, each on a part of the cores, where they are small. Those that would
// leave cores idle at the end come after them, on all cores. Each comes to the same as alone.
func (s *search) runBeside(ctx context.Context, arms []*arm, r rung, stages *run.Stages) ([]*arm, error) {
	ctl := s.recipe.Run
	some := min(mostBeside, ctl.Cores(), len(arms))
	if some < 2 || r.rows > besideRows || !ctl.Affords(float64(some)*armBytes(r)) || onDevice(ctl) {
		return s.runAll(ctx, arms, r, stages)
	}
	full := len(arms) / some * some
	work := 0.0
	for _, a := range arms[:full] {
		work += s.work(a, r)
	}
	stages.Next("candidates", work)
	each := ctl.Share(some).Quiet()
	each.Workers = ctl.Cores() / some
	ctl.Workers = some
	went := make([]bool, full)
	err := par.For(ctx, ctl, "candidates", full, func(i int) error {
		a := arms[i]
		own := a.recipe.Run
		a.recipe.Run = each
		went[i] = a.run(ctx, s.views[a.view].sample, r) == nil // one that is not for these rows is left out
		a.recipe.Run = own
		return nil
	})
	var out []*arm
	for i, a := range arms[:full] {
		if went[i] {
			out = append(out, a)
		}
	}
	if err == nil && full < len(arms) {
		var rest []*arm
		rest, err = s.runAll(ctx, arms[full:], r, stages)
		out = append(out, rest...)
	}
	if len(out) == 0 {
		return nil, cmp.Or(ctx.Err(), err, errNoArm)
	}
	return out, nil
}

// armBytes is the memory that an arm takes on a rung: K of the rows fitted to, twice, and that of those measured on.
func armBytes(r rung) float64 {
	most := 0
	for _, d := range r.parts {
		most = max(most, len(d.fit)*(2*len(d.fit)+len(d.measure)))
	}
	return 8 * float64(most)
}

// onDevice reports whether the run computes on another device than the cores, which arms would have to share.
func onDevice(ctl run.Control) bool {
	_, err := gram.DeviceName(ctl.Device)
	return ctl.Device != run.CPU && (ctl.Device != run.Auto || err == nil)
}
