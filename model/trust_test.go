package model_test

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// TestPrograms has a model that names a program: no way to open it starts that
// unless it is allowed.
func TestPrograms(t *testing.T) {
	if _, err := exec.LookPath("touch"); err != nil {
		t.Skip("there is no touch here")
	}
	mark := filepath.Join(t.TempDir(), "mark")
	whole := encode(t, trials()[1].fit(t, 20))
	n := binary.LittleEndian.Uint32(whole[12:])
	for name, change := range map[string]func(string) string{
		"of instances": func(text string) string { return text },
		"of rows": func(text string) string {
			return strings.Replace(text, `"writer"`, `"schema":{"format":"LIBSVM","kind":"vectors"},"writer"`, 1)
		},
	} {
		for _, kernel := range []string{"exec:touch " + mark, "2*rbf(gamma=1)+normalize(exec:touch " + mark + ")"} {
			text := change(strings.Replace(string(whole[16:16+n]), "rbf(gamma=0.7)", kernel, 1))
			body := binary.LittleEndian.AppendUint32(slices.Clone(whole[:12]), uint32(len(text)))
			b := sealed(slices.Concat(body, []byte(text), whole[16+n:len(whole)-sha256.Size]))
			path := filepath.Join(t.TempDir(), "m.kerf")
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := model.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, loaded := model.Load(path)
			_, rows := file.Model()
			_, instances := model.Open(file, spec.Vectors{})
			for _, err := range []error{loaded, rows, instances} {
				if !errors.Is(err, model.ErrProgram) && !errors.Is(err, model.ErrPlain) && !errors.Is(err, model.ErrEncoded) {
					t.Errorf("%s, %s: error %v", name, kernel, err)
				}
			}
			if !errors.Is(rows, model.ErrProgram) && !errors.Is(instances, model.ErrProgram) {
				t.Errorf("%s, %s: errors %v, %v", name, kernel, rows, instances)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Fatalf("%s, %s: the program was started", name, kernel)
			}
		}
	}
}
