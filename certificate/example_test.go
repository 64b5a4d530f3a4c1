package certificate_test

import (
	"context"
	"fmt"

	"github.com/kerf-ml/kerf/certificate"
	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/gen"
	"github.com/kerf-ml/kerf/feature"
	"github.com/kerf-ml/kerf/kernel"
)

// A map from 30 landmarks, tested on instances that it has not seen.
func ExampleTest() {
	o := gen.Defaults()
	o.N = 2000
	x, _ := gen.Rings(o)
	marks, fresh := data.Range[data.Vector]{Of: x, Lo: 0, Hi: 30}, data.Range[data.Vector]{Of: x, Lo: 1000, Hi: 2000}
	m, err := feature.NewF2[data.Vector](kernel.Gaussian{Gamma: 1}, 30).FitTo(context.Background(), marks)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := certificate.NewTest[data.Vector](certificate.NewClaim(0.5, 0.2, 0.95)).Certify(context.Background(), m,
		fresh)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Kind, c.Holds)
	// Output: pointwise true
}

// How few landmarks keep half of a margin of 0.2 but for a tenth of the data?
func ExampleGrow() {
	o := gen.Defaults()
	o.N = 4000
	x, _ := gen.Rings(o)
	claim := certificate.NewClaim(0.2, 0.1, 0.95)
	g, err := certificate.NewGrow[data.Vector](kernel.Gaussian{Gamma: 1}, claim).Fit(context.Background(), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Outcome, g.Promised, g.Landmarks < 100)
	// Output: certified 2240 true
}

func ExampleCertificate_Project() {
	f2 := certificate.Certificate{
		Kind: certificate.Spectral, Margin: 0.8, Kept: 0.4, Error: 0.2, Bound: 0.1, Confidence: 0.97, Fresh: 1000,
		Features: 9000,
	}
	f3, err := f2.Project(2000, 0.02)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("error %.3f at margin %.1f with confidence %.2f\n", f3.Bound, f3.Kept, f3.Confidence)
	// Output: error 0.104 at margin 0.2 with confidence 0.95
}
