package data_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/kerf-ml/kerf/data"
)

func TestNewSet(t *testing.T) {
	items := []string{"milk", "beer", "milk", "", "bread"}
	s := data.NewSet(items...)
	if !slices.Equal(s, data.Set{"", "beer", "bread", "milk"}) || !s.Valid() {
		t.Errorf("got %q", s)
	}
	if items[0] != "milk" || items[1] != "beer" {
		t.Errorf("the caller's slice was changed to %q", items)
	}
	if empty := data.NewSet(); len(empty) != 0 || !empty.Valid() || empty.Has("") {
		t.Errorf("the empty set is %q", empty)
	}
	if (data.Set{"b", "a"}).Valid() || (data.Set{"a", "a"}).Valid() {
		t.Error("a set that is not sorted, or has an item twice, passes")
	}
}

// TestSetAgainstMaps compares with sets as Go maps.
func TestSetAgainstMaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func() (data.Set, map[string]bool) {
		items, in := make([]string, rng.IntN(20)), map[string]bool{}
		for i := range items {
			items[i] = strconv.Itoa(rng.IntN(25))
			in[items[i]] = true
		}
		return data.NewSet(items...), in
	}
	for range 200 {
		s, inS := draw()
		u, inU := draw()
		want := 0
		for i := range 25 {
			item := strconv.Itoa(i)
			if s.Has(item) != inS[item] {
				t.Fatalf("%q has %q: %v", s, item, s.Has(item))
			}
			if inS[item] && inU[item] {
				want++
			}
		}
		if got := s.Shared(u); got != want || u.Shared(s) != want {
			t.Fatalf("%q and %q share %d items, want %d", s, u, got, want)
		}
	}
}
