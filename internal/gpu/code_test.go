package gpu

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCode: the compiled kernels are of the sources that are there.
func TestCode(t *testing.T) {
	made, err := os.ReadFile("code/made.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, ending := range []string{"cu", "cuh"} {
		files, err := filepath.Glob("../../gen/cuda/*." + ending)
		if err != nil || len(files) == 0 {
			t.Fatalf("no sources: %v", err)
		}
		slices.Sort(files)
		all = append(all, files...)
	}
	hash := sha256.New()
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		hash.Write(text)
	}
	if lines := strings.Split(string(made), "\n"); len(lines) < 2 || lines[1] != fmt.Sprintf("%x", hash.Sum(nil)) {
		t.Error("gen/cuda has changed since the kernels were compiled: make generate-cuda")
	}
}

// TestImages: every module of a program with the tag cuda has code.
func TestImages(t *testing.T) {
	if !Built {
		t.Skip("not run: this program was built without the tag cuda")
	}
	for _, name := range []string{"rows", "gauss", "split", "single", "double", "dual", "dense", "pivot"} {
		all := images(name)
		if len(all) != 3 {
			t.Fatalf("%s has %d images", name, len(all))
		}
		if ptx := all[2]; !strings.HasPrefix(string(ptx), "\n") && !strings.Contains(string(ptx[:200]), ".version 8.0") {
			t.Errorf("%s: the last image is no PTX of version 8.0", name)
		}
	}
}
