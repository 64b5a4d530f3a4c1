package model

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Hyperparameters returns the names that the fields of a recipe have in text, by
// their json tags.
func Hyperparameters(recipe any) []string {
	var names []string
	t := reflect.TypeOf(recipe)
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// Accepts reports whether a recipe has a hyperparameter of the name.
func Accepts(recipe any, name string) bool { return slices.Contains(Hyperparameters(recipe), name) }

// with returns a recipe with some of its hyperparameters replaced.
func with[R any](recipe R, called string, args map[string]any) (R, error) {
	for name := range args {
		if !Accepts(recipe, name) {
			has := "; it has none"
			if names := Hyperparameters(recipe); len(names) > 0 {
				has = "; it has " + strings.Join(names, ", ")
			}
			return recipe, fmt.Errorf("%s has no hyperparameter %q%s", called, name, has)
		}
	}
	text, err := json.Marshal(args)
	if err != nil {
		return recipe, fmt.Errorf("%s: %w", called, err)
	}
	p := reflect.New(reflect.TypeOf(recipe))
	p.Elem().Set(reflect.ValueOf(recipe))
	if err := json.Unmarshal(text, p.Interface()); err != nil {
		return recipe, fmt.Errorf("%s: %w", called, err)
	}
	return p.Elem().Interface().(R), nil
}

// DimOf returns the hyperparameter dim of a recipe, 0 where it has none.
func DimOf(recipe any) int {
	v := reflect.ValueOf(recipe)
	for i := range v.NumField() {
		if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); name == "dim" {
			return int(v.Field(i).Int())
		}
	}
	return 0
}

// Resize returns the recipe of a map with another dim, and all else as it was.
func Resize[T any](m Mapper[T], dim int) Mapper[T] {
	out, err := with(m, m.Name(), map[string]any{"dim": dim})
	if err != nil {
		return m
	}
	return out
}
