package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kerf-ml/kerf/internal/gemm"
)

// outcome is everything that was measured, as the JSON has it.
type outcome struct {
	Date     string            `json:"date"`
	Quick    bool              `json:"quick"`
	Machine  machineFacts      `json:"machine"`
	Versions map[string]string `json:"versions"`
	Missing  []string          `json:"missing"` // peers that could not be had, and why
	Lines    []line            `json:"lines"`
	Growth   []grown           `json:"growth"`
}

type machineFacts struct {
	Processor    string `json:"processor"`
	Cores        int    `json:"cores"`
	Instructions string `json:"instructions"` // that our products use
	MemoryBytes  int64  `json:"memory_bytes"`
	System       string `json:"system"`
	Go           string `json:"go"`
}

// packages are those whose versions the page names.
var packages = []string{"numpy", "scipy", "scikit-learn", "scikit-learn-intelex", "torch", "pykeops", "libsvm-official",
	"liblinear-official", "thundersvm-cpu", "xrfm", "pandas", "polars", "pyarrow", "onnxruntime"}

// describe finds out what the machine is and which versions the peers have.
func (b *bench) describe(python string) error {
	b.Date = time.Now().UTC().Format(time.DateOnly)
	b.Machine = machineFacts{Cores: runtime.NumCPU(), Instructions: gemm.Best().String(), Go: runtime.Version(),
		System: runtime.GOOS + "/" + runtime.GOARCH, Processor: field("/proc/cpuinfo", "model name")}
	var kib int64
	if _, err := fmt.Sscan(field("/proc/meminfo", "MemTotal"), &kib); err == nil {
		b.Machine.MemoryBytes = kib * 1024
	}
	script := `import json, sys
from importlib.metadata import version, PackageNotFoundError
found = {}
for name in sys.argv[1:]:
    try: found[name] = version(name)
    except PackageNotFoundError: pass
print(json.dumps(found))`
	text, err := exec.Command(python, append([]string{"-c", script}, packages...)...).Output()
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &b.Versions)
}

// field returns what a file of the system says behind a name and a colon.
func field(path, name string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for l := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// read takes an earlier outcome.
func (b *bench) read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &b.outcome)
}

// write writes the page and the JSON beside it.
func (b *bench) write() error {
	text, err := json.MarshalIndent(b.outcome, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.beside(), append(text, '\n'), 0o644); err != nil {
		return err
	}
	var page strings.Builder
	b.head(&page, filepath.Base(b.beside()))
	b.table(&page)
	b.growth(&page)
	if err := os.WriteFile(b.page, []byte(page.String()), 0o644); err != nil {
		return err
	}
	return b.writeGuide()
}

// beside returns the name of the JSON.
func (b *bench) beside() string { return strings.TrimSuffix(b.page, filepath.Ext(b.page)) + ".json" }

// put adds a line, in the place of one of the same work.
func (o *outcome) put(l line) {
	same := func(m line) bool { return m.Work == l.Work && m.Rows == l.Rows }
	if i := slices.IndexFunc(o.Lines, same); i >= 0 {
		o.Lines[i] = l
		return
	}
	o.Lines = append(o.Lines, l)
}

// putGrown adds a growth, in the place of one of the same work.
func (o *outcome) putGrown(g grown) {
	if i := slices.IndexFunc(o.Growth, func(m grown) bool { return m.Work == g.Work }); i >= 0 {
		o.Growth[i] = g
		return
	}
	o.Growth = append(o.Growth, g)
}

