package model

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kerf-ml/kerf/spec"
)

// MapBlend is what the map of a blend is called in its header: the maps of its parts
// side by side.
const MapBlend = "blend"

// PartHeader says what a part of a blend is. Task and classes are the blend's. The
// blobs of part 1 are called part1/weights and so on.
type PartHeader struct {
	Weight    float64      `json:"weight"`
	Kernel    string       `json:"kernel"` // as package spec reads it; empty where there is none
	Map       MapHeader    `json:"map"`
	Votes     *VotesHeader `json:"votes,omitempty"`
	Learner   string       `json:"learner"`
	Unit      float64      `json:"unit"`
	Precision string       `json:"precision,omitempty"`
}

// Kernels returns the texts of the kernels of the model: one, or one a part of a
// blend; "linear" where there is none.
func (h Header) Kernels() []string {
	out := make([]string, max(len(h.Parts), 1))
	for i := range out {
		out[i] = h.Kernel
		if len(h.Parts) > 0 {
			out[i] = h.Parts[i].Kernel
		}
		if out[i] == "" {
			out[i] = "linear"
		}
	}
	return out
}

// Programs returns the commands of all programs that opening the model would start.
func (h Header) Programs() []string {
	var out []string
	for _, k := range h.Kernels() {
		out = append(out, spec.Programs(k)...)
	}
	return out
}

// describeParts completes the header of a blend.
func describeParts[T any](h Header, p *Pipeline[T], kind Kind[T]) (Header, error) {
	h.Map.Kind, h.Map.Dim = MapBlend, p.Map.Dim()
	for i, part := range p.Parts {
		is, err := Describe(part.Pipeline, kind)
		if err != nil {
			return h, fmt.Errorf("part %d of the blend: %w", i+1, err)
		}
		h.Map.Landmarks += is.Map.Landmarks
		h.Parts = append(h.Parts, PartHeader{Weight: part.Weight, Kernel: is.Kernel, Map: is.Map, Votes: is.Votes,
			Learner: is.Learner, Unit: is.Unit, Precision: is.Precision})
	}
	h.Kernel = blendText(h.Kernels())
	return h, nil
}

// of returns the header of the part as that of a model of its own.
func (p PartHeader) of(h Header) Header {
	return Header{Writer: h.Writer, Instances: h.Instances, Kernel: p.Kernel, Map: p.Map, Votes: p.Votes, Task: h.Task,
		Learner: p.Learner, Classes: h.Classes, Unit: p.Unit, Precision: p.Precision}
}

func partName(i int) string { return fmt.Sprintf("part%d", i+1) }

// partBlobs returns the blobs of all parts of a blend.
func partBlobs[T any](p *Pipeline[T], h Header, kind Kind[T]) ([]blob, error) {
	var out []blob
	for i, part := range p.Parts {
		blobs, err := blobsOf(part.Pipeline, h.Parts[i].of(h), kind)
		if err != nil {
			return nil, fmt.Errorf("part %d of the blend: %w", i+1, err)
		}
		for _, b := range blobs {
			out = append(out, blob{partName(i) + "/" + b.name, b.bytes})
		}
	}
	return out, nil
}

// maxParts bounds the parts of a blend in a file, each of which may take more memory
// than its bytes.
const maxParts = 1000

// openParts builds the blend of a file.
func openParts[T any](f *File, kind Kind[T]) (*Pipeline[T], error) {
	h := f.Header
	if err := h.checkParts(); err != nil {
		return nil, err
	}
	blobs := map[string]map[string][]byte{}
	for name, b := range f.blobs {
		part, inner, _ := strings.Cut(name, "/")
		if blobs[part] == nil {
			blobs[part] = map[string][]byte{}
		}
		blobs[part][inner] = b
	}
	parts, weight := make([]*Pipeline[T], len(h.Parts)), make([]float64, len(h.Parts))
	for i, part := range h.Parts {
		one := &File{Header: part.of(h), AllowExec: f.AllowExec, blobs: blobs[partName(i)]}
		var err error
		if parts[i], err = openOne(one, kind); err != nil {
			return nil, fmt.Errorf("part %d of the blend: %w", i+1, err)
		}
		weight[i] = part.Weight
	}
	p, err := Blend(parts, weight)
	if err != nil {
		return nil, err
	}
	p.Calibration, p.Conformal, p.Learner, p.Trained = h.Calibration, h.Conformal, h.Learner, h.Trained
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := checkHeader(h, p, kind); err != nil {
		return nil, err
	}
	if h.Kernel != blendText(h.Kernels()) || h.Map.Kind != MapBlend || h.Unit != p.Unit {
		return nil, errors.New("its header says of the blend what its parts are not")
	}
	return p, nil
}

// checkParts reports parts that no blend has, before any of them is opened.
func (h Header) checkParts() error {
	if n := len(h.Parts); n < 2 || n > maxParts {
		return fmt.Errorf("it claims to be a blend of %d parts", n)
	}
	if h.Pairs != nil || h.Ties != "" || h.Votes != nil || h.Precision != "" {
		return errors.New("it is a blend with what its parts alone have")
	}
	drawn := 0.0
	for i, part := range h.Parts {
		if !(part.Weight > 0) {
			return fmt.Errorf("part %d of the blend has the weight %v", i+1, part.Weight)
		}
		drawn += float64(max(part.Map.Dim, 0)) * float64(max(part.Map.Width, 0))
	}
	if drawn > maxEntries {
		return errors.New("its maps claim too many features of too many coordinates")
	}
	return nil
}
