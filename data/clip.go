package data

import "unicode/utf8"

// Clip returns the beginning of a text, of at most so many bytes, with an ellipsis
// where something was cut off. It does not cut within a character.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return head(text, most) + "…"
}

// ClipMiddle keeps the beginning of a text and its end, a quarter of most, for a
// message that ends in what to do.
func ClipMiddle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	from := len(text) - most/4
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return head(text, most-most/4) + " … " + text[from:]
}

func head(text string, n int) string {
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
