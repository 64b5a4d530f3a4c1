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
	"github.com/kerf-ml/kerf/internal/vmath"
)

// checkColumn reads the cells of a text, which commas and line ends separate, as a column, with
// more of the text behind, and compares with strconv. It returns how many were read at once.
func checkColumn(t testing.TB, text string) (read int) {
	t.Helper()
	cells := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' })
	ends := []int32{-1}
	text = strings.Join(cells, ",")
	for i, c := range text + "," {
		if c == ',' {
			ends = append(ends, int32(i))
		}
	}
	buffer := []byte(text + ",12345678901234567890123456")[:len(text)+27]
	for width := 1; width <= 3; width++ {
		for i := 0; i*width < len(cells); {
			dst := make([]float64, (len(cells)-1)/width+1-i)
			for k := range dst {
				dst[k] = math.NaN()
			}
			n, point := decimal.Column(dst, buffer, ends, i*width, width)
			some := false
			for k, v := range dst[:n] {
				cell := cells[(i+k)*width]
				want, err := strconv.ParseFloat(cell, 64)
				if err != nil || math.Float64bits(v) != math.Float64bits(want+0) {
					t.Fatalf("%q: %v, want %v, %v", cell, v, want, err)
				}
				some = some || strings.Contains(cell, ".")
			}
			for _, v := range dst[n:] {
				if v == v {
					t.Fatalf("%v behind the %d that were read of %q", v, n, text)
				}
			}
			if some && !point {
				t.Fatalf("%q: no point", text)
			}
			if read += n; n < len(dst) {
				n++
			}
			i += n
		}
	}
	return read
}

// eachLevel does something in plain Go, and then with the instructions of the machine.
func eachLevel(do func()) {
	for _, level := range []vmath.Level{vmath.Plain, vmath.AVX512} {
		restore := vmath.Limit(level)
		do()
		restore()
	}
}

func TestColumn(t *testing.T) { eachLevel(func() { testColumn(t) }) }

func testColumn(t *testing.T) {
	for _, text := range []string{
		"1.5,-2.25,12345678,-0,0.1,-0.000001,1234567.1234567,0.12345678901234567,-1.2345678901234567", "5.,.5,-.5,0.,7",
		"9007199254740993.0,0.30000000000000004,0.0000000000000000001,4503599.627370496,12345678.5,450359.9627370496512",
		"0.50000000,0.500000000,0.5000000000000000,0.50000000000000000,0.500000000000000000",
	} {
		if n := checkColumn(t, text); n == 0 {
			t.Errorf("nothing of %q was read", text)
		}
	}
	for _, text := range []string{
		"", "-", ".", "-.", "x", "1x", "1.x", "1.5x", "+1", "1e5", "1.5e5", "1.5.5", "--1", " 1", "1 ", "123456789",
		"123456789.5",
		"0.12345678x", "0.1234567890123456x", "0.12345678901234567890", "1.2345678901234567890123456789", "1.2-",
	} {
		dst := []float64{1}
		buffer := text + ",12345678901234567890123456"
		if n, _ := decimal.Column(dst, []byte(buffer), []int32{-1, int32(len(text))}, 0, 1); n != 0 || dst[0] != 1 {
			t.Errorf("%q was read as %v", text, dst)
		}
	}
	short := []byte("1.5,2.5")
	if n, _ := decimal.Column(make([]float64, 2), short, []int32{-1, 3, 7}, 0, 1); n != 0 {
		t.Errorf("%d numbers at the end of a text", n)
	}
}

// Numbers of all lengths, as programs write them, are read but for a few.
func TestColumnRandom(t *testing.T) { eachLevel(func() { testColumnRandom(t) }) }

func testColumnRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for digits := -1; digits < 18; digits++ {
		var text []byte
		const count = 6_000
		for range count {
			v := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(6)-1))
			if digits >= 0 && rng.IntN(8) == 0 { // half way between two float64, or a little beside it
				v = math.Ldexp(float64(rng.Uint64()>>11), -rng.IntN(53))
			}
			text = append(strconv.AppendFloat(text, v, 'f', digits, 64), ',')
		}
		if read := checkColumn(t, string(text)); read < count {
			t.Errorf("%d of %d with %d digits were read", read, count, digits)
		}
	}
}

