package external

import (
	"fmt"
	"strings"
)

// SplitCommand splits a command at blanks into program and arguments, as a shell
// does: within '…' everything is taken as it is; within "…" and outside of quotes
// a backslash takes the next character as it is. Nothing else is special.
func SplitCommand(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	begun := false
	var quote rune // that is open, or 0
	escaped := false
	for _, c := range command {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if begun {
				words = append(words, word.String())
				word.Reset()
			}
			begun = false
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("the quote %c is never closed", quote)
	case escaped:
		return nil, fmt.Errorf("the command ends in a backslash")
	}
	if begun {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, fmt.Errorf("the command names no program")
	}
	return words, nil
}
