package lab_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/lab"
)

// TestStateRefused names every fault of a state at once, and what must not be computed.
func TestStateRefused(t *testing.T) {
	for text, want := range map[string][]string{
		`{"n": 0, "dim": 1000}`: {"n is 0 and must be from 1 to 5000",
			"dim is 1000 and must be from 1 to 256"},
		`{"data": "cats"}`:                                     {`data is "cats" and must be one of circle`},
		`{"kernel": "exec:rm -rf /"}`:                          {"starts no programs"},
		`{"kernel": "2*wasm:/etc/passwd"}`:                     {"starts no programs"},
		`{"kernel": "jaccard"}`:                                {"sets"},
		`{"kernel": "rbf(gamma=-1)"}`:                          {"gamma"},
		`{"kernel": "` + strings.Repeat("rbf+", 100) + `rbf"}`: {"may have 300"},
		`{"noise": 0.9}`:                                       {"noise is 0.9"},
		`{"drawn": [[0, 0, 2]]}`:                               {"a class, 0 or 1"},
		`{"drawn": [[1e300, 0, 1]]}`:                           {"a class, 0 or 1"},
		`{"columns": ["a"]}`:                                   {"columns are 1"},
		`{"penalty": 0}`:                                       {"penalty is 0"},
		`{"error": 1, "confidence": 0}`:                        {"error is 1", "confidence is 0"},
		`{"cells": 100000}`:                                    {"cells is 100000"},
		`{"learner": "one-class"}`:                             {"learner is"},
		`{"map": "direct"}`:                                    {"map is"},
		`{"select": "first"}`:                                  {"select is"},
		`{"what": 1}`:                                          {"unknown field"},
		`{} {}`:                                                {"more behind"},
		`[]`:                                                   {"cannot be read"},
	} {
		_, err := lab.ParseState([]byte(text))
		if err == nil {
			t.Errorf("%s is taken", text)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want %q", text, err, part)
			}
		}
	}
}

// FuzzState reads states: one that is taken is valid, and the same after it is written.
func FuzzState(f *testing.F) {
	first, _ := json.Marshal(lab.NewState())
	f.Add(first)
	f.Add([]byte(`{"kernel": "poly(degree=3,coef=1)", "drawn": [[0.5, -1, 1]], "columns": ["a", "b"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := lab.ParseState(text)
		if err != nil {
			return
		}
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lab.ParseState(again); err != nil {
			t.Errorf("%s is taken and %s is not: %v", text, again, err)
		}
	})
}
