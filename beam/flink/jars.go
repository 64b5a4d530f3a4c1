// Package flink starts and stops a Flink of one machine to try kerf-beam out on: a job
// server of Beam that runs jobs in itself, or one with a JobManager and TaskManagers of
// their own.
package flink

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed pom.xml
var pom []byte

// Version names what the pom asks for: Flink, and Beam for Java.
const Version = "flink-1.19-beam-2.62.0"

// JarsVariable names a folder of jars in the place of the one in the user's cache.
const JarsVariable = "KERF_BEAM_JARS"

// cache returns the folder of jars and clusters.
func cache() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "kerf-beam"), err
}

// Jars returns the folder of the jars, which it fetches by Maven where they are not there.
func Jars(ctx context.Context, say func(text string)) (string, error) {
	lib := os.Getenv(JarsVariable)
	if lib == "" {
		dir, err := cache()
		if err != nil {
			return "", err
		}
		lib = filepath.Join(dir, Version)
	}
	if jars, _ := filepath.Glob(filepath.Join(lib, "beam-runners-flink-*.jar")); len(jars) > 0 {
		return lib, nil
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		return "", errors.New("the jars of Flink are not there, and neither is mvn, which fetches them; install Maven, or " +
			"name a folder of jars by " + JarsVariable)
	}
	say("fetching the jars of " + Version + " to " + lib + ", once, 152 MB")
	if err := os.MkdirAll(filepath.Dir(lib), 0o755); err != nil {
		return "", err
	}
	aside, err := os.MkdirTemp(filepath.Dir(lib), ".jars-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(aside)
	if err := os.WriteFile(filepath.Join(aside, "pom.xml"), pom, 0o644); err != nil {
		return "", err
	}
	var last error
	for range 3 { // a registry may fail for a moment
		c := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", filepath.Join(aside, "pom.xml"),
			"dependency:copy-dependencies", "-DoutputDirectory="+filepath.Join(aside, "lib"), "-DincludeScope=runtime")
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		if last = c.Run(); last == nil {
			return lib, os.Rename(filepath.Join(aside, "lib"), lib)
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		last = fmt.Errorf("mvn could not fetch the jars: %s", firstError(out.String()))
	}
	return "", last
}

// unstaged returns a folder of the same jars, of which the job server sends nothing. It sends
// its class path with each job, though the task managers have it: but for files in whose path
// there is gradle/wrapper, which Beam takes for no part of a program. There is no option for it.
func unstaged(folder, lib string) (string, error) {
	to := filepath.Join(folder, "gradle", "wrapper")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return "", err
	}
	jars, err := filepath.Glob(filepath.Join(lib, "*.jar"))
	for _, jar := range jars {
		name := filepath.Join(to, filepath.Base(jar))
		if os.Link(jar, name) != nil { // the folders are of two file systems
			err = errors.Join(err, copyFile(jar, name))
		}
	}
	return to, err
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o644)
}

// firstError returns the first line of Maven's output that tells of an error.
func firstError(text string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, "ERROR") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(text)
}
