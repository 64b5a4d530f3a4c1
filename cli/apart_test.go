package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutputIsNoInput: whatever name an input has, it is not written over.
func TestOutputIsNoInput(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "circle", "--n", "100", "-o", in("c.csv"))
	mustRun(t, "train", in("c.csv"), "--dim", "10", "-o", in("m.kerf"))
	if err := os.Symlink(in("c.csv"), in("soft.csv")); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := os.Link(in("c.csv"), in("hard.csv")); err != nil {
		t.Fatal(err)
	}
	before := map[string]string{}
	for _, name := range []string{"c.csv", "m.kerf"} {
		text, err := os.ReadFile(in(name))
		if err != nil {
			t.Fatal(err)
		}
		before[name] = string(text)
	}
	for _, args := range [][]string{
		{"train", in("c.csv"), "-o", in("c.csv")},
		{"train", in("c.csv"), "-o", in("soft.csv")},
		{"train", in("soft.csv"), "-o", in("hard.csv")},
		{"train", in("c.csv"), "-o", dir + "/./c.csv"},
		{"train", in("c.csv"), "--report", in("hard.csv")},
		{"train", in("c.csv"), "--test", in("hard.csv"), "-o", in("c.csv")},
		{"train", in("c.csv"), "--learner", "kernel-svm", "--checkpoint", in("c.csv")},
		{"tune", in("c.csv"), "--trials", "2", "-o", in("soft.csv")},
		{"predict", in("m.kerf"), in("c.csv"), "-o", in("c.csv")},
		{"predict", in("m.kerf"), in("c.csv"), "-o", in("m.kerf")},
		{"map", in("m.kerf"), in("c.csv"), "-o", in("hard.csv")},
		{"map", "--fit", in("c.csv"), "-o", in("soft.csv")},
	} {
		status, _, message := kerf(t, args...)
		if status != 2 || !strings.Contains(message, "choose another file") {
			t.Errorf("kerf %v: status %d, %s", args, status, message)
		}
		for name, want := range before {
			if got, err := os.ReadFile(in(name)); err != nil || string(got) != want {
				t.Fatalf("kerf %v changed %s (%v)", args, name, err)
			}
		}
	}
}

// TestProgramsOfStrangers: a model file that names a program does not start it
// unless it is allowed to.
func TestProgramsOfStrangers(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("there is no shell")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "gen", "circle", "--n", "60", "-o", in("c.csv"))
	script := "#!/bin/sh\ntouch " + in("ran") + "\nexec python3 " + kernelProgram(t) + " 1\n"
	if err := os.WriteFile(in("mine"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "train", in("c.csv"), "--kernel", "exec:"+in("mine"), "--dim", "5", "-o", in("m.kerf"))
	ran := func() bool {
		_, err := os.Stat(in("ran"))
		_ = os.Remove(in("ran"))
		return err == nil
	}
	if !ran() {
		t.Fatal("training did not start the program")
	}
	for _, args := range [][]string{
		{"predict", in("m.kerf"), in("c.csv")}, {"eval", in("m.kerf"), in("c.csv")},
		{"map", in("m.kerf"), in("c.csv"), "-o", in("f.csv")},
	} {
		status, _, message := kerf(t, args...)
		if status != 3 || !strings.Contains(message, in("mine")) || !strings.Contains(message, "--allow-exec") || ran() {
			t.Errorf("kerf %v: status %d, %s", args[0], status, message)
		}
		mustRun(t, append(args, "--allow-exec")...)
		if !ran() {
			t.Errorf("kerf %s --allow-exec did not start the program", args[0])
		}
	}
	if text := mustRun(t, "inspect", in("m.kerf")); !strings.Contains(text, "program") || ran() {
		t.Errorf("kerf inspect started the program, or does not show it: %s", text)
	}
}

// kernelProgram returns the path of the guide's kernel in Python.
func kernelProgram(t *testing.T) string {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	path, err := filepath.Abs("../docs/guide/external/kernel.py")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
