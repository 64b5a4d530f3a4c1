package learn

import (
	"encoding/binary"
	"hash/fnv"
	"math"
)

// StateWriter writes a state as words of 8 bytes, the least significant byte
// first: a version, a mark that tells the problem from others, the words that
// are written, and a digest of all that. Floating-point numbers keep their bits.
type StateWriter struct{ b []byte }

// stateVersion heads every state.
const stateVersion = 1

// NewState begins a state of the problem that the mark stands for.
func NewState(mark uint64) *StateWriter {
	w := &StateWriter{}
	w.Word(stateVersion)
	w.Word(mark)
	return w
}

// Word writes a word.
func (w *StateWriter) Word(v uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, v) }

// Ints writes whole numbers, a word each.
func (w *StateWriter) Ints(v ...int) {
	for _, x := range v {
		w.Word(uint64(x))
	}
}

// Floats writes numbers, a word each.
func (w *StateWriter) Floats(v ...float64) {
	for _, x := range v {
		w.Word(math.Float64bits(x))
	}
}

// List writes how many numbers there are, and the numbers.
func (w *StateWriter) List(v []float64) {
	w.Ints(len(v))
	w.Floats(v...)
}

// Bytes writes how many bytes there are, and the bytes, filled up to whole words.
func (w *StateWriter) Bytes(v []byte) {
	w.Ints(len(v))
	w.b = append(w.b, v...)
	w.b = append(w.b, make([]byte, -len(v)&7)...)
}

// Seal returns the state.
func (w *StateWriter) Seal() []byte {
	w.Word(digest(w.b))
	return w.b
}

func digest(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// Mark returns a number that tells problems apart by a name and some lists of
// numbers.
func Mark(name string, lists ...[]float64) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	var word [8]byte
	put := func(v uint64) {
		binary.LittleEndian.PutUint64(word[:], v)
		h.Write(word[:])
	}
	for _, list := range lists {
		put(uint64(len(list)))
		for _, v := range list {
			put(math.Float64bits(v))
		}
	}
	return h.Sum64()
}

// StateReader reads what StateWriter wrote. After the first fault all it reads
// is 0, and Done reports it.
type StateReader struct {
	b      []byte
	failed bool
}

// OpenState begins to read a state of the problem that the mark stands for.
func OpenState(b []byte, mark uint64) *StateReader {
	r := &StateReader{}
	if len(b) < 24 || len(b)%8 != 0 {
		r.failed = true
		return r
	}
	r.b = b[:len(b)-8]
	if binary.LittleEndian.Uint64(b[len(b)-8:]) != digest(r.b) || r.Word() != stateVersion || r.Word() != mark {
		r.fail()
	}
	return r
}

func (r *StateReader) fail() { r.b, r.failed = nil, true }

// Word reads a word.
func (r *StateReader) Word() uint64 {
	if len(r.b) < 8 {
		r.fail()
		return 0
	}
	v := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return v
}

// Int reads a whole number from 0 to most.
func (r *StateReader) Int(most int) int {
	v := r.Word()
	if v > uint64(most) {
		r.fail()
		return 0
	}
	return int(v)
}

// Float reads a number.
func (r *StateReader) Float() float64 { return math.Float64frombits(r.Word()) }

// Floats fills a list with numbers.
func (r *StateReader) Floats(dst []float64) {
	for i := range dst {
		dst[i] = r.Float()
	}
}

// List reads a list of numbers, at most so many.
func (r *StateReader) List(most int) []float64 {
	n := r.Int(min(most, len(r.b)/8))
	if n == 0 {
		return nil
	}
	v := make([]float64, n)
	r.Floats(v)
	return v
}

// Bytes reads bytes, which are those of the state itself.
func (r *StateReader) Bytes() []byte {
	n := r.Int(len(r.b))
	whole := (n + 7) &^ 7
	if whole > len(r.b) {
		r.fail()
		return nil
	}
	v := r.b[:n:n]
	r.b = r.b[whole:]
	return v
}

// Done returns ErrState where anything was not as it was written, or is left.
func (r *StateReader) Done() error {
	if r.failed || len(r.b) > 0 {
		return ErrState
	}
	return nil
}
