package decimal_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/decimal"
)

// row returns the cells of a text, which commas and line ends separate, as a text with so much behind, and
// where they end.
func row(text string, behind int) (cells []string, buffer []byte, ends []int32) {
	cells = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' })
	ends = []int32{-1}
	for _, c := range cells {
		buffer = append(append(buffer, c...), ',')
		ends = append(ends, int32(len(buffer)-1))
	}
	return cells, append(buffer, bytes.Repeat([]byte{'5'}, behind)...), ends
}

// checkCells reads the cells of a text side by side, from each of the first on, and compares with strconv. It
// returns how many could not be read from the first on.
func checkCells(t testing.TB, text string, behind int) (odd int) {
	t.Helper()
	cells, buffer, ends := row(text, behind)
	for first := range min(len(cells), 9) {
		bad := 0
		for at := first; at < len(cells); {
			dst := slices.Repeat([]float64{math.Pi}, len(cells)-at)
			points := make([]byte, len(dst)/8+2)
			n, left := decimal.Cells(dst, 0, buffer, ends, decimal.Block{First: at, Width: len(dst)}, points)
			if n == 0 || n%8 != 0 && n != len(dst) || left == 0 && n != len(dst) || points[(n+7)/8] != 0 {
				t.Fatalf("%d of %d cells and %08b, points %v", n, len(dst), left, points)
			}
			for k := range n {
				if k >= (n-1)&^7 && left>>(k%8)&1 == 1 {
					bad++
					continue
				}
				want, err := strconv.ParseFloat(cells[at+k], 64)
				if err != nil || math.Float64bits(dst[k]) != math.Float64bits(want+0) {
					t.Fatalf("%q in place %d from %d: %v, want %v, %v", cells[at+k], k, at, dst[k], want, err)
				}
				if strings.Contains(cells[at+k], ".") && points[k/8]>>(k%8)&1 == 0 {
					t.Fatalf("%q has no point", cells[at+k])
				}
			}
			for _, v := range dst[n:] {
				if v != math.Pi {
					t.Fatalf("%v behind the %d that were read", v, n)
				}
			}
			at += n
		}
		if first == 0 {
			odd = bad
		}
	}
	return odd
}

// checkBlock reads numbers of rows as a block, each behind the cells that it skips, and compares with strconv.
func checkBlock(t testing.TB, text string, behind, width, skip int) {
	t.Helper()
	cells, buffer, ends := row(text, behind)
	rows := len(cells) / (width + skip)
	of := decimal.Block{First: skip, Width: width, Stride: width + skip}
	dst := slices.Repeat([]float64{math.Pi}, rows*width)
	points := make([]byte, (len(dst)+7)/8)
	for at := 0; at < len(dst); {
		n, odd := decimal.Cells(dst, at, buffer, ends, of, points)
		if n <= 0 || n%8 != 0 && at+n != len(dst) || odd == 0 && at+n != len(dst) {
			t.Fatalf("%d from %d of %d, %08b", n, at, len(dst), odd)
		}
		for k := at; k < at+n; k++ {
			if k >= (at+n-1)&^7 && odd>>(k%8)&1 == 1 {
				continue
			}
			cell := cells[k/width*(width+skip)+skip+k%width]
			want, err := strconv.ParseFloat(cell, 64)
			if err != nil || math.Float64bits(dst[k]) != math.Float64bits(want+0) {
				t.Fatalf("%q, number %d, rows of %d and %d: %v, want %v, %v", cell, k, width, skip, dst[k], want, err)
			}
			if strings.Contains(cell, ".") && points[k/8]>>(k%8)&1 == 0 {
				t.Fatalf("%q has no point", cell)
			}
		}
		at += n
	}
}

func TestBlock(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, digits := range []int{0, 3, 16, -1} {
		var text []byte
		for k := range 600 {
			if k%97 == 50 {
				text = append(text, "abc,"...)
			}
			text = append(strconv.AppendFloat(text, rng.NormFloat64(), 'f', digits, 64), ',')
		}
		eachLevel(func() {
			for _, width := range []int{1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 25, 50} {
				for skip := range 4 {
					checkBlock(t, string(text), 200, width, skip)
					checkBlock(t, string(text), 20, width, skip)
				}
			}
		})
	}
}

func TestCells(t *testing.T) {
	eachLevel(func() {
		for _, text := range []string{
			"1.5,-2.25,12345678,-0,0.1,-0.000001,1234567.1234567,0.12345678901234567,-1.2345678901234567", "5.,.5,-.5,0.,7",
			"9007199254740993.0,0.30000000000000004,0.0000000000000000001,4503599.627370496,12345678.5,450359.9627370496512",
			"0.50000000,0.500000000,0.5000000000000000,0.50000000000000000,0.500000000000000000",
			"1,2,3,4,5,6,7,8,9,0,1,2,-3,4,5,6,7",
			"1234567890123456,999999999999999.,.999999999999999,-99999999999999.,-.00000000000001,0,-0,-0.",
			"1234567890123456789,9999999999999999999,-1.000000000000000000,.0000000000000000000001,.00000000000000000000001,1.5",
			"9007199254740992,9007199254740994,900719925474099.35,18014398509481985,18014398509481991,-36028797018963971,0.5",
		} {
			for _, behind := range []int{0, 1, 25, 26, 27, 127, 128, 129, 200} {
				checkCells(t, text, behind)
			}
			if odd := checkCells(t, text, 200); odd > 1 && decimal.ByRows() {
				t.Errorf("%d of %q could not be read", odd, text)
			}
		}
	})
}

