package calibrate_test

import (
	"fmt"
	"testing"
)

func BenchmarkFit(b *testing.B) {
	s, y := sample(1, 100_000, 10, 1)
	for _, f := range fitters(1) {
		b.Run(fmt.Sprintf("%T,n=100000,classes=10", f), func(b *testing.B) {
			for b.Loop() {
				if _, err := f.Fit(b.Context(), s, y); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
