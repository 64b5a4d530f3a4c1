package external

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/kerf-ml/kerf/data"
)

// Instance is what programs and modules can be given.
type Instance interface {
	data.Vector | string | data.Set
}

// maxDim is the largest number of coordinates of a vector, which is written with
// all its zeros.
const maxDim = 1 << 24

var (
	errWide     = fmt.Errorf("an instance has more than %d coordinates", maxDim)
	errInfinite = errors.New("an instance has a value that is not finite")
)

// appendJSON appends an instance as programs read it. It returns an error for a
// vector that is too wide, or that has a value which JSON cannot hold.
func appendJSON[T Instance](dst []byte, x T) ([]byte, error) {
	switch x := any(x).(type) {
	case data.Vector:
		return appendVector(dst, x)
	case string:
		return appendString(dst, x), nil
	case data.Set:
		dst = append(dst, '[')
		for i, item := range x {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, item)
		}
		return append(dst, ']'), nil
	}
	panic("external: impossible instance")
}

func appendVector(dst []byte, v data.Vector) ([]byte, error) {
	if v.Dim() > maxDim {
		return nil, errWide
	}
	dst = append(dst, '[')
	at := 0
	for k, value := range v.Value {
		if value-value != 0 {
			return nil, errInfinite
		}
		j := k
		if v.IsSparse() {
			j = int(v.Index[k])
		}
		for ; at < j; at++ {
			dst = append(dst, "0,"...)
		}
		dst = strconv.AppendFloat(dst, value, 'g', -1, 64)
		dst = append(dst, ',')
		at++
	}
	if at > 0 {
		dst = dst[:len(dst)-1]
	}
	return append(dst, ']'), nil
}

// appendString appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	out := bytes.NewBuffer(dst)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string never fails
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'})
}

// appendBytes appends an instance as modules read it, and returns the length that
// they are told: numbers of a vector, bytes of anything else. It returns an error
// for a vector that is too wide.
func appendBytes[T Instance](dst []byte, x T) (_ []byte, length int, err error) {
	switch x := any(x).(type) {
	case data.Vector:
		if x.Dim() > maxDim {
			return nil, 0, errWide
		}
		n := len(dst)
		dst = append(dst, make([]byte, 8*x.Dim())...)
		for k, value := range x.Value {
			j := k
			if x.IsSparse() {
				j = int(x.Index[k])
			}
			binary.LittleEndian.PutUint64(dst[n+8*j:], math.Float64bits(value))
		}
		return dst, x.Dim(), nil
	case string:
		return append(dst, x...), len(x), nil
	case data.Set:
		n := len(dst)
		for _, item := range x {
			dst = append(append(dst, item...), 0)
		}
		return dst, len(dst) - n, nil
	}
	panic("external: impossible instance")
}
