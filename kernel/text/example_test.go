package text_test

import (
	"fmt"

	"github.com/kerf-ml/kerf/kernel"
	"github.com/kerf-ml/kerf/kernel/text"
)

// One letter that differs takes away all matches across it.
func ExampleDegree() {
	k := text.Degree{D: 2}
	fmt.Printf("%.3f\n", k.Eval("GATTACA", "GATTACA"))
	fmt.Printf("%.3f\n", k.Eval("GATTACA", "GATCACA"))
	fmt.Printf("%.3f\n", k.Eval("GATTACA", "AGATTAC")) // moved by one place
	// Output:
	// 6.667
	// 5.333
	// 0.667
}

// Both have a, n, an, na, ana, nan, anan, nana, anana.
func ExampleSubstring() {
	fmt.Println(text.Substring{}.Eval("banana", "ananas"))
	fmt.Println(text.Substring{Max: 2}.Eval("banana", "ananas"))
	// Output:
	// 9
	// 4
}

// Both have ana twice and nan once.
func ExampleSpectrum() {
	k := text.Spectrum{K: 3}
	fmt.Println(k, k.Eval("banana", "ananas"))
	// Output: spectrum(k=3) 5
}

func ExampleNewMismatch() {
	k := text.NewMismatch(3, 1)
	fmt.Println(k)
	fmt.Println(k.Eval("ACG", "ACG"), k.Eval("ACG", "ACT"), k.Eval("ACG", "AGT"), k.Eval("ACG", "TGT"))
	// Output:
	// mismatch(k=3,m=1,letters=4)
	// 10 4 2 0
}

// Both have c and t: with no letter between them and with one.
func ExampleNewSubsequence() {
	k := text.NewSubsequence(2)
	fmt.Println(k.Eval("ct", "cat") == 0.5*0.5*0.5*0.5*0.5)
	fmt.Printf("%.3f\n", kernel.Normalize[string](k).Eval("ct", "cat"))
	// Output:
	// true
	// 0.333
}
