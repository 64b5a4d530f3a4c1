package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Call is the name of a map or a learner with some of its hyperparameters:
// "f2(dim=100,select=kmeans)". The zero value leaves it open.
type Call struct {
	Name string         `json:"name"`
	Args map[string]any `json:"args,omitempty"` // numbers, texts, true and false
}

// ParseCall reads a call. Whether there is such a map or learner, and whether it
// has these hyperparameters, is for package model to say.
func ParseCall(text string) (Call, error) {
	fail := func(at int, problem string) (Call, error) {
		return Call{}, fmt.Errorf("%s, column %d: %s", strconv.Quote(text), at+1, problem)
	}
	name, rest, has := strings.Cut(text, "(")
	c := Call{Name: strings.TrimSpace(name)}
	if c.Name == "" && strings.TrimSpace(text) != "" {
		return fail(0, "a name is expected here, such as f2 or svm")
	}
	if !has {
		return c, nil
	}
	inner, after, closed := strings.Cut(rest, ")")
	if !closed || strings.TrimSpace(after) != "" {
		return fail(len(text), "a closing parenthesis is expected at the end")
	}
	c.Args = map[string]any{}
	at := len(name) + 1
	for _, part := range strings.Split(inner, ",") {
		key, value, ok := strings.Cut(part, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch _, twice := c.Args[key]; {
		case strings.TrimSpace(inner) == "":
		case !ok || key == "" || value == "":
			return fail(at, "hyperparameters are written name=value")
		case twice:
			return fail(at, key+" is given twice")
		default:
			c.Args[key] = argument(value)
		}
		at += len(part) + 1
	}
	return c, nil
}

func argument(text string) any {
	if v, err := strconv.ParseFloat(text, 64); err == nil && v-v == 0 {
		return v
	}
	if v, err := strconv.ParseBool(text); err == nil {
		return v
	}
	return text
}

// String writes the call so that ParseCall reads it back.
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