// A cell that is no common number is told wherever it stands among those that are read side by side, and
// nothing behind it is written.
func TestColumnOdd(t *testing.T) {
	eachLevel(func() {
		for _, odd := range []string{
			"", "-", ".", "-.", "x", "1x", "1.5x", "+1", "1e5", "1.5.5", "..5", "--1", "1-", "-1-", " 1", "1 ", "1/5", "1:5",
			"/", ":", "\x00", "\xb0", "0.12345678901234567890", "12345678.1234567890123", "0.1234567890123456x",
			"x.1234567890123456789", "-0.123456789012345-",
		} {
			for _, other := range []string{"1.5", "-0.12345678901234567"} {
				for at := range 20 {
					cells := slices.Repeat([]string{other}, 20)
					cells[at] = odd
					checkOdd(t, cells, at)
				}
			}
		}
	})
}

func checkOdd(t *testing.T, cells []string, at int) {
	t.Helper()
	text, ends := []byte("0.12345678901234567890123456,"), []int32{28}
	for _, c := range cells {
		text = append(append(text, c...), ',')
		ends = append(ends, int32(len(text)-1))
	}
	want, err := strconv.ParseFloat(cells[(at+1)%len(cells)], 64)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, "12345678901234567890123456"...)
	dst := slices.Repeat([]float64{7}, len(cells))
	n, _ := decimal.Column(dst, text, ends, 0, 1)
	if n != at {
		t.Fatalf("%d numbers before %q in place %d", n, cells[at], at)
	}
	for i, v := range dst {
		if i < at && v != want || i >= at && v != 7 {
			t.Fatalf("%q in place %d: %v in place %d", cells[at], at, v, i)
		}
	}
}

// Numbers of the usual lengths are read side by side but for a few.
func TestColumnFast(t *testing.T) {
	if vmath.Active() < vmath.AVX512 {
		t.Skip("no AVX-512")
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for _, digits := range []int{0, 2, 6, 12, 15, 16, 17, -1} {
		text, ends, room := bytes.Repeat([]byte{' '}, 24), []int32{23}, make([]float64, 1000)
		for range room {
			text = append(strconv.AppendFloat(text, rng.NormFloat64(), 'f', digits, 64), ',')
			ends = append(ends, int32(len(text)-1))
		}
		calls := 1
		for i := 0; i < len(room); i++ {
			n, _ := decimal.ColumnFast(room[i:], text, ends, i, 1)
			if i += n; i < len(room) {
				calls++
			}
		}
		if calls > 25 {
			t.Errorf("%d of %d numbers with %d digits are left to plain Go", calls-1, len(room), digits)
		}
	}
}

func FuzzColumn(f *testing.F) {
	f.Add("1.5,-0,9007199254740993e-22\n12345678.12345678,,x,1.2345678901234567,0.0014765571893243217")
	f.Fuzz(func(t *testing.T, text string) { eachLevel(func() { checkColumn(t, text) }) })
}

// Numbers of a table of 51 columns.
func BenchmarkColumn(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, digits := range []int{2, 6, -1} {
		var text []byte
		const rows, width = 200, 51
		for range rows * width {
			text = append(strconv.AppendFloat(text, rng.NormFloat64(), 'f', digits, 64), ',')
		}
		ends := []int32{-1}
		for i, c := range text {
			if c == ',' {
				ends = append(ends, int32(i))
			}
		}
		text = append(text, bytes.Repeat([]byte{' '}, 32)...)
		dst := make([]float64, rows)
		b.Run("digits="+strconv.Itoa(digits), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for j := range width {
					for i := 0; i < rows; i++ {
						n, _ := decimal.Column(dst[i:], text, ends, i*width+j, width)
						i += n
					}
				}
			}
		})
	}
}
