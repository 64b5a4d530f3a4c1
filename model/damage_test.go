package model_test

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/model"
)

// sealed returns the body with the digest that makes it whole.
func sealed(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append(slices.Clone(body), sum[:]...)
}

func TestDecodeErrors(t *testing.T) {
	whole := encode(t, trials()[1].fit(t, 40))
	body := whole[:len(whole)-sha256.Size]
	withVersion := func(v uint32) []byte {
		b := slices.Clone(body)
		binary.LittleEndian.PutUint32(b[8:], v)
		return sealed(b)
	}
	header := int(binary.LittleEndian.Uint32(body[12:]))
	withLength := func(n uint32) []byte {
		b := slices.Clone(body)
		binary.LittleEndian.PutUint32(b[12:], n)
		return sealed(b)
	}
	for name, c := range map[string]struct {
		b    []byte
		want error
	}{
		"empty":           {nil, model.ErrNotModel},
		"text":            {[]byte("x,y,label\n1,2,a\n"), model.ErrNotModel},
		"magic alone":     {[]byte("kerfmodl"), model.ErrDamaged},
		"newer":           {withVersion(4), model.ErrNewer},
		"much newer":      {withVersion(math.MaxUint32), model.ErrNewer},
		"version 0":       {withVersion(0), model.ErrDamaged},
		"newer, digest":   {append(withVersion(4)[:len(whole)-1], 0), model.ErrNewer},
		"digest":          {append(slices.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1), model.ErrDamaged},
		"a byte more":     {sealed(append(slices.Clone(body), 0)), model.ErrDamaged},
		"a byte less":     {sealed(body[:len(body)-1]), model.ErrDamaged},
		"header too long": {withLength(math.MaxUint32), model.ErrDamaged},
		"header cut":      {withLength(uint32(header - 1)), model.ErrDamaged},
		"no header":       {withLength(0), model.ErrDamaged},
		"no blobs":        {sealed(body[:16+header]), model.ErrDamaged},
	} {
		if _, err := model.Decode(c.b); !errors.Is(err, c.want) {
			t.Errorf("%s: error is %v, want %v", name, err, c.want)
		}
	}
}

// TestNoDamageIsMissed cuts a file at every length and flips a bit of every
// byte.
func TestNoDamageIsMissed(t *testing.T) {
	whole := encode(t, trials()[1].fit(t, 20))
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

// TestOpenErrors changes the header of a whole file and seals it again: the
// digest is right, and what it says is not.
func TestOpenErrors(t *testing.T) {
	f2 := encode(t, trials()[1].fit(t, 40))
	f3 := encode(t, trials()[2].fit(t, 40))
	fourier := encode(t, trials()[4].fit(t, 40))
	none := encode(t, trials()[8].fit(t, 40))
	for _, c := range []struct {
		name     string
		whole    []byte
		old, new string
		want     error
	}{
		{"kind of instances", f2, `"vectors"`, `"strings"`, model.ErrKind},
		{"kernel", f2, `"rbf(gamma=0.7)"`, `"nosuch(gamma=0)"`, model.ErrDamaged},
		{"open kernel", f2, `"rbf(gamma=0.7)"`, `"rbf"`, model.ErrDamaged},
		{"no kernel", f2, `"rbf(gamma=0.7)"`, `""`, model.ErrDamaged},
		{"map", f2, `"kind":"f2"`, `"kind":"f9"`, model.ErrDamaged},
		{"map without triangle", f2, `"kind":"f2"`, `"kind":"f3"`, model.ErrDamaged},
		{"dimension", f2, `"dim":6`, `"dim":7`, model.ErrDamaged},
		{"negative dimension", f2, `"dim":6`, `"dim":-6`, model.ErrDamaged},
		{"huge dimension", none, `"dim":3`, `"dim":268435456`, model.ErrDamaged},
		{"width", fourier, `"width":3`, `"width":-3`, model.ErrDamaged},
		{"huge width", fourier, `"width":3`, `"width":300000000`, model.ErrDamaged},
		{"features of a map", fourier, `"dim":6`, `"dim":8`, model.ErrDamaged},
		{"one class", f2, `"classes":["green","red"]`, `"classes":["green"]`, model.ErrDamaged},
		{"three classes", f2, `"classes":["green","red"]`, `"classes":["green","red","x"]`, model.ErrDamaged},
		{"no class", f2, `"classes":["green","red"]`, `"classes":null`, model.ErrDamaged},
		{"projection", f3, `"kind":"gaussian"`, `"kind":"nosuch"`, model.ErrDamaged},
		{"projection's size", f3, `"out":4`, `"out":3`, model.ErrDamaged},
		{"huge projection", f3, `"out":4`, `"out":4000000000000`, model.ErrDamaged},
		{"negative projection", f3, `"out":4`, `"out":-4`, model.ErrDamaged},
		{"sizes of parts", f2, `"name":"bias","bytes":8`, `"name":"bias","bytes":-8`, model.ErrDamaged},
		{"name of a part", f2, `"name":"bias"`, `"name":"biass"`, model.ErrDamaged},
		{"header", f2, `"writer"`, `"writer`, model.ErrDamaged},
	} {
		body := c.whole[:len(c.whole)-sha256.Size]
		n := int(binary.LittleEndian.Uint32(body[12:]))
		text := string(body[16 : 16+n])
		changed := strings.Replace(text, c.old, c.new, 1)
		if changed == text {
			t.Errorf("%s: the header has no %s: %s", c.name, c.old, text)
			continue
		}
		b := binary.LittleEndian.AppendUint32(slices.Clone(body[:12]), uint32(len(changed)))
		b = append(append(b, changed...), body[16+n:]...)
		if _, err := decode(sealed(b)); !errors.Is(err, c.want) {
			t.Errorf("%s: error is %v, want %v", c.name, err, c.want)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := model.ReadFile(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := os.Stat("/dev/zero"); err == nil { // it has no end
		if _, err := model.ReadFile("/dev/zero"); !errors.Is(err, model.ErrNotModel) {
			t.Errorf("a device: %v", err)
		}
	}
	if _, err := model.ReadFile(dir); err == nil || errors.Is(err, model.ErrNotModel) {
		t.Errorf("a folder: %v", err)
	}
	path := filepath.Join(dir, "text.kerf")
	if err := os.WriteFile(path, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := model.ReadFile(path); !errors.Is(err, model.ErrNotModel) || !strings.Contains(err.Error(), "text.kerf") {
		t.Errorf("text: %v", err)
	}
}
