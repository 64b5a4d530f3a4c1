// Package spec turns text into kernels and back: "rbf(gamma=0.1)". It is the
// only place that knows which kinds of instances there are.
//
//	kernel = name [ "(" argument { "," argument } ")" ]
//	argument = name "=" number | kernel
//
// Blanks between tokens do not matter. Every kernel of package kernel prints as
// text that Parse reads back to the same value.
package spec

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error reports a kernel text that cannot be read.
type Error struct {
	Text    string
	Column  int // 1-based, in bytes
	Problem string
}

func (e *Error) Error() string {
	text := e.Text
	if len(text) > 60 {
		text = text[:57] + "..."
	}
	return fmt.Sprintf("kernel %s, column %d: %s", strconv.Quote(text), e.Column, e.Problem)
}

// node is a parsed name with its arguments.
type node struct {
	name   string
	column int
	params []param
	inner  []node
}

type param struct {
	name   string
	value  float64
	column int
}

// maxDepth bounds how deep kernels may be nested, and maxText how long the text
// may be, so that no input exhausts the stack.
const (
	maxDepth = 32
	maxText  = 4096
)

type parser struct {
	text string
	at   int
}

// parse reads the whole text as one kernel.
func parse(text string) (node, error) {
	p := &parser{text: text}
	if len(text) > maxText {
		return node{}, p.fail(maxText, "the text is longer than %d bytes", maxText)
	}
	n, err := p.kernel(0)
	if err != nil {
		return node{}, err
	}
	p.blanks()
	if p.at < len(text) {
		next, _ := utf8.DecodeRuneInString(text[p.at:])
		return node{}, p.fail(p.at, "unexpected %q after the kernel", next)
	}
	return n, nil
}

func (p *parser) fail(at int, format string, args ...any) error {
	return &Error{Text: p.text, Column: at + 1, Problem: fmt.Sprintf(format, args...)}
}

func (p *parser) blanks() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// next skips blanks and reports whether c comes next, taking it if so.
func (p *parser) next(c byte) bool {
	p.blanks()
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// word takes the longest run of letters, digits, '_' and '-' that begins with a
// letter.
func (p *parser) word() string {
	p.blanks()
	start := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (p.at == start || !(c >= '0' && c <= '9' || c == '_' || c == '-')) {
			break
		}
		p.at++
	}
	return p.text[start:p.at]
}

func (p *parser) kernel(depth int) (node, error) {
	if depth > maxDepth {
		return node{}, p.fail(p.at, "kernels are nested deeper than %d", maxDepth)
	}
	p.blanks()
	n := node{column: p.at}
	if n.name = p.word(); n.name == "" {
		return n, p.fail(p.at, "a kernel's name is expected here, such as rbf or linear")
	}
	if !p.next('(') {
		return n, nil
	}
	return p.arguments(n, depth)
}

// arguments reads what stands between the parentheses.
func (p *parser) arguments(n node, depth int) (node, error) {
	for !p.next(')') {
		if len(n.params)+len(n.inner) > 0 && !p.next(',') {
			return n, p.fail(p.at, "a comma or a closing parenthesis is expected here")
		}
		p.blanks()
		start := p.at
		name := p.word()
		if name != "" && p.next('=') {
			v, err := p.number(name)
			if err != nil {
				return n, err
			}
			n.params = append(n.params, param{name: name, value: v, column: start})
			continue
		}
		p.at = start
		inner, err := p.kernel(depth + 1)
		if err != nil {
			return n, err
		}
		n.inner = append(n.inner, inner)
	}
	return n, nil
}

func (p *parser) number(name string) (float64, error) {
	p.blanks()
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(",() \t", rune(p.text[p.at])) {
		p.at++
	}
	word := p.text[start:p.at]
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || v-v != 0 {
		return 0, p.fail(start, "%s takes a number, not %q", name, word)
	}
	return v, nil
}
