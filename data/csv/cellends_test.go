package csv_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/data/csv"
	"github.com/kerf-ml/kerf/internal/vmath"
)

func TestCellEnds(t *testing.T) {
	for _, level := range []vmath.Level{vmath.Plain, vmath.AVX512} {
		defer vmath.Limit(level)()
		checkCellEnds(t)
	}
}

func checkCellEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, alphabet := range []string{"1", ",", "\n", ",\n", "0123456789.-,", "12,\n\x00\x80\xff\x8a\xac\xad-+", ";x,\n"} {
		for _, size := range []int{0, 1, 7, 8, 9, 31, 63, 64, 65, 127, 128, 129, 1000} {
			for _, comma := range []byte{',', ';', '\t'} {
				text := make([]byte, size)
				want := []int32{-1}
				for i := range text {
					if text[i] = alphabet[rng.IntN(len(alphabet))]; text[i] == comma || text[i] == '\n' {
						want = append(want, int32(i))
					}
				}
				for _, room := range []int{csv.MoreEnds, size + 1 + csv.MoreEnds} {
					ends := append(make([]int32, room), -7)
					if got := csv.CellEnds(ends[:room:room], text, comma); !slices.Equal(got, want) {
						t.Fatalf("%q, %q: %v, want %v", text, comma, got, want)
					}
					if ends[room] != -7 {
						t.Fatalf("%q, %q: a place behind the room for ends is written", text, comma)
					}
				}
			}
		}
	}
}
