package model

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/atomicfile"
	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/learn/calibrate"
)

// A model file is
//
//	magic    8 bytes   "kerfmodl"
//	version  4 bytes   little-endian
//	length   4 bytes   of the header
//	header   JSON      what is inside, and the names and sizes of the blobs
//	blobs    bytes     numbers, little-endian, in the header's order
//	digest   32 bytes  SHA-256 of everything before it
//
// docs/adr/0004-model-file.md says why.
//
// Blends are format 2 and pairs of which the first class wins are format 3, so that an
// older kerf says that it is too old for them; all other models are format 1.
const (
	magic   = "kerfmodl"
	version = 3
	prefix  = len(magic) + 8
)

// tiesFirst is what the header says of Head.FirstWins.
const tiesFirst = "first"

// Errors of loading a file, for errors.Is. Each comes wrapped with the details.
var (
	ErrNotModel = errors.New("this is not a kerf model file")
	ErrDamaged  = errors.New("the model file is damaged")
	ErrNewer    = errors.New("the model file was written by a newer kerf")
	ErrKind     = errors.New("the model is for another kind of instances")
	ErrProgram  = errors.New("opening the model would start a program, which is not allowed")
)

// Header says what is in a model file.
type Header struct {
	Writer    string       `json:"writer"`    // version of kerf that wrote it
	Instances string       `json:"instances"` // kind of the instances
	Kernel    string       `json:"kernel"`    // as package spec reads it; empty where there is none; of a blend for people
	Map       MapHeader    `json:"map"`
	Parts     []PartHeader `json:"parts,omitempty"` // of a blend; what is not theirs is the blend's
	Votes     *VotesHeader `json:"votes,omitempty"` // rules behind the map, of a boosted model
	Task      Task         `json:"task,omitempty"`  // classify where it is not named
	Learner   string       `json:"learner"`
	Classes   []string     `json:"classes"`
	// of a separator a pair of classes: where the support of each class begins, and its size
	Pairs []int   `json:"pairs,omitempty"`
	Ties  string  `json:"ties,omitempty"` // first, where the first of the classes with most pairs wins
	Unit  float64 `json:"unit"`

	Calibration *calibrate.Calibration `json:"calibration,omitempty"`
	Conformal   []calibrate.Conformal  `json:"conformal,omitempty"`

	Precision string          `json:"precision,omitempty"` // of kernel values; float64 where it is not named
	Schema    json.RawMessage `json:"schema,omitempty"`
	Trained   json.RawMessage `json:"trained,omitempty"`
	Blobs     []blobHeader    `json:"blobs"`
}

// MapHeader says what the map of a model is.
type MapHeader struct {
	Kind       string            `json:"kind"`                 // one of MapNames, MapBlend, or that of a map of one's own
	Dim        int               `json:"dim"`                  // features
	Landmarks  int               `json:"landmarks"`            // landmarks kept
	Drawn      int               `json:"drawn,omitempty"`      // landmarks drawn, dependent ones included
	Projection *ProjectionHeader `json:"projection,omitempty"` // of f3 and project
	Repair     string            `json:"repair,omitempty"`     // of f2 for a similarity that is no kernel
	Width      int               `json:"width,omitempty"`      // coordinates of a vector, where the map depends on it
	Seed       uint64            `json:"seed,omitempty"`       // of a map that does not look at the data
	Degree     int               `json:"degree,omitempty"`     // of taylor
	Unit       float64           `json:"unit,omitempty"`       // bias coordinate of lift
	Of         *MapHeader        `json:"of,omitempty"`         // the map that is lifted
}

// VotesHeader says what the rules of a boosted model are.
type VotesHeader struct {
	Rules int  `json:"rules"`
	Cuts  bool `json:"cuts"` // of one coordinate each, not halfspaces
}

// ProjectionHeader recalls a random projection.
type ProjectionHeader struct {
	Kind string `json:"kind"`
	Out  int    `json:"out"`
	Seed uint64 `json:"seed"`
}

type blobHeader struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// File is a model file that has been read and whose digest is right.
type File struct {
	Header Header
	Digest [sha256.Size]byte

	// AllowExec lets a kernel exec: start its program when the model is opened. The
	// file names that program, so that who opens a stranger's file runs a stranger's
	// program.
	AllowExec bool

	blobs map[string][]byte
}

