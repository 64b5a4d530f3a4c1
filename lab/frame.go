package lab

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// A frame is an answer as the page takes it: the length of a JSON text as four bytes,
// least first, the text, blanks up to a multiple of four, and then the arrays that the
// text lists under "sections", each of float32 or bytes, least byte first, and each padded
// to a multiple of four. docs/adr/0049-lab.md has what JSON alone would cost.

// section is an array of a frame.
type section struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"` // f4 or u1
	Count int    `json:"count"`
}

// Frame returns the answer as a frame.
func (a *Answer) Frame() ([]byte, error) {
	reals := []struct {
		name   string
		values []float32
	}{{"points", a.Points}, {"margins", a.Margins}, {"landmarks", a.Landmarks}, {"raster", a.Raster}}
	small := []struct {
		name   string
		values []uint8
	}{{"labels", a.Labels}, {"decided", a.Decided}}
	head := struct {
		*Answer
		Sections []section `json:"sections"`
	}{Answer: a}
	size := 0
	for _, r := range reals {
		head.Sections = append(head.Sections, section{r.name, "f4", len(r.values)})
		size += 4 * len(r.values)
	}
	for _, b := range small {
		head.Sections = append(head.Sections, section{b.name, "u1", len(b.values)})
		size += len(b.values) + 4
	}
	text, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("the answer cannot be written: %w", err)
	}
	text = append(text, bytes.Repeat([]byte(" "), (4-len(text)%4)%4)...)
	out := make([]byte, 0, 4+len(text)+size)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(text)))
	out = append(out, text...)
	for _, r := range reals {
		for _, v := range r.values {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
	}
	for _, b := range small {
		out = append(out, b.values...)
		out = append(out, make([]byte, (4-len(out)%4)%4)...)
	}
	return out, nil
}
