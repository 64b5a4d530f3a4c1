// Package foreign reads and writes the model files of LIBSVM and LIBLINEAR, as
// their programs svm-train, svm-predict, train and predict do. It knows the files
// alone, and nothing of kerf's models: package convert makes one of the other.
package foreign

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/kerf-ml/kerf/data"
)

// lines walks over the lines of a file and says where something is wrong.
type lines struct {
	name string
	rest []byte
	line int // of the line that next returned last, from 1
}

// next returns the next line without its end, and false after the last.
func (l *lines) next() ([]byte, bool) {
	if len(l.rest) == 0 {
		return nil, false
	}
	l.line++
	line, rest, _ := bytes.Cut(l.rest, []byte{'\n'})
	l.rest = rest
	return line, true
}

func (l *lines) fault(problem, advice string, args ...any) error {
	return &data.InputError{File: l.name, Line: l.line, Problem: fmt.Sprintf(problem, args...), Advice: advice}
}

// damaged is the advice for files that no program wrote like that.
const damaged = "copy the file again, or train anew"

// header walks over the lines "key value …" until one of them is the key that ends
// the header.
func (l *lines) header(end string, use func(key string, values [][]byte) error) error {
	seen := map[string]bool{}
	for {
		line, ok := l.next()
		if !ok {
			return l.fault("the file ends before the line %q", damaged, end)
		}
		words := bytes.Fields(line)
		if len(words) == 0 {
			return l.fault("the line is empty", damaged)
		}
		key := data.Clip(string(words[0][:min(len(words[0]), 60)]), 40)
		if key == end && len(words) == 1 {
			return nil
		}
		if seen[key] {
			return l.fault("%s is there twice", damaged, key)
		}
		seen[key] = true
		if err := use(key, words[1:]); err != nil {
			return err
		}
	}
}

// number reads a finite number.
func (l *lines) number(word []byte) (float64, error) {
	v, err := strconv.ParseFloat(string(word), 64)
	if err != nil || v-v != 0 || bytes.ContainsAny(word, "xX_") {
		return 0, l.fault("%q is not a finite number", damaged, data.Clip(string(word[:min(len(word), 60)]), 40))
	}
	return v, nil
}

// numbers reads as many finite numbers as there are words.
func (l *lines) numbers(words [][]byte) ([]float64, error) {
	out := make([]float64, len(words))
	for i, w := range words {
		v, err := l.number(w)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// whole reads one whole number in a range.
func (l *lines) whole(key string, words [][]byte, low, high int) (int, error) {
	if len(words) != 1 {
		return 0, l.fault("%s has %d values and must have one", damaged, key, len(words))
	}
	n, err := strconv.Atoi(string(words[0]))
	if err != nil || n < low || n > high {
		return 0, l.fault("%s is %q and must be a whole number from %d to %d", damaged, key,
			data.Clip(string(words[0][:min(len(words[0]), 60)]), 40), low, high)
	}
	return n, nil
}

// wholes reads whole numbers of 32 bits.
func (l *lines) wholes(key string, words [][]byte) ([]int, error) {
	out := make([]int, len(words))
	for i, w := range words {
		n, err := l.whole(key, [][]byte{w}, math.MinInt32, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

// one reads the only number of a key.
func (l *lines) one(key string, words [][]byte) (float64, error) {
	if len(words) != 1 {
		return 0, l.fault("%s has %d values and must have one", damaged, key, len(words))
	}
	return l.number(words[0])
}

// distinct reports labels that stand twice.
func (l *lines) distinct(labels []int) error {
	sorted := slices.Sorted(slices.Values(labels))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return l.fault("the label %d is there twice", damaged, sorted[i])
		}
	}
	return nil
}

// output writes words and keeps the first error.
type output struct{ w *bufio.Writer }

func newOutput(w io.Writer) output { return output{bufio.NewWriterSize(w, 1<<16)} }

// line writes a key and its values.
func line[V any](o output, key string, values ...V) {
	o.w.WriteString(key)
	for _, v := range values {
		o.w.WriteByte(' ')
		switch v := any(v).(type) {
		case float64:
			o.number(v)
		default:
			fmt.Fprint(o.w, v)
		}
	}
	o.w.WriteByte('\n')
}

// number writes the shortest text that reads as the same number.
func (o output) number(v float64) {
	o.w.Write(strconv.AppendFloat(o.w.AvailableBuffer(), v, 'g', -1, 64))
}
