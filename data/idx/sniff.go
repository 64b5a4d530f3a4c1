package idx

// Begins reports whether content begins with two zeros, a type of values, a number
// of dimensions that is not zero, and as many sizes, of four bytes each.
func Begins(head []byte) bool {
	if len(head) < 4 || head[0] != 0 || head[1] != 0 || sizes[head[2]] == 0 {
		return false
	}
	return head[3] > 0 && len(head) >= 4+4*int(head[3])
}

// HoldsBytes reports whether the values of a file that begins so are bytes.
func HoldsBytes(head []byte) bool {
	return Begins(head) && (head[2] == typeUint8 || head[2] == typeInt8)
}
