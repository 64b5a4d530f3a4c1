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
	mostWords  = 20_000 // coordinates of words, and of parts of words
	leastRows  = 2      // in which a word must be
)

// Parts of words are runs of so many characters, marked so that none is a word.
const (
	shortPart, longPart = 3, 4
	partMark            = "~"
	edge                = '_' // of a word
)

// wordsOf returns the words of a text in lower case: runs of letters and digits.
func wordsOf(text string) []string {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }
	return strings.FieldsFunc(strings.ToLower(text), between)
}

// partsOf calls yield for the runs of characters in a word between two edges: those of
// "cat" are ~_ca, ~cat, ~at_, ~_cat and ~cat_.
func partsOf(word string, yield func(part string)) {
	long := append(append([]rune{edge}, []rune(word)...), edge)
	for n := shortPart; n <= longPart; n++ {
		for from := 0; from+n <= len(long); from++ {
			yield(partMark + string(long[from:from+n]))
		}
	}
}

// isPart reports whether a coordinate of a text is one of a part of words.
func isPart(word string) bool { return strings.HasPrefix(word, partMark) }

// fitWords makes a column one of free text where its cells have three words or more
// between blanks on the average, half of at least 20 are different, and some word is in two rows. It
// reports whether it is. A text has coordinates of its words and of the parts of these. Of word or part w it
// has (1 + ln f)·idf, f being how often it has w and idf = 1 + ln((1 + n)/(1 + rows with w)); the
// coordinates of all words have length √½ together, and so have those of all parts, or are all zero.
func (c *Column) fitWords(cells *column, rows []int) bool {
	times := make([]int, len(cells.entry)) // that each different cell is there
	different, present, total := 0, 0, 0
	for _, i := range rows {
		code := cells.code[i]
		if code < 0 {
			continue
		}
		present++
		if times[code]++; times[code] == 1 {
			different++
		}
		total += len(strings.Fields(cells.entry[code].text)) // a name with hyphens is one word
	}
	if present < manyRows || 2*different < present || total < wordsACell*present {
		return false
	}
	inRows, last := map[string]int{}, map[string]int{} // rows that have it, and the last cell that had
	for code, n := range times {
		if n == 0 {
			continue
		}
		see := func(w string) {
			if last[w] != code+1 {
				last[w] = code + 1
				inRows[w] += n
			}
		}
		for _, word := range wordsOf(cells.entry[code].text) {
			see(word)
			partsOf(word, see)
		}
	}
	words, parts := common(inRows, false), common(inRows, true)
	if len(words) == 0 {
		return false
	}
	c.Words = append(words, parts...)
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

// common returns the words, or the parts of words, that are in the most rows.
func common(inRows map[string]int, parts bool) []string {
	var out []string
	for word, n := range inRows {
		if n >= leastRows && isPart(word) == parts {
			out = append(out, word)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(inRows[b], inRows[a]), cmp.Compare(a, b))
	})
	return out[:min(len(out), mostWords)]
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
	see := func(w string) {
		if k, ok := place[w]; ok {
			found = append(found, k)
		}
	}
	for _, word := range wordsOf(text) {
		see(word)
		if c.hasParts() {
			partsOf(word, see)
		}
	}
	slices.Sort(found)
	var out []term
	var square [2]float64 // of words, and of parts
	for k := 0; k < len(found); {
		n := k + 1
		for n < len(found) && found[n] == found[k] {
			n++
		}
		v := (1 + math.Log(float64(n-k))) * c.Weights[found[k]]
		out = append(out, term{found[k], v})
		square[c.half(found[k])] += v * v
		k = n
	}
	share := 1.0
	if c.hasParts() {
		share = math.Sqrt2
	}
	for k := range out {
		out[k].value /= share * math.Sqrt(square[c.half(out[k].word)])
	}
	return out
}

// hasParts reports whether a text has coordinates of parts of words.
func (c *Column) hasParts() bool {
	at, _ := slices.BinarySearch(c.Words, partMark)
	return at < len(c.Words) && isPart(c.Words[at])
}

// half is 1 for the coordinate of a part of words and 0 for that of a word.
func (c *Column) half(word int) int {
	if isPart(c.Words[word]) {
		return 1
	}
	return 0
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
