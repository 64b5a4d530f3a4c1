// Package inference holds the messages of the Open Inference Protocol, version 2, as
// Protocol Buffers. The Go code is written by generate.sh from inference.proto.
package inference

//go:generate sh generate.sh
