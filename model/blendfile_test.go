package model_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/spec"
)

// headed returns the file with another text as header, and the digest for it.
func headed(whole []byte, change func(string) string) []byte {
	n := binary.LittleEndian.Uint32(whole[12:])
	text := change(string(whole[16 : 16+n]))
	body := binary.LittleEndian.AppendUint32(slices.Clone(whole[:12]), uint32(len(text)))
	return sealed(slices.Concat(body, []byte(text), whole[16+n:len(whole)-sha256.Size]))
}

// TestBlendHeader: the header tells people what the parts are.
func TestBlendHeader(t *testing.T) {
	parts, _ := blended(t, 40, 2, true)
	p := blend(t, parts[:3], []float64{0.5, 0.25, 2})
	p.Trained = json.RawMessage(`{"n":1}`)
	whole := encode(t, p)
	if v := binary.LittleEndian.Uint32(whole[8:]); v != 2 {
		t.Errorf("a blend has format %d", v)
	}
	if v := binary.LittleEndian.Uint32(encode(t, parts[0])[8:]); v != 1 {
		t.Errorf("a model that is no blend has format %d", v)
	}
	f, err := model.Decode(whole)
	if err != nil {
		t.Fatal(err)
	}
	h := f.Header
	if h.Kernel != "blend(rbf(gamma=0.7), linear, laplace(gamma=0.5))" || h.Kernel != p.KernelText() ||
		h.Map.Kind != model.MapBlend || h.Map.Dim != p.Map.Dim() || h.Learner != "svm and kernel-svm" ||
		string(h.Trained) != `{"n":1}` {
		t.Errorf("the header is %+v", h)
	}
	for i, part := range h.Parts {
		if part.Weight != []float64{0.5, 0.25, 2}[i] || part.Learner != parts[i].Learner ||
			part.Map.Dim != parts[i].Map.Dim() {
			t.Errorf("part %d is %+v", i+1, part)
		}
	}
}

// TestNoDamageOfBlendsIsMissed cuts the file of a blend at every length and flips a
// bit of every byte.
func TestNoDamageOfBlendsIsMissed(t *testing.T) {
	parts, _ := blended(t, 12, 2, true)
	whole := encode(t, blend(t, parts[:2], []float64{0.5, 0.25}))
	for n := range whole {
		if _, err := decode(whole[:n]); err == nil {
			t.Fatalf("cut to %d of %d bytes it loads", n, len(whole))
		}
	}
	b := slices.Clone(whole)
	for i := range b {
		b[i] ^= 1 << (i % 8)
		if _, err := decode(b); err == nil {
			t.Fatalf("with bit %d of byte %d flipped it loads", i%8, i)
		}
		b[i] = whole[i]
	}
}

// TestOpenBlendErrors changes the header of a whole file and seals it again: the
// digest is right, and what it says is not.
func TestOpenBlendErrors(t *testing.T) {
	parts, _ := blended(t, 40, 2, true)
	whole := encode(t, blend(t, []*pipeline{parts[0], parts[1], parts[5]}, []float64{0.5, 0.25, 0.125}))
	for name, c := range map[string][2]string{
		"no weight":          {`"weight":0.5`, `"weight":0`},
		"negative weight":    {`"weight":0.5`, `"weight":-1`},
		"huge weight":        {`"weight":0.5`, `"weight":1e999`},
		"kernel of a part":   {`"weight":0.5,"kernel":"rbf(gamma=0.7)"`, `"weight":0.5,"kernel":"nosuch"`},
		"another kernel":     {`"weight":0.5,"kernel":"rbf(gamma=0.7)"`, `"weight":0.5,"kernel":"rbf(gamma=7)"`},
		"kernel in words":    {`"kernel":"blend(`, `"kernel":"all(`},
		"map":                {`"kind":"blend"`, `"kind":"f2"`},
		"features":           {`"kind":"blend","dim":`, `"kind":"blend","dim":1`},
		"features of a part": {`"kind":"f2","dim":6`, `"kind":"f2","dim":5`},
		"map of a part":      {`"kind":"f2"`, `"kind":"blend"`},
		"huge width":         {`"landmarks":0,"width":3`, `"landmarks":0,"width":99999999`},
		"name of a blob":     {`"part2/bias"`, `"part2/biass"`},
		"blob of no part":    {`"part2/bias"`, `"bias"`},
		"classes":            {`"classes":["green","red"]`, `"classes":["green","red","x"]`},
		"numbers":            {`"learner":"svm and`, `"task":"regress","learner":"svm and`},
		"pairs":              {`"classes":`, `"pairs":[0,1,2],"classes":`},
		"votes":              {`"classes":`, `"votes":{"rules":1,"cuts":true},"classes":`},
		"precision":          {`"classes":`, `"precision":"float32","classes":`},
		"unit":               {`"unit":1,"blobs"`, `"unit":2,"blobs"`},
	} {
		old := string(whole)
		b := headed(whole, func(text string) string { return strings.Replace(text, c[0], c[1], 1) })
		if string(b) == old {
			n := binary.LittleEndian.Uint32(whole[12:])
			t.Errorf("%s: the header has no %s: %s", name, c[0], whole[16:16+n])
			continue
		}
		if _, err := decode(b); !errors.Is(err, model.ErrDamaged) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error is %v, want one line with %v", name, err, model.ErrDamaged)
		}
	}
	one := headed(whole, func(text string) string { return cutParts(t, text, 1) })
	if _, err := decode(one); !errors.Is(err, model.ErrDamaged) {
		t.Errorf("a blend of one part: %v", err)
	}
	first := slices.Clone(whole[:len(whole)-sha256.Size])
	binary.LittleEndian.PutUint32(first[8:], 1)
	if _, err := decode(sealed(first)); !errors.Is(err, model.ErrDamaged) {
		t.Errorf("a blend in format 1: %v", err)
	}
}

