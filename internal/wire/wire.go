// Package wire writes Go values as bytes for another process of the same program, and
// reads them back: what units of a divided work send each other. Only the bytes of
// values are written, in the order of their fields, so both sides need the same types;
// what outlives a program has a format of its own.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// ErrDamaged reports bytes that are no value of the type that was asked for.
var ErrDamaged = errors.New("these bytes are no such value, or damaged")

// Append appends the bytes of a value: of booleans, numbers, texts, and of slices,
// pointers, maps by text and structs of exported fields of such. Equal values give equal
// bytes. It panics for other types, which no data decide.
func Append(b []byte, v any) []byte { return appendValue(b, reflect.ValueOf(v)) }

func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.Uint8, reflect.Uint64:
		return binary.AppendUvarint(b, v.Uint())
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case reflect.String:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		return append(b, v.String()...)
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, 0)
		}
		return appendValue(append(b, 1), v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return append(b, 0)
		}
		b = binary.AppendUvarint(b, uint64(v.Len())+1)
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return append(b, v.Bytes()...)
		}
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
		return b
	case reflect.Map:
		if v.IsNil() {
			return append(b, 0)
		}
		var keys []string
		for _, key := range v.MapKeys() {
			keys = append(keys, key.String())
		}
		slices.Sort(keys)
		b = binary.AppendUvarint(b, uint64(len(keys))+1)
		for _, key := range keys {
			k := reflect.ValueOf(key)
			b = appendValue(appendValue(b, k), v.MapIndex(k.Convert(v.Type().Key())))
		}
		return b
	case reflect.Struct:
		for i := range v.NumField() {
			b = appendValue(b, v.Field(i))
		}
		return b
	}
	panic(fmt.Sprintf("wire: a %s cannot be sent", v.Type()))
}

// Read reads into what v points at the value that Append wrote. Whatever the bytes are,
// it takes no more room than a small multiple of theirs.
func Read(b []byte, v any) error {
	r := reader{b}
	if err := r.value(reflect.ValueOf(v).Elem()); err != nil {
		return err
	}
	if len(r.b) > 0 {
		return ErrDamaged
	}
	return nil
}

type reader struct{ b []byte }

func (r *reader) uvarint() (uint64, error) {
	u, n := binary.Uvarint(r.b)
	if n <= 0 {
		return 0, ErrDamaged
	}
	r.b = r.b[n:]
	return u, nil
}

// bytes returns the next n bytes.
func (r *reader) bytes(n uint64) ([]byte, error) {
	if n > uint64(len(r.b)) {
		return nil, ErrDamaged
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out, nil
}

// length returns how many values of at least so many bytes each follow, and whether
// there are any to speak of.
func (r *reader) length(least int) (int, bool, error) {
	u, err := r.uvarint()
	if err != nil || u == 0 {
		return 0, false, err
	}
	if u-1 > uint64(len(r.b)/max(least, 1)) {
		return 0, false, ErrDamaged
	}
	return int(u - 1), true, nil
}

func (r *reader) value(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool:
		one, err := r.bytes(1)
		if err != nil || one[0] > 1 {
			return ErrDamaged
		}
		v.SetBool(one[0] == 1)
	case reflect.Int, reflect.Int32, reflect.Int64:
		i, n := binary.Varint(r.b)
		if n <= 0 || v.OverflowInt(i) {
			return ErrDamaged
		}
		r.b = r.b[n:]
		v.SetInt(i)
	case reflect.Uint8, reflect.Uint64:
		u, err := r.uvarint()
		if err != nil || v.OverflowUint(u) {
			return ErrDamaged
		}
		v.SetUint(u)
	case reflect.Float64:
		eight, err := r.bytes(8)
		if err != nil {
			return err
		}
		v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(eight)))
	case reflect.String:
		n, err := r.uvarint()
		if err != nil {
			return err
		}
		text, err := r.bytes(n)
		if err != nil {
			return err
		}
		v.SetString(string(text))
	case reflect.Pointer:
		one, err := r.bytes(1)
		if err != nil || one[0] > 1 {
			return ErrDamaged
		}
		if v.SetZero(); one[0] == 1 {
			v.Set(reflect.New(v.Type().Elem()))
			return r.value(v.Elem())
		}
	case reflect.Slice:
		return r.slice(v)
	case reflect.Map:
		return r.mapping(v)
	case reflect.Struct:
		for i := range v.NumField() {
			if err := r.value(v.Field(i)); err != nil {
				return err
			}
		}
	default:
		panic(fmt.Sprintf("wire: a %s cannot be sent", v.Type()))
	}
	return nil
}

func (r *reader) slice(v reflect.Value) error {
	n, some, err := r.length(least(v.Type().Elem()))
	if v.SetZero(); err != nil || !some {
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	if v.Type().Elem().Kind() == reflect.Uint8 {
		of, err := r.bytes(uint64(n))
		copy(v.Bytes(), of)
		return err
	}
	for i := range n {
		if err := r.value(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) mapping(v reflect.Value) error {
	t := v.Type()
	n, some, err := r.length(least(t.Key()) + least(t.Elem()))
	if v.SetZero(); err != nil || !some {
		return err
	}
	v.Set(reflect.MakeMapWithSize(t, n))
	for range n {
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		if err := errors.Join(r.value(key), r.value(value)); err != nil {
			return ErrDamaged
		}
		v.SetMapIndex(key, value)
	}
	if v.Len() != n {
		return ErrDamaged
	}
	return nil
}

// least returns how many bytes a value of a type has at the least.
func least(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Float64:
		return 8
	case reflect.Struct:
		n := 0
		for i := range t.NumField() {
			n += least(t.Field(i).Type)
		}
		return n
	}
	return 1
}
