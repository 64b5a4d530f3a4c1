// Package python_test runs the tests of the Python package on a wheel that is built here.
package python_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// packages are what the tests need, pinned: the folder of the environment is named for
// them.
var packages = []string{
	"numpy==2.4.6", "scipy==1.17.1", "scikit-learn==1.9.1", "pandas==3.1.1", "polars==2.1.0", "pytest==9.2.0",
}

// environment returns a Python that has the packages, made once in the user's cache.
func environment(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("there is no folder for caches: ", err)
	}
	name := strings.ReplaceAll(strings.Join(packages, "_"), "==", "")
	dir := filepath.Join(cache, "kerf-python", name)
	python := filepath.Join(dir, "bin", "python")
	if _, err := os.Stat(filepath.Join(dir, "whole")); err == nil {
		return python
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "python3", "-m", "venv", dir).CombinedOutput(); err != nil {
		t.Skipf("Python makes no environment: %v: %.300s", err, out)
	}
	install := append([]string{"-m", "pip", "install", "-q", "--disable-pip-version-check"}, packages...)
	if out, err := exec.CommandContext(ctx, python, install...).CombinedOutput(); err != nil {
		t.Skipf("pip installs no packages: %v: %.300s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "whole"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return python
}

// TestPackage builds the wheel, installs it as a user would, and runs pytest on it.
func TestPackage(t *testing.T) {
	if testing.Short() {
		t.Skip("it may install Python packages")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3: the Python package is not tested")
	}
	python := environment(t)
	site := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	away := t.TempDir() // where the package is found by its installation alone
	run := func(name string, args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, name, args...)
		c.Dir = away
		c.Env = append(os.Environ(), "PYTHONPATH="+site, "PYTHONDONTWRITEBYTECODE=1", "KERF_PROGRAM=")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	wheels := t.TempDir()
	wheel := strings.TrimSpace(run(python, filepath.Join(here, "backend.py"), wheels))
	run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-index", "--target", site,
		filepath.Join(wheels, wheel))
	out := run(python, "-m", "pytest", "-q", "--durations=5", "-p", "no:cacheprovider", filepath.Join(here, "tests"))
	t.Log(out[max(0, len(out)-1500):])
}
