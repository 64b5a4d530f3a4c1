package table

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Format is how the numbers of a column are written that has more in its cells than
// numbers: "$1,200.50" has Prefix "$", Group "," and Decimal ".".
type Format struct {
	Prefix  string `json:"prefix,omitempty"`
	Suffix  string `json:"suffix,omitempty"`
	Decimal string `json:"decimal"`         // "." or ","
	Group   string `json:"group,omitempty"` // between thousands, "" for none
}

// unitName is what may stand behind a number as its unit: words and signs without
// digits, but for a last 2 or 3 as in m2.
var unitName = regexp.MustCompile(`^[\pL%‰°\p{Sc}]([\pL%°/.²³· ]*[\pL.²³])?[23]?$`)

// currencies are words that may stand before a number; signs of currencies may too.
var currencies = []string{"USD", "EUR", "GBP", "CHF", "JPY", "CNY", "INR", "CAD", "AUD", "US$"}

// written is a number as it stands in a cell, between its unit.
type written struct{ prefix, digits, suffix string }

// dissect takes a cell apart, and reports false where it is no number with a unit.
func dissect(cell string) (written, bool) {
	sign, rest := "", strings.TrimSpace(cell)
	cut := func() {
		if rest != "" && strings.ContainsRune("+-", rune(rest[0])) && sign == "" {
			sign, rest = rest[:1], rest[1:]
		}
	}
	cut()
	from := strings.IndexAny(rest, "0123456789")
	if from < 0 {
		return written{}, false
	}
	if from > 0 && (rest[from-1] == '.' || rest[from-1] == ',') {
		from--
	}
	w := written{prefix: strings.TrimSpace(rest[:from])}
	if w.prefix != "" && strings.HasSuffix(w.prefix, "-") && sign == "" {
		sign, w.prefix = "-", strings.TrimSpace(w.prefix[:len(w.prefix)-1])
	}
	if w.prefix != "" && !slices.Contains(currencies, w.prefix) {
		if sign := []rune(w.prefix); len(sign) != 1 || !unicode.Is(unicode.Sc, sign[0]) {
			return written{}, false
		}
	}
	rest = rest[from:]
	end := 0
	for at, c := range rest {
		if c >= '0' && c <= '9' {
			end = at + 1
		} else if !strings.ContainsRune(groups+".", c) {
			break
		}
	}
	w.digits, w.suffix = sign+rest[:end], strings.TrimSpace(rest[end:])
	return w, w.suffix == "" || unitName.MatchString(w.suffix)
}

// groups are what may stand between thousands, the full stop aside.
const groups = ", '’\u00a0\u202f"

// parse returns the number in a cell, and false where there is none of the format. A
// cell may lack the unit.
func (f *Format) parse(cell string) (float64, bool) {
	w, ok := dissect(cell)
	if !ok || w.prefix != "" && w.prefix != f.Prefix || w.suffix != "" && w.suffix != f.Suffix {
		return 0, false
	}
	return f.number(w.digits)
}

