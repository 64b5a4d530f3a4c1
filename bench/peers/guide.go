package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// guideHead is the head of the table that the guide has of the page.
const guideHead = "| work | precision | kerf, s | ratio |\n|---|---|---|---|\n"

// guide is the page of the guide that stands below a page's folder.
func (b *bench) guide() string { return filepath.Join(filepath.Dir(b.page), "guide", "performance.md") }

// writeGuide writes the table of the guide anew, where there is a guide beside the page.
func (b *bench) writeGuide() error {
	text, err := os.ReadFile(b.guide())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(text), guideHead)
	_, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		return fmt.Errorf("%s has no table that begins with %q", b.guide(), guideHead)
	}
	return os.WriteFile(b.guide(), []byte(before+guideHead+b.short()+"\n"+after), 0o644)
}

// short is the table of the guide.
func (b *bench) short() string {
	var w strings.Builder
	for _, l := range b.Lines {
		seconds, _, _ := strings.Cut(l.describe(l.Results[0]), " ")
		fmt.Fprintf(&w, "| %s | %s | %s | %s |\n", l.Title, l.Precision, seconds, strings.ReplaceAll(l.ratio(), "**", ""))
	}
	return w.String()
}
