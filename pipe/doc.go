// Package pipe does jobs for a program of another language that has started kerf as its
// child: requests come in on one stream, answers go out on another, and when the first
// ends so does the child. Data are arrays and texts in memory; nothing is written to disk.
//
// A message, of either direction, is
//
//	"KRF1"    4 bytes
//	length    of the head, 4 bytes, least significant first
//	head      JSON: what is asked for or answered, and "frames", a list of
//	          {"name", "form", "size", "count"}
//	frames    one after the other, size bytes each
//
// A frame of the form npy is an array of NumPy with its own header; of the form text it
// is count lengths of 4 bytes, 0xFFFFFFFF for a missing text, and then the texts in
// UTF-8; of the form bytes it is what it is. A request is answered by any number of
// messages with "progress", "warn" or "note", and one with "done" or "error". While it is
// worked on, the one message that counts is {"do": "cancel"}.
package pipe
