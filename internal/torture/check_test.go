//go:build unix

package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kerf-ml/kerf/dataset"
	"github.com/kerf-ml/kerf/model"
)

var (
	dump      = regexp.MustCompile(`goroutine \d+ \[|panic:|fatal error:|internal error|\.go:\d+`)
	progress  = regexp.MustCompile(`^kerf: .*(\d+% in|, \d+m?\d*s$)`)
	notFinite = regexp.MustCompile(`(?i)(^|[\s,:\[(])[+-]?(nan|inf|infinity)([\s,\])}%]|$)`)
	notWord   = regexp.MustCompile(`(?i)nan|inf`)
)

// attempt is a run and what is expected of it.
type attempt struct {
	before  files
	stdin   []byte
	args    []string
	outputs []string // names of files that it may write
	refused string   // why it must fail; "" where it need not
	unsure  bool     // inputs speak of infinities themselves
}

// has reports whether an argument is given.
func (a *attempt) has(flag string) bool { return slices.Contains(a.args, flag) }

// wrong returns what is wrong with a run, "" if nothing: everything that the
// contract of the command line rules out.
func (a *attempt) wrong(r result, after files) string {
	switch {
	case r.hangs:
		return "it hangs"
	case dump.Match(r.stderr):
		return "a dump"
	case r.status == 130 && !r.long, !slices.Contains([]int{0, 1, 2, 3, 130}, r.status):
		return "no status of the contract"
	case r.status != 0:
		if fault := badMessage(r.stderr); fault != "" {
			return fault
		}
	case a.refused != "":
		return "silent acceptance of " + a.refused
	default:
		if fault := a.badResult(r.stdout); fault != "" {
			return fault
		}
	}
	for name, b := range a.before {
		if now, ok := after[name]; !slices.Contains(a.outputs, name) && (!ok || !bytes.Equal(b, now)) {
			return "an input was changed"
		}
	}
	return a.badFiles(r, after)
}

// badMessage reports an error that is not told in one readable line.
func badMessage(stderr []byte) string {
	lines := strings.Split(strings.TrimSuffix(string(stderr), "\n"), "\n")
	last := lines[len(lines)-1]
	switch {
	case !strings.HasPrefix(last, "kerf: ") || isRemark(last):
		return "a failure without its line"
	case len(last) > 500:
		return fmt.Sprintf("a line of %d bytes", len(last))
	}
	for _, line := range lines[:len(lines)-1] {
		if strings.HasPrefix(line, "kerf: ") && !isRemark(line) && !progress.MatchString(line) {
			return "more than one line"
		}
	}
	return ""
}

// isRemark reports a line that is no error.
func isRemark(line string) bool {
	return strings.HasPrefix(line, "kerf: warning") || strings.HasPrefix(line, "kerf: note")
}

// badResult reports a success whose standard output is none.
func (a *attempt) badResult(stdout []byte) string {
	asks := a.has("--help") || a.has("-h") || a.args[0] == "help" || strings.HasPrefix(a.args[0], "-")
	at := slices.Index(a.args, "--json")
	if at > 0 && !asks && !strings.HasPrefix(a.args[at-1], "-") { // else it may be the value of another flag

		var o map[string]any
		if err := json.Unmarshal(stdout, &o); err != nil {
			return "no JSON object"
		}
	}
	if !a.unsure && !a.has("--help") && notFinite.Match(stdout) {
		return "a number that is none"
	}
	return ""
}

// badFiles reports an output that is half written, and what was left behind.
func (a *attempt) badFiles(r result, after files) string {
	for name, b := range after {
		old, there := a.before[name]
		switch {
		case !slices.Contains(a.outputs, name):
			if !there {
				return "a file left behind: " + name
			}
		case there && bytes.Equal(old, b):
		case r.status != 0 && r.status != 130 && filepath.Ext(name) != ".state" && filepath.Ext(name) != ".kerf":
			return "a failure that wrote " + name
		case !whole(name, b):
			return "a file that is not whole: " + name
		}
	}
	return ""
}

// whole reports whether an output is complete.
func whole(name string, b []byte) bool {
	switch filepath.Ext(name) {
	case ".kerf":
		_, err := model.Decode(b)
		return err == nil
	case ".html":
		return bytes.HasSuffix(bytes.TrimSpace(b), []byte("</html>"))
	case ".npy", ".parquet", ".arrow":
		dir, err := files{name: b}.write()
		if err == nil {
			_, err = dataset.Read(context.Background(), filepath.Join(dir, name), dataset.Options{Target: "none"})
		}
		return err == nil
	case ".csv", ".libsvm", ".svm", ".txt", ".tsv", ".jsonl":
		return len(b) > 0 && b[len(b)-1] == '\n'
	}
	return len(b) > 0 // a state, or a name that tells nothing
}
