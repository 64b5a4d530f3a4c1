package eval_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/kerf-ml/kerf/eval"
)

func BenchmarkClassification(b *testing.B) {
	for _, classes := range []int{2, 10} {
		s := said(rand.New(rand.NewPCG(1, 1)), 100_000, classes, 1)
		b.Run(fmt.Sprintf("n=100000,classes=%d", classes), func(b *testing.B) {
			for b.Loop() {
				if _, err := eval.NewMeasure().Classification(b.Context(), s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
