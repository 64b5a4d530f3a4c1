// Package vmath applies functions to the elements of slices of float32 and
// float64, and sums them: Exp, Log and SinCos; the forms that turn a row of inner
// products into a row of a kernel (ExpScale, RBFRow, Distance2Row, PowInt,
// TanhScale, ScaleRow); Dot, Sum, Axpy, Scale and Finite; and what random
// projections need (Hadamard, SumStrips, Narrow, Prefetch, Gather, Stream). Runs
// compares strings.
//
// There are three levels, chosen when the program starts: AVX-512, AVX2 with
// FMA, and plain Go, which is also all that the build tag purego and other
// architectures have. Assembly and stubs are written by the generator in
// gen/vmath, which derives the methods and states the error of every
// polynomial.
//
// # Guarantees
//
// The result of an element does not depend on its index, on the length or the
// alignment of the slice, or on whether the call is in place. AVX2 and AVX-512
// give the same bits. Plain Go gives the same bits as they do for everything
// but the five functions below and the row forms made of them; there it is as
// accurate, but may differ in the last place.
//
// A slice that is written must be equal to or disjoint from every other slice
// of the call. No function allocates, and all are safe for concurrent use.
// A call in assembly is not preempted: it is meant for a tile, not for minutes
// of work.
//
// Special values are treated as in package math: NaN, infinities, zeros with
// their sign, subnormal arguments and results.
//
// # Accuracy
//
// The largest errors found, rounded up, in units of the last place of the exact
// result: over one in five of all float32 arguments, and over nine million
// float64 arguments of all magnitudes and around the points where a method
// changes. In float32 plain Go rounds the float64 result.
//
//	            float32               float64
//	        plain  AVX2 and 512    plain  AVX2 and 512
//	Exp     0.50   0.89            1.13   0.87
//	Log     0.50   0.78            0.79   0.75
//	Tanh    0.50   1.50            1.40   1.51
//	Cos     0.50   0.79            0.77   0.78
//	Sin     0.50   0.79            0.78   0.78
//
// For cosine and sine this holds up to 2¹⁷ (float32) and 2³⁰ (float64); beyond,
// each element is left to package math, which for float64 is off by up to 2e-16
// in absolute terms and so by more than an ulp near zeros.
//
// # Speed
//
// Nanoseconds a value on an Ice Lake server core at 2.8 GHz, from the first
// cache (n = 2048), the best of many runs on a busy machine:
//
//	            float32                float64
//	        plain  AVX2   512      plain  AVX2   512
//	Exp     12     0.32   0.17     12     0.83   0.45
//	RBFRow  13     0.47   0.26     13     1.11   0.65   with a copy of the row
//	Log     11     0.69   0.35     11     2.2    1.2
//	Tanh    14     0.66   0.46     13     1.9    1.3
//	Dot     0.63   0.046  0.043    0.64   0.082  0.075
package vmath

//go:generate go -C ../../gen run ./vmath -out ../internal/vmath
