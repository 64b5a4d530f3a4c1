package table

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// What makes a column of texts free text, and how much of it is kept.
const (
	wordsACell = 3      // on the average
	mostWords  = 20_000 // coordinates
	leastRows  = 2      // in which a word must be
)

// wordsOf returns the words of a text in lower case: runs of letters and digits.
func wordsOf(text string) []string {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }
	return strings.FieldsFunc(strings.ToLower(text), between)
}

// fitWords makes a column one of free text where its cells have three words or more
// between blanks on the average, half of at least 20 are different, and some word is in two rows. It
// reports whether it is. Of word w a text has the coordinate (1 + ln f)·idf, f being
// how often it has the word and idf = 1 + ln((1 + n)/(1 + rows with w)); the
// coordinates of a text have length 1 together, or are all zero.
func (c *Column) fitWords(cells *column, rows []int) bool {
	counts := make([]map[string]int, len(cells.entry)) // of each different cell
	inRows, different, present, total := map[string]int{}, 0, 0, 0
	for _, i := range rows {
		code := cells.code[i]
		if code < 0 {
			continue
		}
		if present++; counts[code] == nil {
			different++
			counts[code] = map[string]int{}
			for _, word := range wordsOf(cells.entry[code].text) {
				counts[code][word]++
			}
		}
		for word := range counts[code] {
			inRows[word]++
		}
		total += len(strings.Fields(cells.entry[code].text)) // a name with hyphens is one word
	}
	if present < manyRows || 2*different < present || total < wordsACell*present {
		return false
	}
	for word, n := range inRows {
		if n >= leastRows {
			c.Words = append(c.Words, word)
		}
	}
	if len(c.Words) == 0 {
		return false
	}
	slices.SortFunc(c.Words, func(a, b string) int {
		return cmp.Or(cmp.Compare(inRows[b], inRows[a]), cmp.Compare(a, b))
	})
	c.Words = slices.Clone(c.Words[:min(len(c.Words), mostWords)])
	slices.Sort(c.Words)
	for _, word := range c.Words {
		c.Weights = append(c.Weights, 1+math.Log(float64(1+present)/float64(1+inRows[word])))
	}
	c.Kind, c.Size = Text, len(c.Words)
	if c.Indicator = present < len(rows); c.Indicator {
		c.Size++
	}
	return true
}

// term is a coordinate of a text.
type term struct {
	word  int
	value float64
}

// terms returns the coordinates of each different cell of a column.
func (c *Column) terms(cells *column) [][]term {
	place := make(map[string]int, len(c.Words))
	for k, word := range c.Words {
		place[word] = k
	}
	out := make([][]term, len(cells.entry))
	for code, e := range cells.entry {
		out[code] = c.termsOf(e.text, place)
	}
	return out
}

func (c *Column) termsOf(text string, place map[string]int) []term {
	var found []int
	for _, word := range wordsOf(text) {
		if k, ok := place[word]; ok {
			found = append(found, k)
		}
	}
	slices.Sort(found)
	var out []term
	for k := 0; k < len(found); {
		n := k + 1
		for n < len(found) && found[n] == found[k] {
			n++
		}
		out = append(out, term{found[k], (1 + math.Log(float64(n-k))) * c.Weights[found[k]]})
		k = n
	}
	square := 0.0
	for _, t := range out {
		square += t.value * t.value
	}
	for k := range out {
		out[k].value /= math.Sqrt(square)
	}
	return out
}

// putWords is put for a text.
func (p *part) putWords(row int, set func(j int, v float64)) {
	c := p.to
	text, ok := p.from.text(row)
	switch {
	case !ok && c.Indicator:
		set(c.Offset+c.Size-1, 1)
	case ok && p.from.code != nil:
		for _, t := range p.terms[p.from.code[row]] {
			set(c.Offset+t.word, t.value)
		}
	case ok: // a column of numbers alone, later on
		for _, t := range c.termsOf(text, p.byKey) {
			set(c.Offset+t.word, t.value)
		}
	}
}

// validWords reports whether words and weights are such as fitWords sets.
func (c *Column) validWords() bool {
	bad := func(v float64) bool { return !(v > 0) || math.IsInf(v, 0) }
	return len(c.Words) > 0 && len(c.Words) == len(c.Weights) && !slices.ContainsFunc(c.Weights, bad) &&
		slices.IsSorted(c.Words) && len(slices.Compact(slices.Clone(c.Words))) == len(c.Words)
}

// Block is a range of coordinates, From to To - 1.
type Block struct {
	Name     string // of a column of texts, "" for all other columns
	Text     bool
	From, To int
}

// Blocks returns the ranges of coordinates that a kernel may look at apart: that of
// all columns of numbers, dates and categories, if there are any, and behind it one
// for each column of texts.
func (s *Schema) Blocks() []Block {
	var out []Block
	width := 0
	for _, c := range s.Columns {
		if c.Kind == Text {
			out = append(out, Block{Name: c.Name, Text: true, From: c.Offset, To: c.Offset + c.Size})
		} else {
			width += c.Size
		}
	}
	if width > 0 {
		out = append([]Block{{To: width}}, out...)
	}
	return out
}

// inOrder returns the columns in the order of their coordinates: texts come last.
func (s *Schema) inOrder() []int {
	out := make([]int, len(s.Columns))
	for j := range out {
		out[j] = j
	}
	last := func(j int) int {
		if s.Columns[j].Kind == Text {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(out, func(a, b int) int { return last(a) - last(b) })
	return out
}