// cutParts leaves the first n parts in a header.
func cutParts(t *testing.T, text string, n int) string {
	t.Helper()
	var h map[string]any
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		t.Fatal(err)
	}
	h["parts"] = h["parts"].([]any)[:n]
	out, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestBlendPrograms has a blend whose last part names a program: no way to open it
// starts that unless it is allowed.
func TestBlendPrograms(t *testing.T) {
	if _, err := exec.LookPath("touch"); err != nil {
		t.Skip("there is no touch here")
	}
	parts, _ := blended(t, 20, 2, true)
	whole := encode(t, blend(t, []*pipeline{parts[1], parts[0]}, []float64{0.25, 0.5}))
	for _, schema := range []string{"", `"schema":{"format":"LIBSVM","kind":"vectors"},`} {
		for _, around := range []string{"exec:touch %s", "2*rbf(gamma=1)+normalize(exec:touch %s)"} {
			mark := filepath.Join(t.TempDir(), "mark") // one that was allowed before may still run
			kernel := fmt.Sprintf(around, mark)
			path := filepath.Join(t.TempDir(), "m.kerf")
			b := headed(whole, func(text string) string {
				text = strings.Replace(text, `"writer"`, schema+`"writer"`, 1)
				return strings.Replace(text, `"kernel":"rbf(gamma=0.7)"`, `"kernel":"`+kernel+`"`, 1)
			})
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := model.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := file.Header.Programs(); !slices.Equal(got, []string{"touch " + mark}) &&
				!slices.Equal(got, []string{"touch " + mark + ")"}) {
				t.Errorf("the programs are %q", got)
			}
			_, rows := file.Model()
			_, instances := model.Open(file, spec.Vectors{})
			if !errors.Is(rows, model.ErrProgram) && !errors.Is(instances, model.ErrProgram) {
				t.Errorf("%s: errors %v, %v", kernel, rows, instances)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Fatalf("%s: the program was started", kernel)
			}
			if schema != "" {
				continue
			}
			file.AllowExec = true // it ends at once and answers nothing, so that the model is of no use
			if _, err := model.Open(file, spec.Vectors{}); err == nil || errors.Is(err, model.ErrProgram) {
				t.Errorf("%s, allowed: error %v", kernel, err)
			}
		}
	}
}

// FuzzBlend takes the header and the blobs of a blend of two parts, and puts them
// together with the right lengths, so that what builds the parts is reached.
func FuzzBlend(f *testing.F) {
	names := func() (out []string) {
		for _, part := range []string{"part1/", "part2/"} {
			for _, name := range fuzzed {
				out = append(out, part+name)
			}
		}
		return out
	}()
	for _, classes := range []int{2, 3, 0} {
		parts, _ := blended(f, 12, classes, true)
		for i := range len(parts) - 1 {
			b := encode(f, blend(f, parts[i:i+2], []float64{0.5, 0.25}))
			file, blobs := blobsIn(f, b)
			f.Add(file, blobs[names[0]], blobs[names[1]], blobs[names[2]], blobs[names[3]], blobs[names[4]],
				blobs[names[5]], blobs[names[6]], blobs[names[7]], blobs[names[8]], blobs[names[9]])
		}
	}
	f.Fuzz(func(t *testing.T, header, a, b, c, d, e, g, h, i, j, k []byte) {
		var parsed map[string]any
		if json.Unmarshal(header, &parsed) != nil || parsed == nil || wide(parsed) {
			return
		}
		var list []any
		blobs := [][]byte{a, b, c, d, e, g, h, i, j, k}
		for i, blob := range blobs {
			list = append(list, map[string]any{"name": names[i], "bytes": len(blob)})
		}
		parsed["blobs"] = list
		text, err := json.Marshal(parsed)
		if err != nil {
			return
		}
		body := binary.LittleEndian.AppendUint32([]byte("kerfmodl\x02\x00\x00\x00"), uint32(len(text)))
		openAgain(t, sealed(slices.Concat(append([][]byte{body, text}, blobs...)...)))
	})
}

// wide reports a header with a map that draws numbers for each of many coordinates.
func wide(h map[string]any) bool {
	if m, ok := h["map"].(map[string]any); ok {
		if w, ok := m["width"].(float64); ok && w > 10_000 {
			return true
		}
	}
	parts, _ := h["parts"].([]any)
	return slices.ContainsFunc(parts, func(p any) bool {
		part, ok := p.(map[string]any)
		return ok && wide(part)
	})
}

// blobsIn takes a file apart: its header, and its blobs by name.
func blobsIn(t testing.TB, b []byte) ([]byte, map[string][]byte) {
	t.Helper()
	n := int(binary.LittleEndian.Uint32(b[12:]))
	var h struct {
		Blobs []struct {
			Name  string
			Bytes int
		}
	}
	if err := json.Unmarshal(b[16:16+n], &h); err != nil {
		t.Fatal(err)
	}
	blobs, rest := map[string][]byte{}, b[16+n:]
	for _, blob := range h.Blobs {
		blobs[blob.Name], rest = rest[:blob.Bytes], rest[blob.Bytes:]
	}
	return b[16 : 16+n], blobs
}
