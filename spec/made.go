package spec

import (
	"reflect"
	"strings"

	"github.com/kerf-ml/kerf/kernel"
)

// made makes kernels of the type of k. The parameters are its exported fields, by
// their names in lower case, floating-point or whole numbers; where one is not
// given, it is that of k.
func made[T any](k kernel.Kernel[T]) maker[T] {
	return func(a *arguments) (kernel.Kernel[T], error) {
		v := reflect.New(reflect.TypeOf(k)).Elem()
		v.Set(reflect.ValueOf(k))
		var defaults []named
		for i := range v.NumField() {
			defaults = append(defaults, named{fieldName(v, i), number(v.Field(i))})
		}
		values, err := a.numbers(defaults...)
		if err != nil {
			return nil, err
		}
		for i, d := range defaults {
			if v.Field(i).CanFloat() {
				v.Field(i).SetFloat(values[d.name])
				continue
			}
			whole, err := a.whole(values, d.name)
			if err != nil {
				return nil, err
			}
			v.Field(i).SetInt(int64(whole))
		}
		return v.Interface().(kernel.Kernel[T]), nil
	}
}

func fieldName(v reflect.Value, i int) string { return strings.ToLower(v.Type().Field(i).Name) }

func number(v reflect.Value) float64 {
	if v.CanFloat() {
		return v.Float()
	}
	return float64(v.Int())
}
