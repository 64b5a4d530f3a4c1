package margin

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Sizes of a drawing: with its labels it has 14 lines of at most 70 columns.
const (
	drawRows = 11
	drawCols = 56
	drawSide = 6 // columns of the labels of the error axis
)

var eighths = []rune(" ▁▂▃▄▅▆▇█")

// Draw returns a picture of the curve for terminals, in 14 lines of at most 70
// columns: the margin from 0 to the right, up to a round number past the
// largest, the error upwards from 0 to 100%. Margins in marks get a triangle on
// the axis. An error that is neither 0 nor 1 is drawn as neither.
func (c Curve) Draw(marks ...float64) string {
	right := 1.0
	if n := len(c.steps); n > 0 && c.steps[n-1].Margin > 0 {
		right = roundUp(c.steps[n-1].Margin)
	}
	var heights [drawCols]int // in eighths of a line
	for col := range heights {
		heights[col] = drawHeight(c.At(right * float64(col) / (drawCols - 1)))
	}
	var b strings.Builder
	b.WriteString("error\n")
	for row := range drawRows {
		b.WriteString(map[int]string{0: "100% ┤", drawRows / 2: " 50% ┤"}[row])
		if row != 0 && row != drawRows/2 {
			b.WriteString("     │")
		}
		line := make([]rune, drawCols)
		for col, h := range heights {
			line[col] = eighths[max(0, min(8, h-8*(drawRows-1-row)))]
		}
		b.WriteString(strings.TrimRight(string(line), " "))
		b.WriteByte('\n')
	}
	b.WriteString("  0% └" + drawAxis(right, marks) + "\n")
	b.WriteString(drawLabels(right) + "\n")
	return b.String()
}

// drawHeight rounds an error to eighths of a line, but not to none or all.
func drawHeight(e float64) int {
	const full = 8 * drawRows
	switch h := int(math.Round(e * full)); {
	case e > 0 && h == 0:
		return 1
	case e < 1 && h == full:
		return full - 1
	default:
		return h
	}
}

// drawAxis returns the margin axis with its marks.
func drawAxis(right float64, marks []float64) string {
	line := []rune(strings.Repeat("─", drawCols))
	for _, m := range marks {
		if m >= 0 && m <= right {
			line[int(math.Round(m/right*(drawCols-1)))] = '▲'
		}
	}
	return string(line)
}

// drawLabels returns the line below the axis: 0, the middle, the right end.
func drawLabels(right float64) string {
	line := []byte(strings.Repeat(" ", drawSide+drawCols))
	put := func(at int, text string) { copy(line[at:], text) }
	middle, end := strconv.FormatFloat(right/2, 'g', 4, 64), strconv.FormatFloat(right, 'g', 4, 64)
	put(drawSide, "0")
	put(drawSide+drawCols/2-len(middle)/2, middle)
	put(drawSide+drawCols-len(end), end)
	return string(line) + " margin"
}

// roundUp returns the smallest of 1, 2, 2.5, 5 or 10 times a power of ten that
// is at least v, for 0 < v ≤ 1, and 1 at most.
func roundUp(v float64) float64 {
	exponent := int(math.Floor(math.Log10(v)))
	for _, digits := range []string{"1", "2", "2.5", "5", "10"} {
		r, err := strconv.ParseFloat(fmt.Sprintf("%se%d", digits, exponent), 64)
		if err == nil && r >= v {
			return min(r, 1)
		}
	}
	return min(1, math.Nextafter(10*math.Pow10(exponent), 1))
}
