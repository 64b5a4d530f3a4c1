package model_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/vmath"
	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
)

// extreme are numbers that a stored one is replaced by.
var extreme = []float64{0, math.MaxFloat64, -math.MaxFloat64, 1e155, -1e200, 5e-324, math.Inf(1), math.NaN(), 1e16}

var anyNumber = regexp.MustCompile(`-?\d+(\.\d+)?(e[+-]?\d+)?`)

// mutated returns a model file that is damaged in a few places and has the digest
// that makes it whole.
func mutated(r *rand.Rand, whole []byte) []byte {
	body := slices.Clone(whole[:len(whole)-sha256.Size])
	header := int(binary.LittleEndian.Uint32(body[12:]))
	text, parts := string(body[16:16+header]), body[16+header:]
	for range 1 + r.IntN(3) {
		switch r.IntN(4) {
		case 0: // a number of the header
			at := anyNumber.FindAllStringIndex(text, -1)
			place := at[r.IntN(len(at))]
			number := fmt.Sprint([]any{0, -1, 1, 7, 1e300, -1e300, 1e-300, 5e-324, 1 << 40, 0.5}[r.IntN(10)])
			text = text[:place[0]] + number + text[place[1]:]
		case 1: // a number of a part
			if n := len(parts) / 8; n > 0 {
				at := parts[8*r.IntN(n):]
				binary.LittleEndian.PutUint64(at, math.Float64bits(extreme[r.IntN(len(extreme))]))
			}
		default: // a bit
			i := r.IntN(len(text) + len(parts))
			if i < len(text) {
				text = text[:i] + string(text[i]^1<<r.IntN(7)) + text[i+1:]
			} else {
				parts[i-len(text)] ^= 1 << r.IntN(8)
			}
		}
	}
	b := binary.LittleEndian.AppendUint32(body[:12:12], uint32(len(text)))
	return sealed(slices.Concat(b, []byte(text), parts))
}

// TestMutated damages models of every kind on purpose, with the right checksum:
// each is refused in a few words, or its scores and features are finite or refused.
func TestMutated(t *testing.T) {
	rows := data.Slice[data.Vector]{data.Dense(), data.Dense(0.5, -1, 2), data.Dense(1e3, 1e3, -1e3),
		{Index: []int32{1, 9}, Value: []float64{1, -2}}}
	times := 60
	if testing.Short() {
		times = 10
	}
	opened, scored := 0, 0
	for i, c := range trials() {
		whole := encode(t, c.fit(t, 12))
		r := rand.New(rand.NewPCG(uint64(i), 1))
		for range times {
			b := mutated(r, whole)
			file, err := model.Decode(b)
			if err != nil {
				continue
			}
			p, err := model.Open(file, near{})
			if err != nil {
				if !strings.Contains(err.Error(), "model") {
					t.Errorf("%s: error %v", c.name, err)
				}
				continue
			}
			opened++
			scores, err := p.ScoreAll(t.Context(), run.Control{Workers: 1}, rows)
			if err != nil {
				continue
			}
			scored++
			if at := vmath.Finite(scores.Data); at >= 0 {
				t.Fatalf("%s: a damaged model scores %v: %s", c.name, scores.Data, b)
			}
			y := make([]int, rows.Len())
			if p.Regresses() {
				continue
			}
			_, margins, err := p.ScoreMargins(t.Context(), run.Control{Workers: 1}, rows, y)
			if err == nil && vmath.Finite(margins) >= 0 {
				t.Fatalf("%s: a damaged model has the margins %v", c.name, margins)
			}
			for i := range scores.Rows {
				if v := p.Prediction(scores.Row(i)).Probabilities; vmath.Finite(v) >= 0 {
					t.Fatalf("%s: a damaged model has the probabilities %v", c.name, v)
				}
			}
		}
	}
	if opened == 0 || scored == 0 || scored == opened {
		t.Errorf("%d damaged models were opened, %d gave scores; both ways should be tried", opened, scored)
	}
	t.Logf("%d damaged models were opened, %d gave scores", opened, scored)
}
