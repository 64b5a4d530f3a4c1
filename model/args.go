package model

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Hyperparameters returns the names that the fields of a recipe have in text, by
// their json tags.
func Hyperparameters(recipe any) []string {
	t := reflect.TypeOf(recipe)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
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
	p := reflect.New(reflect.TypeOf(recipe))
	p.Elem().Set(reflect.ValueOf(recipe))
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !Accepts(recipe, name) {
			has := "; it has none"
			if names := Hyperparameters(recipe); len(names) > 0 {
				has = "; it has " + strings.Join(names, ", ")
			}
			return recipe, fmt.Errorf("%s has no hyperparameter %q%s", called, name, has)
		}
		if err := set(p.Interface(), name, args[name]); err != nil {
			return recipe, fmt.Errorf("%s: hyperparameter %q %w", called, name, err)
		}
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

// set gives a hyperparameter a value.
func set(recipe any, name string, value any) error {
	text, err := json.Marshal(map[string]any{name: value})
	if err != nil {
		return fmt.Errorf("is %v, of type %T, and must be a finite number, a text, or true or false", value, value)
	}
	if value == nil {
		return errors.New("is nothing and must be a number, a text, or true or false")
	}
	err = json.Unmarshal(text, recipe)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		return fmt.Errorf("is a %s and must be %s", other.Value, kindOf(other.Type))
	}
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	return nil
}

// kindOf says in words what a field takes.
func kindOf(t reflect.Type) string {
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()), t.Kind() == reflect.String:
		return "a text"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Float64 || t.Kind() == reflect.Float32:
		return "a number"
	}
	return "a whole number"
}

// outOfRange reports a field that is not what it must be.
func outOfRange(field string, value any, want string) error {
	return fmt.Errorf("%s is %v and must be %s", field, value, want)
}
