package text_test

import (
	"fmt"
	"os"

	"github.com/kerf-ml/kerf/bound"
	"github.com/kerf-ml/kerf/report/text"
)

// What kerf plan --dim prints, from a Go program.
func ExampleBudget() {
	b, err := bound.NewBudget(bound.UnknownError, 0.1, 0, 0.99, 0, 20_000)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := text.Budget(os.Stdout, b); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 20000 features, margin 0.1, confidence 0.99, noise 0: what error they buy
	//
	// 0.04184  with F1               20000 landmarks; a kernel; margin not kept (corollary 1)
	// 0.04184  with F2               20000 landmarks; a kernel; at half the margin (theorem 4)
	// none     with F3               nothing is promised for so few
	// 0.01635  by random projection  of explicit vectors; at half the margin (theorem 3)
	//
	// The mapped data are separable with that error at most, noise included.
}
