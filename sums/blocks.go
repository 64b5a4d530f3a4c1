package sums

import "github.com/kerf-ml/kerf/data"

// Block is some rows of a stream: features, with what is to be learnt of each.
type Block struct {
	First  int          // number of the first row in the stream, from 0
	X      *data.Matrix // a row each
	Y      []int        // class of each; nil for numbers
	Values []float64    // number of each; nil for classes
	Weight []float64    // nil for 1 each
}

// Rows returns how many rows the block has.
func (b *Block) Rows() int { return b.X.Rows }

// Blocks cuts a stream of rows into blocks of BlockRows, so that sums over them do not
// depend on the parts in which the rows come. Use is called for each block that is
// full, and End for what is left. A block is valid during the call alone and may be
// written to.
type Blocks struct {
	Use func(b *Block) error

	block Block
	full  *data.Matrix
}

// NewBlocks returns the blocks of rows of dim features, with classes, or else numbers,
// and with weights, or else none.
func NewBlocks(dim int, classes, weighted bool, use func(b *Block) error) *Blocks {
	c := &Blocks{Use: use, full: data.NewMatrix(BlockRows, dim)}
	c.block.X = &data.Matrix{Cols: dim, Data: c.full.Data}
	if classes {
		c.block.Y = make([]int, 0, BlockRows)
	} else {
		c.block.Values = make([]float64, 0, BlockRows)
	}
	if weighted {
		c.block.Weight = make([]float64, 0, BlockRows)
	}
	return c
}

// From says that the first row that is added is the one of that number, a multiple of
// BlockRows.
func (c *Blocks) From(row int) { c.block.First = row }

// Add adds a row with its class or its number, and its weight where there are weights.
func (c *Blocks) Add(x data.Vector, y int, value, weight float64) error {
	b := &c.block
	x.CopyTo(c.full.Row(b.X.Rows))
	b.X.Rows++
	if b.Y != nil {
		b.Y = append(b.Y, y)
	} else {
		b.Values = append(b.Values, value)
	}
	if b.Weight != nil {
		b.Weight = append(b.Weight, weight)
	}
	if b.X.Rows < BlockRows {
		return nil
	}
	return c.End()
}

// End hands over the rows that are left, if any.
func (c *Blocks) End() error {
	b := &c.block
	if b.X.Rows == 0 {
		return nil
	}
	rows := b.X.Rows
	b.X.Data = c.full.Data[:rows*b.X.Cols]
	err := c.Use(b)
	b.First += rows
	b.X.Rows, b.X.Data = 0, c.full.Data
	b.Y, b.Values, b.Weight = b.Y[:0], b.Values[:0], b.Weight[:0]
	return err
}
