package csv

import "math"

// exact are the powers of ten that a float64 holds exactly.
var exact = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
	1e21, 1e22,
}

// decimal reads a plain decimal number that begins at at: a sign, digits with or without
// a point, an exponent. It returns the number and where it ends. Where the number is not
// plain, or the quotient or product of two float64 would not be the nearest one, ok is
// false.
//
// A number of at most 2⁵³ times or by a power of ten up to 10²² is that of two exact
// float64, whose rounding is correct (Clinger 1990): the same bits as of strconv.
func decimal(b []byte, at int) (v float64, end int, point, ok bool) {
	i, negative := at, false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	mantissa, digits, scale := uint64(0), 0, 0
	for ; i < len(b); i++ {
		if c := b[i] - '0'; c <= 9 {
			mantissa = 10*mantissa + uint64(c)
			digits++
			if point {
				scale--
			}
		} else if b[i] == '.' && !point {
			point = true
		} else {
			break
		}
	}
	if digits == 0 || digits > 18 {
		return 0, i, point, false
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		j, minus, exponent, any := i+1, false, 0, false
		if j < len(b) && (b[j] == '-' || b[j] == '+') {
			minus = b[j] == '-'
			j++
		}
		for ; j < len(b) && b[j]-'0' <= 9 && exponent < 1000; j++ {
			exponent, any = 10*exponent+int(b[j]-'0'), true
		}
		if !any {
			return 0, i, point, false
		}
		if minus {
			exponent = -exponent
		}
		scale += exponent
		i = j
	}
	if mantissa > 1<<53 || scale < -22 || scale > 22 {
		return 0, i, point, false
	}
	if v = float64(mantissa); scale < 0 {
		v /= exact[-scale]
	} else {
		v *= exact[scale]
	}
	if negative {
		v = math.Copysign(v, -1)
	}
	return v + 0, i, point, true // -0 becomes 0
}
