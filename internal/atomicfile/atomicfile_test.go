package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/internal/atomicfile"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// wantOnly fails unless the directory holds just the named files.
func wantOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the directory holds %q, want %q", got, names)
	}
}

func wantText(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s holds %.40q…, want %.40q…", filepath.Base(path), got, want)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.kerf")
	long := strings.Repeat("0123456789", 100_000) // more than any buffer
	for _, content := range []string{"", "one", long, "two"} {
		if err := atomicfile.Write(path, text(content)); err != nil {
			t.Fatal(err)
		}
		wantText(t, path, content)
		wantOnly(t, dir, "model.kerf")
	}
}

func TestFailingFillLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.kerf")
	want := errors.New("no more")
	fail := func(w io.Writer) error {
		if err := text(strings.Repeat("half a model ", 20_000))(w); err != nil {
			return err
		}
		return want
	}
	if err := atomicfile.Write(path, fail); !errors.Is(err, want) {
		t.Errorf("error is %v, want %v", err, want)
	}
	wantOnly(t, dir)

	if err := atomicfile.Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, fail); !errors.Is(err, want) {
		t.Errorf("error is %v, want %v", err, want)
	}
	wantText(t, path, "old")
	wantOnly(t, dir, "model.kerf")
}

func TestPanickingFillLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.kerf")
	if err := atomicfile.Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = atomicfile.Write(path, func(io.Writer) error { panic("a bug") })
	}()
	wantText(t, path, "old")
	wantOnly(t, dir, "model.kerf")
}

// TestOldFileStaysUntilTheNewOneIsWhole looks at the file while it is being
// replaced.
func TestOldFileStaysUntilTheNewOneIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	if err := atomicfile.Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.Write(path, func(w io.Writer) error {
		if err := text(strings.Repeat("new", 100_000))(w); err != nil {
			return err
		}
		wantText(t, path, "old")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, path, strings.Repeat("new", 100_000))
}

func TestPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	for _, step := range []struct{ before, want os.FileMode }{{0, 0o644}, {0o600, 0o600}, {0o640, 0o640}} {
		if step.before != 0 {
			if err := os.Chmod(path, step.before); err != nil {
				t.Fatal(err)
			}
		}
		if err := atomicfile.Write(path, text("x")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != step.want {
			t.Errorf("a file of mode %o was replaced by one of mode %o, want %o", step.before, got, step.want)
		}
	}
}

func TestUnusablePaths(t *testing.T) {
	dir := t.TempDir()
	called := false
	fill := func(io.Writer) error { called = true; return nil }
	if err := atomicfile.Write(filepath.Join(dir, "missing", "out.csv"), fill); err == nil || called {
		t.Errorf("a missing directory: error %v, fill called: %v", err, called)
	}
	if err := atomicfile.Write(dir, fill); err == nil {
		t.Error("a directory was written to")
	}
	wantOnly(t, dir)
	wantOnly(t, filepath.Dir(dir), filepath.Base(dir))
}

func TestDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	if err := atomicfile.Write("/dev/null", text("x")); err != nil {
		t.Errorf("/dev/null: %v", err)
	}
	if err := atomicfile.Write("/dev/full", text("x")); err == nil {
		t.Error("a full device was not reported")
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Errorf("/dev/null was replaced: %v, %v", info, err)
	}
}

// TestAbandon: a file that is being written is removed, and one that is whole stays.
func TestAbandon(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "whole")
	if err := atomicfile.Write(path, func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.Write(filepath.Join(dir, "other"), func(io.Writer) error { atomicfile.Abandon(); return nil })
	if left, dirErr := os.ReadDir(dir); err == nil || dirErr != nil || len(left) != 1 || left[0].Name() != "whole" {
		t.Errorf("%v is left (%v, %v)", left, err, dirErr)
	}
}
