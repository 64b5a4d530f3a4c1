package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestKeep: predictions stand behind the columns that are kept, as they were written.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	var train strings.Builder
	manyRows(60, "id,a,label", func(i int, a, _ float64, yes bool) string {
		return strings.Join([]string{"00" + strings.Repeat("7", 1+i%3), comma(a)[:1] + "1", word(yes)}, ",")
	})(&train)
	writeFile(t, in("train.csv"), []byte(train.String()))
	mustRun(t, "train", in("train.csv"), "--dim", "5", "-o", in("m.kerf"))
	writeFile(t, in("new.csv"), []byte("name,id,a\n\"x\ty\",007,1.50\n,0070,-2\n"))
	for _, test := range []struct{ keep, want string }{
		{"id,name", "id\tname\tprediction\n007\t\"x\ty\"\t*\n0070\t\t*\n"},
		{"3", "a\tprediction\n1.50\t*\n-2\t*\n"},
		{"all", "name\tid\ta\tprediction\n\"x\ty\"\t007\t1.50\t*\n\t0070\t-2\t*\n"},
	} {
		got := mustRun(t, "predict", in("m.kerf"), in("new.csv"), "--keep", test.keep)
		for _, label := range []string{"yes", "no"} {
			got = strings.ReplaceAll(got, "\t"+label+"\n", "\t*\n")
		}
		if got != test.want {
			t.Errorf("--keep %s: %q, want %q", test.keep, got, test.want)
		}
	}
	o := mustObject(t, "predict", in("m.kerf"), in("new.csv"), "--keep", "id")
	if kept, ok := o["kept"].([]any); !ok || len(kept) != 2 {
		t.Errorf("kept %v", o["kept"])
	}
	if got := mustRun(t, "predict", in("m.kerf"), in("new.csv"), "--keep", "id", "--proba"); !strings.HasPrefix(got,
		"id\tprediction\tprobability no\tprobability yes\n") {
		t.Errorf("%q", got)
	}
	wantFailure(t, 2, "no column", "predict", in("m.kerf"), in("new.csv"), "--keep", "nothing")
	wantFailure(t, 2, "--keep", "predict", in("m.kerf"), in("new.csv"), "--keep", "")
	writeFile(t, in("s.libsvm"), []byte("1 1:2\n-1 1:-2\n1 1:3\n-1 1:-3\n"))
	mustRun(t, "train", in("s.libsvm"), "--kernel", "linear", "-o", in("s.kerf"))
	wantFailure(t, 2, "has no columns", "predict", in("s.kerf"), in("s.libsvm"), "--keep", "all")
}
