package external

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzAnswer compares the reader of answers with encoding/json: what it accepts
// is what that reads, as long as numbers are spelled as JSON spells them; whatever
// that reads as numbers is accepted.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{"[]", "[1]", " [ 1 , -2.5e-3 ] \r\n", "[1,,2]", "[,]", "[1e999]", "[NaN]", "[null]",
		`["1"]`, "[[1]]", "[1,2,", "{}", "[0x1]", "[1 2]"} {
		f.Add(seed, 1)
		f.Add(seed, 2)
	}
	f.Fuzz(func(t *testing.T, line string, n int) {
		n = max(0, min(n, 100))
		dst := make([]float64, n)
		err := parseAnswer(dst, []byte(line))
		var want []*float64
		isJSON := json.Unmarshal([]byte(line), &want) == nil && want != nil
		for _, v := range want {
			isJSON = isJSON && v != nil
		}
		if err != nil {
			if isJSON && len(want) == n {
				t.Fatalf("%q: %v", line, err)
			}
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
				t.Fatalf("message %q", err)
			}
			return
		}
		if isJSON && len(want) != n {
			t.Fatalf("%q: %d numbers, want %d", line, n, len(want))
		}
		for i, v := range dst {
			if v-v != 0 || isJSON && v != *want[i] {
				t.Fatalf("%q: value %d is %v", line, i, v)
			}
		}
	})
}
