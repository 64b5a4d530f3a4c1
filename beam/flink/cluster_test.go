package flink

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The logs go with the folder, so a start that fails says the last words of the process;
// one that has just been started, whose command line is not to be read yet, is alive.
func TestStartThatFailsSaysWhy(t *testing.T) {
	dir := t.TempDir()
	java, script := filepath.Join(dir, "java"), "#!/bin/sh\nsleep 0.3\necho first\necho no class of that name\nexit 1\n"
	if err := os.WriteFile(java, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	jars := filepath.Join(dir, "jars")
	if err := os.Mkdir(jars, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(jars, "beam-runners-flink-0.jar"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(JarsVariable, jars)
	_, err := Up(context.Background(), Plan{Folder: filepath.Join(dir, "cluster"), Memory: 64}, func(string) {})
	if err == nil || !strings.Contains(err.Error(), "the jobserver did not start: no class of that name") {
		t.Error(err)
	}
}
