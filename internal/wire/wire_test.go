package wire

import (
	"bytes"
	"math"
	"reflect"
	"testing"
)

type inner struct {
	Text string
	Code byte
	Of   []float64
}

type whole struct {
	Yes       bool
	Count     int
	Small     int32
	Seed      uint64
	Part      float64
	Name      string
	Raw       []byte
	Rows      []int
	Codes     []int32
	Names     []string
	Nested    [][]string
	Inner     inner
	Inners    []inner
	Maybe     *inner
	By        map[string]string
	Empty     []int
	Something map[string]inner
}

func samples() []whole {
	return []whole{
		{},
		{Yes: true, Count: -7, Small: math.MinInt32, Seed: math.MaxUint64, Part: math.Inf(-1), Name: "żółw",
			Raw: []byte{0, 255}, Rows: []int{math.MaxInt, math.MinInt}, Codes: []int32{-1, 0, 1}, Names: []string{"", "a"},
			Nested: [][]string{nil, {}, {"x", "y"}}, Inner: inner{"i", 9, []float64{1, 2}}, Inners: []inner{{}, {Text: "z"}},
			Maybe: &inner{Code: 3}, By: map[string]string{"b": "2", "a": "1"}, Empty: []int{},
			Something: map[string]inner{"k": {Of: []float64{0.5}}}},
	}
}

func TestRoundTrip(t *testing.T) {
	for _, want := range samples() {
		b := Append(nil, &want)[1:] // without the pointer's byte
		var got whole
		if err := Read(b, &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("read %+v\nwrote %+v", got, want)
		}
		if again := Append(nil, got); !bytes.Equal(again, b) {
			t.Error("equal values give other bytes")
		}
	}
}

// Every cut and every single changed byte is an error or another value, never a panic.
func TestDamage(t *testing.T) {
	b := Append(nil, samples()[1])
	for n := range b {
		var got whole
		if Read(b[:n], &got) == nil {
			t.Errorf("the first %d of %d bytes are a value", n, len(b))
		}
		for _, bit := range []byte{1, 16, 128, 255} {
			c := bytes.Clone(b)
			c[n] ^= bit
			_ = Read(c, &got)
		}
	}
	var got whole
	if Read(append(b, 0), &got) == nil {
		t.Error("a byte too many is taken")
	}
}

// A short message cannot ask for much room.
func TestRoom(t *testing.T) {
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}
	for _, v := range []any{new([]float64), new([]inner), new([]byte), new(map[string]string), new(string)} {
		if Read(huge, v) == nil {
			t.Errorf("%T: a length past the bytes is taken", v)
		}
	}
}

func TestOther(t *testing.T) {
	for _, v := range []any{func() {}, make(chan int), complex(1, 1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a %T is sent", v)
				}
			}()
			Append(nil, v)
		}()
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range samples() {
		f.Add(Append(nil, s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var v whole
		if Read(b, &v) != nil {
			return
		}
		var again whole
		if err := Read(Append(nil, v), &again); err != nil {
			t.Fatal(err)
		}
	})
}
