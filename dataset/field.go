package dataset

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/kerf-ml/kerf/internal/order"
)

// field is a named value of a record: a string, a float64, a bool, nil if it is
// missing, or a value of a type that no column holds.
type field struct {
	name  string
	value any
}

// fieldsOf returns the values of a map or struct, those of a map sorted by name.
func fieldsOf(record any) ([]field, error) {
	v := reflect.ValueOf(record)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	var out []field
	switch {
	case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
		for _, key := range v.MapKeys() {
			out = appendField(out, key.String(), v.MapIndex(key))
		}
		order.Stable(out, func(a, b field) int { return strings.Compare(a.name, b.name) })
	case v.Kind() == reflect.Struct:
		for _, f := range reflect.VisibleFields(v.Type()) {
			name := fieldName(f)
			if name == "" {
				continue
			}
			value, err := v.FieldByIndexErr(f.Index)
			if err != nil {
				continue // within an embedded struct that is not there
			}
			out = appendField(out, name, value)
		}
	default:
		return nil, fmt.Errorf("a value of type %T is no map, struct or list of cells", record)
	}
	return out, nil
}

// fieldName returns the column of a struct's field, empty for none.
func fieldName(f reflect.StructField) string {
	if !f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct {
		return ""
	}
	if tag, ok := f.Tag.Lookup("kerf"); ok {
		return strings.TrimPrefix(tag, "-")
	}
	tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch tag {
	case "-":
		return ""
	case "":
		return f.Name
	}
	return tag
}

// appendField appends a value, or those of an array, each under its number.
func appendField(all []field, name string, v reflect.Value) []field {
	for (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8 || v.Kind() == reflect.Array {
		for i := range v.Len() {
			all = appendField(all, fmt.Sprintf("%s[%d]", name, i+1), v.Index(i))
		}
		return all
	}
	return append(all, field{name, plainValue(v)})
}

// plainValue returns a value as a string, float64 or bool where it is one.
func plainValue(v reflect.Value) any {
	switch {
	case !v.IsValid():
		return nil
	case v.Type() == reflect.TypeFor[json.Number]():
		if f, err := json.Number(v.String()).Float64(); err == nil {
			return f
		}
		return v.String()
	case v.Kind() == reflect.String:
		return v.String()
	case v.Kind() == reflect.Bool:
		return v.Bool()
	case v.CanFloat():
		return v.Float()
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface || v.Kind() == reflect.Slice) && v.IsNil():
		return nil
	}
	return v.Interface()
}
