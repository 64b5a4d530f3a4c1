// Package spec turns text into kernels and back: "rbf(gamma=0.1)". It is the
// only place that knows which kinds of instances there are.
//
//	kernel  = product { "+" product }
//	product = power { "*" power }
//	power   = unit [ "^" whole number ]
//	unit    = number | "(" kernel ")" | name [ "(" argument { "," argument } ")" ]
//	        | "exec:" command | "wasm:" file
//	argument = name "=" number | "metric=" text | kernel
//
// A number is the constant kernel: 2*K scales K, K+1 adds a constant to it. A
// command or file reaches to the end of the text, or to the parenthesis that
// closes the one it stands in.
// Blanks between tokens do not matter. Every kernel of package kernel and below
// prints as text that is read back to the same value.
package spec

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
)

// Error reports a kernel text that cannot be read.
type Error struct {
	Text    string
	Column  int // 1-based, in bytes
	Problem string
}

func (e *Error) Error() string {
	return fmt.Sprintf("kernel %s, column %d: %s", strconv.Quote(data.Clip(e.Text, 60)), e.Column, e.Problem)
}

// node is a parsed expression: a call of a name, a number, or an operation on
// the inner nodes.
type node struct {
	op     byte // 'c' call, 'n' number, '+', '*', '^'
	name   string
	value  float64 // of a number, and the exponent of ^
	rest   string  // what follows exec: or wasm:
	column int
	params []param
	inner  []node
}

type param struct {
	name   string
	value  float64
	text   string // of a metric
	column int
}

// maxDepth bounds how deep kernels may be nested, and maxText how long the text
// may be, so that no input exhausts the stack.
const (
	maxDepth = 32
	maxText  = 4096 // without the numbers of a metric
)

type parser struct {
	text string
	at   int
}

// parse reads the whole text as one kernel.
func parse(text string) (node, error) {
	p := &parser{text: text}
	if len(text) > maxText && len(Short(text)) > maxText {
		return node{}, p.fail(maxText, "the text is longer than %d bytes", maxText)
	}
	n, err := p.sum(0)
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

// sum reads products joined by +.
func (p *parser) sum(depth int) (node, error) { return p.joined('+', depth, p.product) }

// product reads powers joined by *.
func (p *parser) product(depth int) (node, error) { return p.joined('*', depth, p.power) }

func (p *parser) joined(op byte, depth int, part func(depth int) (node, error)) (node, error) {
	p.blanks()
	n := node{op: op, column: p.at}
	for {
		one, err := part(depth)
		if err != nil {
			return n, err
		}
		n.inner = append(n.inner, one)
		if !p.next(op) {
			break
		}
	}
	if len(n.inner) == 1 {
		return n.inner[0], nil
	}
	return n, nil
}

// power reads a unit with an exponent, if it has one.
func (p *parser) power(depth int) (node, error) {
	p.blanks()
	n := node{op: '^', column: p.at}
	base, err := p.unit(depth)
	if err != nil || !p.next('^') {
		return base, err
	}
	p.blanks()
	start := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	exponent, err := strconv.Atoi(p.text[start:p.at])
	if err != nil || exponent < 1 || exponent > 1000 {
		return n, p.fail(start, "a whole number from 1 to 1000 is expected after ^")
	}
	n.inner, n.value = []node{base}, float64(exponent)
	return n, nil
}

// unit reads a number, an expression in parentheses, or a name with its
// arguments.
func (p *parser) unit(depth int) (node, error) {
	if depth > maxDepth {
		return node{}, p.fail(p.at, "kernels are nested deeper than %d", maxDepth)
	}
	p.blanks()
	n := node{op: 'c', column: p.at}
	if p.at < len(p.text) && strings.IndexByte("0123456789.", p.text[p.at]) >= 0 {
		n.op = 'n'
		var err error
		n.value, err = p.constant()
		return n, err
	}
	if p.next('(') {
		inner, err := p.sum(depth + 1)
		if err == nil && !p.next(')') {
			err = p.fail(p.at, "a closing parenthesis is expected here")
		}
		return inner, err
	}
	if n.name = p.word(); n.name == "" {
		return n, p.fail(p.at, "a kernel's name is expected here, such as rbf or linear")
	}
	if isExternal(n.name) && p.next(':') {
		n.rest = p.command()
		if n.rest == "" {
			return n, p.fail(p.at, "%s: names a program or file", n.name)
		}
		return n, nil
	}
	if !p.next('(') {
		return n, nil
	}
	return p.arguments(n, depth)
}

func isExternal(name string) bool { return name == "exec" || name == "wasm" }

// command takes the text up to its end or to a closing parenthesis that it did
// not open.
func (p *parser) command() string {
	start, open := p.at, 0
	for ; p.at < len(p.text); p.at++ {
		if c := p.text[p.at]; c == '(' {
			open++
		} else if c == ')' {
			if open == 0 {
				break
			}
			open--
		}
	}
	return strings.TrimSpace(p.text[start:p.at])
}

// constant reads the longest run that looks like a number.
func (p *parser) constant() (float64, error) {
	start := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		sign := (c == '+' || c == '-') && p.at > start && (p.text[p.at-1] == 'e' || p.text[p.at-1] == 'E')
		if !sign && strings.IndexByte("0123456789.eE", c) < 0 {
			break
		}
		p.at++
	}
	v, err := strconv.ParseFloat(p.text[start:p.at], 64)
	if err != nil || v-v != 0 {
		return 0, p.fail(start, "%q is not a number", p.text[start:p.at])
	}
	return v, nil
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
		if name == metricParam && p.next('=') {
			n.params = append(n.params, param{name: name, text: p.plain(), column: start})
			continue
		}
		if name != "" && p.next('=') {
			v, err := p.number(name)
			if err != nil {
				return n, err
			}
			n.params = append(n.params, param{name: name, value: v, column: start})
			continue
		}
		p.at = start
		inner, err := p.sum(depth + 1)
		if err != nil {
			return n, err
		}
		n.inner = append(n.inner, inner)
	}
	return n, nil
}

// metricParam is the parameter that is text and no number.
const metricParam = "metric"

// plain takes the text up to a comma, a parenthesis or a blank.
func (p *parser) plain() string {
	p.blanks()
	start := p.at
	for p.at < len(p.text) && !strings.ContainsRune(",() \t", rune(p.text[p.at])) {
		p.at++
	}
	return p.text[start:p.at]
}

func (p *parser) number(name string) (float64, error) {
	p.blanks()
	start := p.at
	word := p.plain()
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || v-v != 0 {
		return 0, p.fail(start, "%s takes a number, not %q", name, word)
	}
	return v, nil
}
