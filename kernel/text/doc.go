// Package text holds kernels on strings. The letters are bytes, but for those of
// prose: Words and Ngrams read UTF-8.
//
//	Degree       the same letters at the same places      degree(d=5)
//	Substring    which substrings both have               substring, substring(p=8)
//	Spectrum     how often both have each k letters       spectrum(k=3)
//	Mismatch     the same, letters may differ             mismatch(k=5,m=1,letters=4)
//	Words        which words both have                    words(n=2)
//	Ngrams       which runs of a few letters both have    ngrams(from=2,to=5,edges=1)
//	Subsequence  the same, letters may be left out        subsequence(k=3,decay=0.5)
//
// Kernels are plain values that print as the text which package spec reads
// back. Validate reports all faults of the parameters; what a kernel with a
// fault evaluates to is not specified. K(x, x) grows with the length of x:
// kernel.Normalize takes that away.
//
// Kernels are immutable and safe for concurrent use.
package text
