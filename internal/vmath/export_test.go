package vmath

func (l Level) String() string {
	switch l {
	case Plain:
		return "plain"
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	}
	return "unknown"
}

// Best returns the highest level that the machine and the build have.
func Best() Level { return best }
