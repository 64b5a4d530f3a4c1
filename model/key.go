package model

import (
	"encoding/json"
	"fmt"
)

// Key returns a text that tells the recipe from all others: every field of it, of
// its map and of its learner, but for how it is run. Precision counts, because it
// changes results.
func (r Recipe[T]) Key() ([]byte, error) {
	return json.Marshal(struct {
		Kernel    string
		Map       any
		MapIs     string
		Learner   any
		LearnerIs string
		Precision string
		Rest      any
	}{
		fmt.Sprint(r.Kernel), r.Map, fmt.Sprintf("%T %s", r.Map, r.Map.Name()),
		r.Learner, fmt.Sprintf("%T %s", r.Learner, r.Learner.Name()), r.Run.Precision.String(),
		[]any{r.Choose, r.Claim, r.ClassWeight, r.Balanced, r.Calibrate, r.Conformal, r.Seed},
	})
}
