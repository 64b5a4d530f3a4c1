package certificate

// Budget is a probability of error δ to be spent on any number of looks at one
// sample: look k = 1, 2, … may err with probability δ/(k·(k+1)), and those sum
// to δ. By the union bound all looks are right together with probability 1 - δ,
// whatever made one look again.
type Budget struct {
	Delta float64
}

// Look returns the share of look k, and 0 for k below 1.
func (b Budget) Look(k int) float64 {
	if k < 1 {
		return 0
	}
	return b.Delta / (float64(k) * (float64(k) + 1))
}
