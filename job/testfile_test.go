package job_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/job"
	"github.com/kerf-ml/kerf/run"
)

// TestFaultsOfTestRowsComeFirst: labels that training does not know are reported
// before anything is trained, by Train and by Tune.
func TestFaultsOfTestRowsComeFirst(t *testing.T) {
	dir := t.TempDir()
	write := func(name, yes, no string) string {
		var b strings.Builder
		b.WriteString("a,b,label\n")
		for i := range 60 {
			label := yes
			if i%2 == 0 {
				label = no
			}
			b.WriteString(strings.Repeat("1", i%7+1) + "," + strings.Repeat("2", i%3+1) + "," + label + "\n")
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	data, other := write("data.csv", "yes", "no"), write("other.csv", "oui", "non")
	begun := false
	o := quickly()
	o.Test, o.Output = other, filepath.Join(dir, "m.kerf")
	o.Run.Progress = run.Progress{Start: func(task string, _ int64) { begun = begun || task == "train" }}
	tune := job.NewTuneOptions()
	tune.TrainOptions = o
	tune.Time = 0
	for name, do := range map[string]func() error{
		"train": func() error { _, err := job.Train(context.Background(), data, o); return err },
		"tune":  func() error { _, err := job.Tune(context.Background(), data, tune); return err },
	} {
		err := do()
		if err == nil || !strings.Contains(err.Error(), "none of its labels is known") || begun {
			t.Errorf("%s: %v; work had begun: %v", name, err, begun)
		}
	}
}