// Kind is what the file format needs to know about a kind of instances: how to
// store them and how to read their kernels. Package spec has one for each.
type Kind[T any] interface {
	Name() string
	Kernel(text string) (kernel.Kernel[T], error)
	Encode(x data.Source[T]) []byte
	Decode(b []byte) (data.Source[T], error)
}

// ReadFile reads and checks a model file. Of any other file it reads the beginning
// alone.
func ReadFile(path string) (*File, error) {
	b, err := readAll(path)
	if err != nil {
		return nil, err
	}
	f, err := Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// readAll reads a file that begins as model files do, and of others so much.
func readAll(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, len(magic))
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err == nil && string(head) != magic {
		return head[:n], nil
	}
	info, statErr := f.Stat()
	if err = cmp.Or(err, statErr); err != nil {
		return nil, err
	}
	all := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	all.Write(head)
	_, err = all.ReadFrom(f)
	return all.Bytes(), err
}

// Decode checks the bytes of a model file and takes them apart. It never
// allocates more than a small multiple of len(b).
func Decode(b []byte) (*File, error) {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return nil, ErrNotModel
	}
	if len(b) < prefix+sha256.Size {
		return nil, fmt.Errorf("%w: it ends after %d bytes", ErrDamaged, len(b))
	}
	switch v := binary.LittleEndian.Uint32(b[len(magic):]); {
	case v > version:
		return nil, fmt.Errorf("%w: it has format %d, this kerf reads up to %d", ErrNewer, v, version)
	case v == 0:
		return nil, fmt.Errorf("%w: there is no format 0", ErrDamaged)
	}
	body, digest := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], digest) {
		return nil, fmt.Errorf("%w: its checksum is wrong; copy it again or train anew", ErrDamaged)
	}
	f := &File{Digest: [sha256.Size]byte(digest), blobs: map[string][]byte{}}
	n := int64(binary.LittleEndian.Uint32(b[len(magic)+4:]))
	rest := body[prefix:]
	if n > int64(len(rest)) {
		return nil, fmt.Errorf("%w: its header is cut off", ErrDamaged)
	}
	if err := json.Unmarshal(rest[:n], &f.Header); err != nil {
		return nil, fmt.Errorf("%w: its header cannot be read: %w", ErrDamaged, err)
	}
	if len(f.Header.Parts) > 0 && binary.LittleEndian.Uint32(b[len(magic):]) < 2 {
		return nil, fmt.Errorf("%w: it is a blend, and has format 1", ErrDamaged)
	}
	if f.Header.Ties != "" && (f.Header.Ties != tiesFirst || binary.LittleEndian.Uint32(b[len(magic):]) < 3) {
		return nil, fmt.Errorf("%w: its ties are %q", ErrDamaged, data.Clip(f.Header.Ties, 40))
	}
	rest = rest[n:]
	for _, h := range f.Header.Blobs {
		if h.Bytes < 0 || h.Bytes > len(rest) {
			return nil, fmt.Errorf("%w: its part %q is cut off", ErrDamaged, h.Name)
		}
		f.blobs[h.Name], rest = rest[:h.Bytes], rest[h.Bytes:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%w: %d bytes are left over", ErrDamaged, len(rest))
	}
	return f, nil
}

// Blob returns the bytes of a part of the file by its name, nil where there is none.
// They are shared and must not be written to.
func (f *File) Blob(name string) []byte { return f.blobs[name] }

// blob is a named part of a file on its way out.
type blob struct {
	name  string
	bytes []byte
}

// write puts header and blobs into the format.
func write(w io.Writer, h Header, blobs []blob) error {
	for _, b := range blobs {
		h.Blobs = append(h.Blobs, blobHeader{Name: b.name, Bytes: len(b.bytes)})
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if len(text) > math.MaxUint32 {
		return errors.New("the model's header is too large to be stored")
	}
	digest := sha256.New()
	out := io.MultiWriter(w, digest)
	format := uint32(1)
	switch {
	case h.Ties != "":
		format = 3
	case len(h.Parts) > 0:
		format = 2
	}
	head := binary.LittleEndian.AppendUint32([]byte(magic), format)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(text)))
	for _, part := range append([]blob{{bytes: head}, {bytes: text}}, blobs...) {
		if _, err := out.Write(part.bytes); err != nil {
			return err
		}
	}
	_, err = w.Write(digest.Sum(nil))
	return err
}

// Save writes a pipeline to a file, whole or not at all.
func Save[T any](path string, p *Pipeline[T], kind Kind[T]) error {
	return atomicfile.Write(path, func(w io.Writer) error { return Write(w, p, kind) })
}
