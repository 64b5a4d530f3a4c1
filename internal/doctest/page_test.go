package doctest

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is a fenced block of a page: the words behind its fence, of which the first
// is its kind, the line on which it begins, and where its text is among the bytes.
type block struct {
	kind     string
	words    []string
	text     string
	line     int
	from, to int
}

var fence = regexp.MustCompile("(?ms)^```([a-z]+)([^\n]*)\n(.*?)^```")

// blocks returns the fenced blocks of a page that have a kind.
func blocks(page []byte) []block {
	var out []block
	for _, m := range fence.FindAllSubmatchIndex(page, -1) {
		out = append(out, block{
			kind: string(page[m[2]:m[3]]), words: strings.Fields(string(page[m[4]:m[5]])),
			text: string(page[m[6]:m[7]]), line: 1 + bytes.Count(page[:m[0]], []byte("\n")), from: m[6], to: m[7],
		})
	}
	return out
}

// read returns a page of the module.
func read(t *testing.T, page string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", page))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// step is a block of commands with the block right behind it that shows what they
// print, if there is one.
type step struct {
	block
	shown *block
}

// steps returns the blocks of commands of a page. A block of text shows what the
// commands before it print if there is nothing but blanks between the two.
func steps(page []byte) []step {
	all := blocks(page)
	var out []step
	for i, b := range all {
		if b.kind != "sh" {
			continue
		}
		s := step{block: b}
		if i+1 < len(all) && all[i+1].kind == "text" {
			if strings.TrimSpace(string(page[b.to:all[i+1].from])) == "```\n\n```text" {
				s.shown = &all[i+1]
			}
		}
		out = append(out, s)
	}
	return out
}

// has reports whether a block is marked with a word.
func (b block) has(word string) bool { return slices.Contains(b.words, word) }

// named returns what a block is marked to need under a word, as word=NAME.
func (b block) named(word string) []string {
	var out []string
	for _, w := range b.words {
		if name, ok := strings.CutPrefix(w, word+"="); ok {
			out = append(out, name)
		}
	}
	return out
}