// number reads digits with the format's signs among them: groups of three behind the
// first of one to three, or no groups, and decimals.
func (f *Format) number(digits string) (float64, bool) {
	whole, decimals, cut := strings.Cut(digits, f.Decimal)
	sign := ""
	if whole != "" && (whole[0] == '-' || whole[0] == '+') {
		sign, whole = whole[:1], whole[1:]
	}
	if cut && !isDigits(decimals) || whole == "" && !cut {
		return 0, false
	}
	if f.Group != "" && strings.Contains(whole, f.Group) {
		parts := strings.Split(whole, f.Group)
		for k, part := range parts {
			if !isDigits(part) || k == 0 && (len(part) > 3 || part[0] == '0') || k > 0 && len(part) != 3 {
				return 0, false
			}
		}
		whole = strings.Join(parts, "")
	}
	if whole != "" && !isDigits(whole) {
		return 0, false
	}
	if cut {
		whole += "." + decimals
	}
	v, err := strconv.ParseFloat(sign+whole, 64)
	return v + 0, err == nil && v-v == 0
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// formatOf returns the format in which all cells of a column are numbers, nil where
// there is none, and whether commas may be those of thousands or of decimals alike.
// A file with another separator than the comma, without an English currency, says
// nothing about that.
func formatOf(cells *column, comma rune) (found *Format, ambiguous bool) {
	var f Format
	var digits []string
	for _, e := range cells.entry {
		if e.content == nonfinite {
			return nil, false
		}
		w, ok := written{digits: e.text}, true
		if e.content != number { // of which 1e9 is one, and no unit
			w, ok = dissect(e.text)
		}
		if !ok || w.prefix != "" && f.Prefix != "" && w.prefix != f.Prefix ||
			w.suffix != "" && f.Suffix != "" && w.suffix != f.Suffix {
			return nil, false
		}
		if w.prefix != "" {
			f.Prefix = w.prefix
		}
		if w.suffix != "" {
			f.Suffix = w.suffix
		}
		if e.content != number {
			digits = append(digits, w.digits)
		}
	}
	point := cells.firstPoint.Line > 0 // of a number that is whole or a thousand where decimals have commas
	english, other := f.fits(digits, ".", ","), f.fits(digits, ",", "")
	switch {
	case english != nil && other != nil && !point && slices.ContainsFunc(digits, hasComma):
		if comma == ',' || f.Prefix == "$" || f.Prefix == "£" || f.Prefix == "US$" {
			return english, false
		}
		return nil, true
	case english != nil:
		return english, false
	}
	for _, decimal := range []string{".", ","} {
		for _, group := range append(strings.Split(groups[1:], ""), ".") {
			if group == decimal || point && decimal == "," {
				continue
			}
			if g := f.fits(digits, decimal, group); g != nil {
				return g, false
			}
		}
	}
	return nil, false
}

func hasComma(s string) bool { return strings.Contains(s, ",") }

// fits returns the format with such signs if it reads all digits, nil otherwise.
func (f *Format) fits(digits []string, decimal, group string) *Format {
	g := &Format{Prefix: f.Prefix, Suffix: f.Suffix, Decimal: decimal, Group: group}
	for _, d := range digits {
		if _, ok := g.number(d); !ok || decimal == "," && strings.Contains(d, ".") && !hasComma(d) {
			return nil // 1.234 may be a thousand or one and a bit
		}
	}
	return g
}

// values returns the number of each different cell of a column, NaN where it is none.
func (f *Format) values(cells *column) []float64 {
	out := make([]float64, len(cells.entry))
	for k, e := range cells.entry {
		v, ok := f.entry(e)
		if out[k] = v; !ok {
			out[k] = math.NaN()
		}
	}
	return out
}

// entry returns the number of a cell. What reads as a plain number is one.
func (f *Format) entry(e entry) (float64, bool) {
	if e.content == number {
		return e.value, true
	}
	return f.parse(e.text)
}

// plain reports a format of plain numbers, which a column has whose other cells are missing values.
func (f *Format) plain() bool {
	return f != nil && f.Prefix == "" && f.Suffix == "" && f.Decimal == "."
}

// valid reports whether a format is one that formatOf could return.
func (f *Format) valid() bool {
	return (f.Decimal == "." || f.Decimal == ",") && f.Group != f.Decimal &&
		(f.Group == "" || len([]rune(f.Group)) == 1 && strings.Contains(groups+".", f.Group))
}

// words says how the format differs from plain numbers.
func (f *Format) words() string {
	var out []string
	if unit := strings.TrimSpace(f.Prefix + " " + f.Suffix); unit != "" {
		out = append(out, "in "+unit)
	}
	if f.Decimal == "," {
		out = append(out, "with a decimal comma")
	}
	return strings.Join(out, " ")
}
