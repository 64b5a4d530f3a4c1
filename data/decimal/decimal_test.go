package decimal_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/data/decimal"
)

// check compares with strconv, of the text and of it with more around, and reports whether it
// was read.
func check(t testing.TB, text string) bool {
	t.Helper()
	n, ok := decimal.Read([]byte(text), 0)
	want, err := strconv.ParseFloat(text, 64)
	if ok && n.End == len(text) && (err != nil || math.Float64bits(n.Value) != math.Float64bits(want)) {
		t.Fatalf("%q: %v, want %v, %v", text, n.Value, want, err)
	}
	v, fault := decimal.Parse([]byte(text))
	if math.Float64bits(v) != math.Float64bits(want) || (fault == nil) != (err == nil) {
		t.Fatalf("%q: %v, %v, want %v, %v", text, v, fault, want, err)
	}
	if ok && n.Point != strings.IndexByte(text[:n.End], '.') {
		t.Fatalf("%q: a point at %d", text, n.Point)
	}
	const before = "1.5,"
	long := strings.Repeat("0123456789", 3)
	for _, behind := range []string{",12345678", " ", "\n", "," + long, "\n-" + long, "x" + long} {
		m, same := decimal.Read([]byte(before+text+behind), len(before))
		m.End -= len(before)
		if m.Point >= 0 {
			m.Point -= len(before)
		}
		alike := m.End == n.End && m.Point == n.Point && math.Float64bits(m.Value) == math.Float64bits(n.Value)
		if same != ok || ok && !alike {
			t.Fatalf("%q alone is %v, %v; before %q it is %v, %v", text, n, ok, behind, m, same)
		}
	}
	return ok && n.End == len(text)
}

func TestRead(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "+0.", ".5", "-.5e3", "1e22", "1e23", "9007199254740993", "9007199254740993e-22", "123456789012345678e27",
		"0.0014765571893243217", "18446744073709551615", "9999999999999999999", "9999999999999999999e27", "1e-27", "1e27",
		"9999999999999999999e-27", "00000000000000000000000001.50", "0.1e+5", "12345678", "1234567.8", "123456781234567812",
		"2.00000000000000000", "4503599627370496.5", "4503599627370497.5", "4503599627370497.51", "0.000000000000000000000",
	} {
		n, ok := decimal.Read([]byte(text), 0)
		if want := text != "18446744073709551615"; ok != want || ok && n.End != len(text) { // which has 20 digits
			t.Errorf("%q: %v, %v", text, n, ok)
		}
		check(t, text)
	}
	for _, text := range []string{
		"", "-", "+-1", ".", "-.", "e5", "1e", "1e+", "x", "1e9999999999", "12345678901234567890", "1e28", "1e-28",
	} {
		if n, ok := decimal.Read([]byte(text), 0); ok && n.Value != 1e28 && n.Value != 1e-28 || ok && text[0] != '1' {
			t.Errorf("%q: %v", text, n)
		}
	}
	for text, end := range map[string]int{"1.2.3": 3, "1,5": 1, "1-2": 1, "0x10": 1, "1_0": 1, "5 ": 1, "7f": 1} {
		if n, ok := decimal.Read([]byte(text), 0); !ok || n.End != end {
			t.Errorf("%q ends at %d, %v", text, n.End, ok)
		}
	}
}

// Random numbers of all lengths and sizes, and those that lie half way between two float64.
func TestReadRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	read, count := 0, 300_000
	for range count {
		var text string
		switch v := math.Float64frombits(rng.Uint64()); rng.IntN(6) {
		case 0:
			text = strconv.FormatFloat(v, 'g', 1+rng.IntN(20), 64)
		case 1:
			text = strconv.FormatFloat(rng.NormFloat64(), 'f', rng.IntN(20), 64)
		case 2:
			text = fmt.Sprintf("%d.%de%d", rng.IntN(1000000), rng.IntN(1000000000), rng.IntN(60)-30)
		case 3:
			text = fmt.Sprint(rng.Int64() >> rng.IntN(60))
		case 4:
			text = fmt.Sprintf("%de%d", rng.Uint64()/10>>rng.IntN(12), rng.IntN(56)-28)
		case 5: // 54 bits, of which the last is 1: half way, or a little beside it
			half := (rng.Uint64()>>11|1)<<1 | 1<<53 | 1
			text = fmt.Sprint(half << rng.IntN(9))
			if rng.IntN(2) == 0 {
				text = fmt.Sprintf("%d.5%d", half>>4, rng.IntN(2))
			}
		}
		if check(t, text) {
			read++
		}
	}
	if read < count*7/10 {
		t.Errorf("only %d of %d were read", read, count)
	}
}

// Numbers of 17 digits, as programs write them, are read.
func TestReadShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 100_000 {
		text := strconv.FormatFloat(rng.NormFloat64()*math.Pow(10, float64(rng.IntN(12)-6)), 'g', -1, 64)
		if !check(t, text) {
			t.Fatalf("%q was not read", text)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"1.5", "-0", "9007199254740993e-22", "12345678.12345678", "1e-30", "0.0014765571893243217",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, text) })
}

// Numbers of a table, with a comma behind each.
func BenchmarkRead(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, digits := range []int{4, 6, 8, -1} {
		var text []byte
		for range 10_000 {
			text = append(strconv.AppendFloat(text, rng.NormFloat64(), 'f', digits, 64), ',')
		}
		b.Run(fmt.Sprintf("digits=%d", digits), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for at := 0; at < len(text); {
					n, ok := decimal.Read(text, at)
					if !ok {
						b.Fatal("not read")
					}
					at = n.End + 1
				}
			}
		})
		b.Run(fmt.Sprintf("strconv/digits=%d", digits), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for rest := text; len(rest) > 0; {
					n := bytes.IndexByte(rest, ',')
					if _, err := strconv.ParseFloat(string(rest[:n]), 64); err != nil {
						b.Fatal(err)
					}
					rest = rest[n+1:]
				}
			}
		})
	}
}
