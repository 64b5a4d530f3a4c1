package boost

import (
	"math"
	"sync"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/compute"
)

// panelRules is how many halfspaces a panel has at most: what they say of a row
// fits one word.
const panelRules = 64

// panel is a few halfspaces that are applied to many rows at once. It is
// immutable and safe for concurrent use.
type panel struct {
	w     *data.Matrix
	bias  []float64
	fixed *compute.Fixed[float64]

	longest, farthest float64 // the largest |w| and |bias|
}

func newPanel(w *data.Matrix, bias []float64) *panel {
	p := &panel{w: w, bias: bias, fixed: compute.NewFixed[float64](w.Data, w.Rows, w.Cols)}
	for t, b := range bias {
		p.longest = max(p.longest, norm(w.Row(t)))
		p.farthest = max(p.farthest, math.Abs(b))
	}
	return p
}

// tile is a few rows, dense ones side by side for products with panels.
type tile struct {
	x    []data.Vector
	a    []float64 // the rows as they are multiplied, width numbers each
	norm []float64 // |x| of each
	dot  []float64
	word []uint64
	wide int
}

var tiles = sync.Pool{New: func() any { return new(tile) }}

// tileRows returns how many rows of so many coordinates stay in cache.
func tileRows(width int) int { return min(64, max(4, 1<<16/max(width, 1))) }

// load takes the rows lo to hi-1 of x.
func (t *tile) load(x data.Source[data.Vector], lo, hi, width int) {
	n := hi - lo
	t.wide = width
	t.x = grow(t.x, n)
	t.norm = grow(t.norm, n)
	t.word = grow(t.word, n)
	t.a = grow(t.a, n*width)
	for i := range n {
		t.x[i] = x.At(lo + i)
		if !t.x[i].IsSparse() {
			t.x[i].CopyTo(t.a[i*width : (i+1)*width])
			t.norm[i] = norm(t.a[i*width : (i+1)*width])
		} else {
			clear(t.a[i*width : (i+1)*width])
		}
	}
}

func (t *tile) release() {
	clear(t.x)
	tiles.Put(t)
}

func grow[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}

// apply sets bit k of t.word[i] where halfspace k of the panel says +1 of row
// i. It says what Rule.Predict says: the product of matrices adds up in another
// order than a single one, but both are within width·2⁻⁵³·|w||x| of the truth,
// and a score that is nearer to 0 than both together is computed again.
func (t *tile) apply(p *panel) {
	n, m := len(t.x), p.w.Rows
	t.dot = grow(t.dot, n*m)
	if t.anyDense() {
		p.fixed.Mul(t.dot, m, t.a, t.wide, n)
	}
	unit := math.Ldexp(float64(t.wide+8), -51)
	for i := range n {
		if t.x[i].IsSparse() {
			t.word[i] = p.single(t.x[i])
			continue
		}
		doubt := unit*(p.longest*t.norm[i]+p.farthest) + 1e-290
		word := uint64(0)
		for k, dot := range t.dot[i*m : (i+1)*m] {
			score := dot + p.bias[k]
			if !(math.Abs(score) > doubt) {
				score = 1
				if !(t.x[i].DotWith(p.w.Row(k))+p.bias[k] >= 0) {
					score = -1
				}
			}
			word |= (^math.Float64bits(score) >> 63) << (k & 63)
		}
		t.word[i] = word
	}
}

func (t *tile) anyDense() bool {
	for _, x := range t.x {
		if !x.IsSparse() {
			return true
		}
	}
	return false
}

// single is apply for one row, product by product.
func (p *panel) single(x data.Vector) uint64 {
	word := uint64(0)
	for k := range p.w.Rows {
		if x.DotWith(p.w.Row(k))+p.bias[k] >= 0 {
			word |= 1 << k
		}
	}
	return word
}
