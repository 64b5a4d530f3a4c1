package doctest

import (
	"regexp"
	"strings"
	"testing"
)

// Parts of an output that depend on the machine or its load, with the blanks before
// them: times, sizes of memory and their rates, versions.
var (
	measured = regexp.MustCompile(` *\b\d+(\.\d+)? ?(ns|µs|ms|s|min|KiB|MiB|GiB)\b(/s)?`)
	version  = regexp.MustCompile(`\bv?\d+\.\d+\.\d+(-[\w.]+)?\b`)
	inJSON   = regexp.MustCompile(`("[a-z_]*seconds": ?)[\d.e+-]+`)
	lastTime = regexp.MustCompile(` +\d+\.\d+$`)
)

// steady returns a text with these parts replaced by a sign. In a table whose last
// column is called seconds, the last number of each line is such a part.
func steady(text string) string {
	var out strings.Builder
	table := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if line == "" {
			table = false
		}
		if table {
			line = lastTime.ReplaceAllString(line, " #")
		}
		if strings.HasSuffix(line, " seconds") {
			table = true
		}
		line = inJSON.ReplaceAllString(version.ReplaceAllString(line, "#"), "$1#")
		out.WriteString(measured.ReplaceAllString(line, " #") + "\n")
	}
	return out.String()
}

// The sign for what is left out of a shown output, and a whole line of it.
var (
	dots    = regexp.MustCompile(`…|\.\.\.`)
	dotLine = regexp.MustCompile(`^\s*(…|\.\.\.)\s*$`)
)

// matches reports whether commands that printed a text are shown to print it: each
// line is the same, but for steady's parts and for …, which stands for any part of a
// line, and alone on a line for any lines.
func matches(shown, printed string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(steady(shown)) {
		line = strings.TrimSuffix(line, "\n")
		if dotLine.MatchString(line) {
			pattern.WriteString(`(?:.*\n)*`)
			continue
		}
		for i, part := range dots.Split(line, -1) {
			if i > 0 {
				pattern.WriteString(`.*`)
			}
			pattern.WriteString(regexp.QuoteMeta(part))
		}
		pattern.WriteString(`\n`)
	}
	return regexp.MustCompile(`\A` + pattern.String() + `\z`).MatchString(steady(printed))
}

var number = regexp.MustCompile(`\d[\d.,]*(e[+-]?\d+)?`)

// like returns the line of a printed text that a shown line stands for, with the same
// parts left out, and its index at or behind from: the first that differs in numbers
// alone, else the first with the same first word. The index is -1 where there is none.
func like(shown string, printed []string, from int) (string, int) {
	var pattern strings.Builder
	for i, part := range dots.Split(shown, -1) {
		if i > 0 {
			pattern.WriteString(`.*?`)
		}
		literal := regexp.QuoteMeta(number.ReplaceAllString(part, "\x00"))
		pattern.WriteString("(" + strings.ReplaceAll(literal, "\x00", number.String()) + ")")
	}
	same := regexp.MustCompile(`^` + strings.ReplaceAll(pattern.String(), `(e[+-]`, `(?:e[+-]`) + `$`)
	for j := from; j < len(printed); j++ {
		if m := same.FindStringSubmatch(printed[j]); m != nil {
			return strings.Join(m[1:], "…"), j
		}
	}
	for j := from; j < len(printed); j++ {
		if f := strings.Fields(shown); len(f) > 0 && strings.HasPrefix(strings.TrimSpace(printed[j]), f[0]+" ") {
			return printed[j], j
		}
	}
	return "", -1
}

// renew returns what is to be shown in the place of what was shown: all that was
// printed, without the parts and lines that were left out before. Lines that match
// stay as they are, times among them.
func renew(shown, printed string) string {
	lines := strings.Split(strings.TrimRight(printed, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	var out []string
	at, left := 0, false
	for line := range strings.Lines(shown) {
		line = strings.TrimRight(line, " \n")
		if dotLine.MatchString(line) {
			left = true
			continue
		}
		text, j := like(line, lines, at)
		if j < 0 {
			continue
		}
		if matches(line, lines[j]) {
			text = line
		}
		if left {
			out = append(out, "…")
		} else {
			out = append(out, lines[at:j]...)
		}
		out, at, left = append(out, text), j+1, false
	}
	if left {
		out = append(out, "…")
	} else {
		out = append(out, lines[at:]...)
	}
	return strings.Join(out, "\n") + "\n"
}

// TestMatches checks what may differ between a shown output and a printed one.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		shown, printed string
		want           bool
	}{
		{"error 1.17%\n", "error 1.17%\n", true},
		{"error 1.17%\n", "error 1.18%\n", false},
		{"work  0.25 s, 12 rows\n", "work 10.25 s, 12 rows\n", true},
		{"work  0.25 s, 12 rows\n", "work  0.25 s, 13 rows\n", false},
		{"a  seconds\n1     0.10\n", "a  seconds\n1    12.34\n", true},
		{"a  seconds\n1     0.10\n", "a  seconds\n2     0.10\n", false},
		{"a  seconds\n\n0.10\n", "a  seconds\n\n0.20\n", false},
		{"a\n…\nd\n", "a\nb\nc\nd\n", true},
		{"a\n…\nd\n", "a\nd\n", true},
		{"a\n…\nd\n", "a\nb\n", false},
		{"kernel rbf…, chosen\n", "kernel rbf(gamma=1), chosen\n", true},
		{"kernel rbf ... chosen\n", "kernel rbf\nchosen\n", false},
		{"a\n", "a\nb\n", false},
	} {
		if got := matches(c.shown, c.printed); got != c.want {
			t.Errorf("%q for %q: %v", c.shown, c.printed, got)
		}
	}
}

// TestRenew checks that new outputs have the gaps of old ones.
func TestRenew(t *testing.T) {
	for _, c := range []struct{ shown, printed, want string }{
		{"error 1%\n", "error 2%\nnew 3\n", "error 2%\nnew 3\n"},
		{"a 1\n…\nc 3\n", "a 2\nb 2\nc 4\nd 5\n", "a 2\n…\nc 4\nd 5\n"},
		{"…\nc 3, … times 3\n…\n", "b\nc 4, 7 and 8 times 4\nd\n", "…\nc 4, … times 4\n…\n"},
		{"gone 1\nmap f2 (3)\n", "map: none\nmap f3, others\n", "map: none\nmap f3, others\n"},
		{"", "b\n", "b\n"},
		{"a 1\nwork 0.1 s\n", "a 2\nwork 0.2 s\n", "a 2\nwork 0.1 s\n"},
	} {
		got := renew(c.shown, c.printed)
		if got != c.want || !matches(got, c.printed) {
			t.Errorf("%q with %q printed becomes %q", c.shown, c.printed, got)
		}
	}
}
