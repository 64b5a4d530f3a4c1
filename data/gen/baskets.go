package gen

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/internal/seed"
)

// Baskets makes sets of items, as the supermarket's of Shalev-Shwartz and
// Ben-David (2014, exercise 16.5): the label is 1 if and only if a basket holds
// at least one of a few hidden items.
//
// The item of rank r is bought with probability proportional to r^(-Exponent). A
// basket has a label drawn fairly and a size drawn uniformly from 1 to Most;
// then as many items are drawn, and those that come twice count once. For label
// -1 they are drawn among the items that are not hidden; for label 1 the first is
// drawn among the hidden ones and the others among all. A basket costs
// O(Most·log Items).
type Baskets struct {
	N        int     // baskets, at least 1
	Items    int     // in the shop, more than Relevant
	Most     int     // items in a basket, at least 1
	Relevant int     // hidden items, at least 1
	Exponent float64 // of Zipf's law, from 0, where all items are as popular, to 10
	Noise    float64 // probability that a label is flipped, from 0 to 1
	Seed     uint64
}

// NewBaskets returns the recipe for 1000 baskets of at most 10 among 500 items,
// 5 of them hidden, with exponent 1, without noise, seed 1.
func NewBaskets() Baskets {
	return Baskets{N: 1000, Items: 500, Most: 10, Relevant: 5, Exponent: 1, Seed: 1}
}

// maxItems keeps the tables of a shop in memory.
const maxItems = 1 << 24

// Validate reports every fault of the recipe.
func (b Baskets) Validate() error {
	var f faults
	f.unless(Options{N: 1, Noise: b.Noise}.Validate("") == nil,
		"noise is %v and must be a probability, from 0 to 1", b.Noise)
	f.unless(b.N >= 1, "n is %d and must be at least 1", b.N)
	f.unless(b.Most >= 1, "most is %d and must be at least 1", b.Most)
	f.unless(b.Relevant >= 1, "number of hidden items is %d and must be at least 1", b.Relevant)
	f.unless(b.Items > b.Relevant && b.Items <= maxItems,
		"number of items is %d and must be more than the %d hidden ones, up to %d", b.Items, b.Relevant, maxItems)
	f.unless(b.Exponent >= 0 && b.Exponent <= 10, "exponent is %v and must be from 0 to 10", b.Exponent)
	f.unless(b.N < 1 || b.Most <= maxValues/b.N, "n is %d and that many baskets do not fit any memory", b.N)
	return f.err()
}

// Hidden returns the items that make the label 1.
func (b Baskets) Hidden() data.Set {
	var items []string
	for _, r := range b.relevant() {
		items = append(items, b.item(r))
	}
	return data.NewSet(items...)
}

// relevant returns the ranks of the hidden items, from 0, in increasing order.
func (b Baskets) relevant() []int {
	ranks := seed.Stream(b.Seed, seed.Generator, normalBlock).Perm(b.Items)[:b.Relevant]
	slices.Sort(ranks)
	return ranks
}

// item names the item of a rank, from 0. Names sort as ranks do.
func (b Baskets) item(rank int) string {
	return fmt.Sprintf("item%0*d", len(fmt.Sprint(b.Items)), rank+1)
}

// Make returns the baskets and their labels, every fault of the recipe at once,
// or the context's error when that ends before all is made.
func (b Baskets) Make(ctx context.Context) (data.Slice[data.Set], []string, error) {
	if err := b.Validate(); err != nil {
		return nil, nil, err
	}
	isHidden := make([]bool, b.Items)
	for _, r := range b.relevant() {
		isHidden[r] = true
	}
	names := make([]string, b.Items)
	for r := range names {
		names[r] = b.item(r)
	}
	all := b.counter(func(int) bool { return true })
	hidden := b.counter(func(r int) bool { return isHidden[r] })
	others := b.counter(func(r int) bool { return !isHidden[r] })
	return blocks(ctx, Options{N: b.N, Noise: b.Noise, Seed: b.Seed}, func(rng *rand.Rand) (data.Set, bool) {
		positive := rng.IntN(2) == 0
		items := make([]string, 1+rng.IntN(b.Most))
		for i := range items {
			from := others
			switch {
			case positive && i == 0:
				from = hidden
			case positive:
				from = all
			}
			items[i] = names[from.draw(rng)]
		}
		return data.NewSet(items...), positive
	})
}

// counter draws items by their popularity: sum[i] is that of the first i+1 items
// together.
type counter struct {
	rank []int
	sum  []float64
}

// counter returns the counter of the items that sell says are there.
func (b Baskets) counter(sell func(rank int) bool) counter {
	var c counter
	total := 0.0
	for r := range b.Items {
		if sell(r) {
			total += math.Pow(float64(r+1), -b.Exponent)
			c.rank, c.sum = append(c.rank, r), append(c.sum, total)
		}
	}
	return c
}

func (c counter) draw(rng *rand.Rand) int {
	u := rng.Float64() * c.sum[len(c.sum)-1]
	i, _ := slices.BinarySearch(c.sum, u)
	return c.rank[min(i, len(c.rank)-1)]
}
