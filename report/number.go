package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/kerf-ml/kerf/eval"
)

// brief writes a number in few digits.
func brief(v float64) string {
	if v == 0 {
		return "0" // not -0
	}
	text := strconv.FormatFloat(v, 'g', 4, 64)
	if a := math.Abs(v); a >= 1e4 && a < 1e7 {
		text = strconv.FormatFloat(v, 'f', 0, 64)
	}
	return exponent(text)
}

// brief3 writes a number in three digits, one from 1000 on in four.
func brief3(v float64) string {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil || v >= 1000 {
		r = v
	}
	return brief(r)
}

// exponent shortens the exponent of a number: 1e+06 is 1e6.
func exponent(text string) string {
	return strings.NewReplacer("e+0", "e", "e-0", "e-", "e+", "e").Replace(text)
}

// spaced writes one of several numbers that are step apart and at most top from
// 0, in so many digits that they differ and in the same way.
func spaced(v, step, top float64) string {
	if math.Abs(v) < step/2 {
		return "0"
	}
	places := int(math.Ceil(-math.Log10(step) - 1e-9))
	if top >= 1e7 || places > 5 {
		digits := int(math.Floor(math.Log10(math.Abs(v))+1e-9) + math.Ceil(-math.Log10(step)-1e-9))
		head, tail, _ := strings.Cut(strconv.FormatFloat(v, 'e', max(digits, 0), 64), "e")
		return exponent(shortened(head) + "e" + tail)
	}
	return shortened(strconv.FormatFloat(v, 'f', max(places, 0), 64))
}

// shortened drops zeros at the end of the decimals.
func shortened(text string) string {
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// percentage writes a part of one without needless digits.
func percentage(v float64) string {
	if v == 0 {
		return "0%" // not -0%
	}
	return strconv.FormatFloat(math.Round(1e6*v)/1e4, 'g', 6, 64) + "%"
}

// percent writes a part of one with two decimals.
func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) + "%" }

func decimals(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

func digits5(v float64) string { return fmt.Sprintf("%.5g", v) }

// grouped writes a count with commas: 1234567 is 1,234,567.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// between writes an interval.
func between(i *eval.Interval, write func(float64) string) string {
	if i == nil {
		return ""
	}
	return write(i.Low) + " to " + write(i.High)
}

// clean returns a text of at most n characters, all of which a page can show: a
// blank for control characters and for those that no page may hold.
func clean(s string, n int) string {
	var b strings.Builder
	count := 0
	for _, r := range s {
		if count++; count > n {
			b.WriteRune('…')
			break
		}
		if unicode.IsControl(r) || r&0xFFFE == 0xFFFE {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// apart sets a name in a sentence apart from it, so that letters written from
// right to left leave the rest as it is.
func apart(s string) string { return "\u2068" + s + "\u2069" }