func (b *bench) head(w *strings.Builder, beside string) {
	m := b.Machine
	how := "make bench-peers"
	if b.Quick {
		how += " QUICK=1"
	}
	fmt.Fprintf(w, `# kerf beside others

Written by `+"`%s`"+` on %s; nothing here is written by hand, and [%s](%s) has every run.
Each contender is a process with the same rows, precision and %d threads; they take turns, after a run to warm up.
A run that takes less than %.0f ms is done again and again in its process until that has passed, whosever it is, and the
seconds are those of one time. They are medians of three runs or more, ± half their range, or of the one run that a
cell says, which may stand in the row above. A wide range is that of a machine which others used at the time. Groups of
rows may come from different hours; what stands in one row was measured together. A peer counts where it comes to as
much as kerf does, within what the last column says; the ratio is that of the fastest such peer, above 1 where kerf is
faster.

%s, %d cores, %s, %.0f GiB, %s, %s.
`, how, b.Date, beside, beside, threads, 1000*least, m.Processor, m.Cores,
		m.Instructions, float64(m.MemoryBytes)/(1<<30), m.System, m.Go)
	var versions []string
	for _, p := range packages {
		if v := b.Versions[p]; v != "" {
			versions = append(versions, p+" "+v)
		}
	}
	fmt.Fprintf(w, "\n%s.\n", strings.Join(versions, ", "))
	if len(b.Missing) > 0 {
		var names []string
		for _, m := range b.Missing {
			name, _, _ := strings.Cut(m, ":")
			names = append(names, name)
		}
		fmt.Fprintf(w, "Not to be had there: %s.\n", strings.Join(names, ", "))
	}
}

func (b *bench) table(w *strings.Builder) {
	group := ""
	for _, l := range b.Lines {
		if l.Group != group {
			group = l.Group
			fmt.Fprintf(w, "\n## %s\n\n| work | precision | kerf, s | others, s | ratio | as good |\n", capital(group))
			fmt.Fprintln(w, "|---|---|---|---|---|---|")
		}
		var others []string
		for _, r := range l.Results[1:] {
			others = append(others, l.describe(r))
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s %.5g, within %.3g%% |\n", l.Title, l.Precision,
			l.describe(l.Results[0]),
			strings.Join(others, "; "), l.ratio(), l.Value, l.Results[0].Value, 100*l.Within)
	}
}

// ratio says how many times faster than the best peer we are.
func (l line) ratio() string {
	if best, times := l.best(); best != nil {
		return fmt.Sprintf("**%.2f** %s", times, best.Who)
	}
	return "none as good"
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// describe returns a result as a cell has it.
func (l line) describe(r result) string {
	name := r.Who + " "
	if r.Who == ourselves {
		name = ""
	}
	if len(r.Seconds) == 0 {
		if r.Failed != "" && strings.HasPrefix(r.Failed, "more than") {
			return name + r.Failed
		}
		if strings.Contains(r.Failed, "ModuleNotFoundError") {
			return name + "not to be had"
		}
		return name + "failed"
	}
	text := fmt.Sprintf("%s%.3g ± %.0f%%", name, r.Median, 50*r.spread())
	if len(r.Seconds) == 1 {
		text = fmt.Sprintf("%s%.3g (one run)", name, r.Median)
	}
	if r.Above {
		text += ", as above"
	}
	if r.Who != ourselves && l.judge(r) != "as good" {
		text += fmt.Sprintf(" (%s: %.5g)", l.judge(r), r.Value)
	}
	return text
}

func (b *bench) growth(w *strings.Builder) {
	if len(b.Growth) == 0 {
		return
	}
	fmt.Fprint(w, `
## Growth

At n, 2n, 4n and 8n rows, each in a process of its own: seconds, the exponent e of time ~ nᵉ that fits them best, and
the most memory that the process had, the rows it read included.

| work | who | n … 8n | seconds | exponent | GiB |
|---|---|---|---|---|---|
`)
	for _, g := range b.Growth {
		for _, c := range g.Curves {
			if len(c.Rows) == 0 {
				fmt.Fprintf(w, "| %s | %s | | failed | | |\n", g.Title, c.Who)
				continue
			}
			var seconds, peaks []string
			for k := range c.Rows {
				seconds = append(seconds, fmt.Sprintf("%.3g", c.Seconds[k]))
				peaks = append(peaks, fmt.Sprintf("%.2f", float64(c.Peak[k])/(1<<30)))
			}
			fmt.Fprintf(w, "| %s | %s | %d … %d | %s | %.2f | %s |\n", g.Title, c.Who, c.Rows[0], c.Rows[len(c.Rows)-1],
				strings.Join(seconds, ", "), c.Exponent, strings.Join(peaks, ", "))
		}
	}
}
