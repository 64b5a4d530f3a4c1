// Package external makes kernels of programs that kerf did not write: Exec of a
// process that answers over pipes, Wasm of a WebAssembly module that runs inside
// kerf, without access to files, network or clock.
//
// Instances are vectors, strings or sets. Both kernels are safe for concurrent
// use and must be closed. Both can fail, as no other kernel can: after the first
// fault Eval returns NaN, EvalBlock and Err return the fault, and nothing mends
// it. A fault is a *data.InputError that names the program, or the context's
// error where that ended the program.
//
// # Programs: exec:PROGRAM arguments…
//
// kerf starts the program once and writes to its standard input one line a
// request: a JSON array of pairs,
//
//	[[x1,y1],[x2,y2],…]
//
// The program answers each request with one line on its standard output, a JSON
// array of as many finite numbers, in the order of the pairs:
//
//	[K(x1,y1),K(x2,y2),…]
//
// and does not keep the line in a buffer. A vector is an array of numbers, in
// which zeros at the end may be missing; a string is a string; a set is an array
// of strings, sorted. A request has at most MaxPairs pairs. The program ends when
// its input does. What it writes to its standard error is shown when it fails.
//
// # Modules: wasm:FILE
//
// The module exports its memory under the name memory, and two functions:
//
//	alloc(size i32) i32                            returns where size bytes are free
//	kernel(x i32, xlen i32, y i32, ylen i32) f64   returns K(x, y)
//
// kerf calls alloc for a place for x and one for y, again only when an instance
// is longer than all before it, writes the instances there, and calls kernel. The
// places stay kerf's; kernel must not write to them. A vector is xlen numbers of
// type f64, little-endian; a string is xlen bytes of UTF-8; a set is its items,
// sorted, each followed by a zero byte, xlen bytes in all.
//
// The module imports nothing: it sees no files, no network, no clock and no
// random numbers. A value may take it DefaultFuel instructions, which kerf makes it
// count, and DefaultTimeout, and a copy of it DefaultMemory; its tables have a
// maximum, of maxTable entries together. If it exports _initialize, that is called
// first. Several copies of the module, each with its own memory, may run at once, so
// kernel may not depend on earlier calls.
package external
