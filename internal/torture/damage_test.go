//go:build unix

package torture

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestDamage gives damaged models of every kind to every command that takes one.
func TestDamage(t *testing.T) {
	c, l := loadCorpus(t), newLedger(t)
	names := slices.Sorted(maps.Keys(c.models))
	each(func(i uint64) bool {
		if i >= uint64(*models) {
			return false
		}
		r := rand.New(rand.NewPCG(*seed, i))
		name := names[int(i)%len(names)]
		a := damagedModel(r, c, name)
		dir, err := a.before.write()
		if err != nil {
			t.Error(err)
			return false
		}
		defer os.RemoveAll(dir)
		l.settle(&a, run(dir, nil, a.args...), dir)
		return true
	})
	l.report()
}

// damagedModel damages a model of the corpus and chooses a command for it.
func damagedModel(r *rand.Rand, c *corpus, name string) attempt {
	names := slices.Sorted(maps.Keys(c.models))
	other := func() []byte { o := names[r.IntN(len(names))]; return c.models[o][o] }
	b, sealed := damage(r, c.models[name][name], other)
	a := attempt{before: files{"model.kerf": b}}
	data := ""
	for n, content := range c.models[name] {
		if n != name {
			data, a.before[n] = n, content
		}
	}
	if !sealed && !slices.ContainsFunc(names, func(n string) bool { return bytes.Equal(b, c.models[n][n]) }) {
		a.refused = "a damaged model"
	}
	commands := [][]string{
		{"predict", "model.kerf", data, "--scores"}, {"predict", "model.kerf", data, "--json"},
		{"predict", "model.kerf", data, "--proba", "-o", "out.txt"}, {"eval", "model.kerf", data},
		{"eval", "model.kerf", data, "--json"}, {"map", "model.kerf", data}, {"map", "model.kerf", data, "-o", "out.npy"},
		{"inspect", "model.kerf"}, {"inspect", "model.kerf", "--json"},
	}
	a.args = commands[r.IntN(len(commands))]
	a.args = append(a.args[:len(a.args):len(a.args)], "--max-memory", "500MB")
	a.outputs = []string{"out.txt", "out.npy"}
	return a
}

// settle checks a run and counts it.
func (l *ledger) settle(a *attempt, r result, dir string) {
	if fault := a.wrong(r, read(dir)); fault != "" {
		kept := maps.Clone(a.before)
		kept["stdin"] = a.stdin
		l.fault(fault, kept, a.args, r)
		l.note("faulty")
		return
	}
	kind := map[int]string{0: "done", 1: "failed", 2: "usage", 3: "input", 130: "interrupted"}[r.status]
	if r.status == 1 { // rare, and worth a look: whether it is not the input that is wrong
		kind += ": " + varying.ReplaceAllString(tail(r.stderr, 100), "N")
	}
	if r.long {
		kind = "long, " + kind
	}
	if r.status != 2 { // else the first word may be anything
		kind = a.args[0] + ": " + strings.TrimSpace(kind)
	}
	l.note(kind)
}
