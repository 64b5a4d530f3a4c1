package npy

import "bytes"

// Begins reports whether content begins as an array of NumPy does.
func Begins(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) }