// A cell that is no common number is told wherever it stands, and those beside it are read.
func TestCellsOdd(t *testing.T) {
	eachLevel(func() {
		for _, odd := range []string{
			"-", ".", "-.", "x", "1x", "1.5x", "+1", "1e5", "1.5.5", "..5", "5..", "--1", "1-", "-1-", " 1", "1 ", "1/5", "1:5",
			"/", ":", "\x00", "\xb0", "0.12345678901234567890", "12345678.1234567890123", "0.1234567890123456x",
			"x.1234567890123456789", "-0.123456789012345-", "-.-", "1.2.3.4", ".1234567890123456.", "1.123456789012345.1",
			"12345678901234567890", "0.0000000000000000000000000001", strings.Repeat("9", 300), ".........", "- 1", "0.1-2",
		} {
			for _, other := range []string{"1.5", "-7", "-0.12345678901234567"} {
				for at := range 20 {
					cells := slices.Repeat([]string{other}, 20)
					cells[at] = odd
					if n := checkCells(t, strings.Join(cells, ","), 200); n != 1 {
						t.Fatalf("%d are odd where %q is in place %d", n, odd, at)
					}
				}
			}
		}
	})
}

// An empty cell is odd.
func TestCellsEmpty(t *testing.T) {
	eachLevel(func() {
		buffer := append([]byte(",1,,2,,,,,,,3,"), bytes.Repeat([]byte{'5'}, 200)...)
		var ends []int32
		for i, c := range append([]byte{','}, buffer...) {
			if c == ',' {
				ends = append(ends, int32(i-1))
			}
		}
		dst, points := make([]float64, len(ends)-1), make([]byte, 2)
		n, odd := decimal.Cells(dst, 0, buffer, ends, decimal.Block{Width: len(dst)}, points)
		if n != 8 || odd != 0b11110101 || dst[1] != 1 || dst[3] != 2 {
			t.Errorf("%d, %b, %v", n, odd, dst)
		}
	})
}

// Numbers of all lengths, as programs write them, are read, and few of them by plain Go.
func TestCellsRandom(t *testing.T) {
	eachLevel(func() {
		rng := rand.New(rand.NewPCG(5, 5))
		for digits := -1; digits < 18; digits++ {
			var text []byte
			long := 0
			for range 6_000 {
				v := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(6)-1))
				if digits >= 0 && rng.IntN(8) == 0 { // half way between two float64, or a little beside it
					v = math.Ldexp(float64(rng.Uint64()>>11), -rng.IntN(53))
				}
				if math.Abs(v) >= 1e8 || digits >= 0 && math.Abs(v) >= math.Pow(10, float64(19-digits)) {
					long++
				}
				text = append(strconv.AppendFloat(text, v, 'f', digits, 64), ',')
			}
			if odd := checkCells(t, string(text), 200); odd > long+60 {
				t.Errorf("%d with %d digits could not be read, where %d are long", odd, digits, long)
			}
		}
	})
}

// Numbers of the usual lengths are read side by side.
func TestCellsFast(t *testing.T) {
	if !decimal.ByRows() {
		t.Skip("no AVX-512 with VBMI")
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for _, digits := range []int{0, 2, 6, 12, 15, 16, 17, -1} {
		var text []byte
		for range 999 {
			text = append(strconv.AppendFloat(text, rng.NormFloat64(), 'f', digits, 64), ',')
		}
		_, buffer, ends := row(string(text), 200)
		dst := make([]float64, len(ends)-1)
		n, odd := decimal.CellsFast(dst, buffer, ends, 0, len(dst), len(dst), 0, make([]byte, 125))
		if n != len(dst) || odd != 0 {
			t.Errorf("%d digits: %d and %08b of %d", digits, n, odd, len(dst))
		}
	}
}

func FuzzCells(f *testing.F) {
	f.Add("1.5,-0,9007199254740993e-22\n12345678.12345678,,x,1.2345678901234567,0.0014765571893243217", uint8(200))
	f.Add("9007199254740993.0,0.30000000000000004,-0.0000000000000000001,4503599.627370496,12345678.5,1,2,3,4", uint8(200))
	f.Fuzz(func(t *testing.T, text string, behind uint8) {
		eachLevel(func() {
			checkCells(t, text, int(behind))
			checkBlock(t, text, int(behind), 1+len(text)%19, int(behind)%4)
		})
	})
}

// Numbers of a table of 50 columns, row by row.
func BenchmarkCells(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, digits := range []int{2, 6, -1} {
		const rows, width, together = 200, 50, 8
		var text []byte
		for range rows * width {
			text = append(strconv.AppendFloat(text, rng.NormFloat64(), 'f', digits, 64), ',')
		}
		_, buffer, ends := row(string(text), 200)
		dst, points := make([]float64, together*width), make([]byte, width)
		b.Run("digits="+strconv.Itoa(digits), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for i := 0; i < rows; i += together {
					of := decimal.Block{First: i * width, Width: width, Stride: width}
					decimal.Cells(dst, 0, buffer, ends, of, points)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows*width), "ns/number")
		})
	}
}
