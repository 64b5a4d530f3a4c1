package spec

import (
	"fmt"
	"slices"
	"strings"
)

// Call is the name of a map or a learner with some of its hyperparameters:
// "f2(dim=100,select=kmeans)". The zero value leaves it open.
type Call struct {
	Name string         `json:"name"`
	Args map[string]any `json:"args,omitempty"` // numbers, texts, true and false
}

// String writes the call as people do.
func (c Call) String() string {
	if len(c.Args) == 0 {
		return c.Name
	}
	var parts []string
	for key, v := range c.Args {
		parts = append(parts, fmt.Sprintf("%s=%v", key, v))
	}
	slices.Sort(parts)
	return c.Name + "(" + strings.Join(parts, ",") + ")"
}
