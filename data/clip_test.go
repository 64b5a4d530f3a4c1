package data_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
)

func TestClip(t *testing.T) {
	for _, c := range []struct{ text, clip, middle string }{
		{"", "", ""},
		{"12345678", "12345678", "12345678"},
		{"123456789", "12345678…", "123456 … 89"},
		{"1234567ä0", "1234567…", "123456 … 0"},
		{"ääääääääää", "ääää…", "äää … ä"},
	} {
		if got := data.Clip(c.text, 8); got != c.clip {
			t.Errorf("%q is clipped to %q", c.text, got)
		}
		if got := data.ClipMiddle(c.text, 8); got != c.middle {
			t.Errorf("%q is clipped in the middle to %q", c.text, got)
		}
	}
	for n := range 40 {
		for _, text := range []string{strings.Repeat("a😀é", 10), strings.Repeat("\x80", 50)} {
			a, b := data.Clip(text, n), data.ClipMiddle(text, n)
			if len(a) > n+3 || len(b) > n+5 || utf8.ValidString(text) && !(utf8.ValidString(a) && utf8.ValidString(b)) {
				t.Errorf("%d bytes of %q: %q and %q", n, text, a, b)
			}
		}
	}
}
