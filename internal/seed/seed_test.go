package seed_test

import (
	"slices"
	"testing"

	"github.com/kerf-ml/kerf/internal/seed"
)

var purposes = []uint64{
	seed.Split, seed.Landmarks, seed.Projection, seed.Shuffle, seed.Generator, seed.Noise, seed.Bandwidth,
	seed.Frequencies, seed.Hashes, seed.Sketch, seed.Folds, seed.Candidates, seed.Resamples, seed.Directions,
	seed.Crossing, seed.Experiments, seed.Recipes,
}

// TestPurposesKeepTheirNumbers holds the numbers that seeds of old results were
// drawn with. A new purpose is added at the end; none ever changes.
func TestPurposesKeepTheirNumbers(t *testing.T) {
	for i, p := range purposes {
		if p != uint64(i+1) {
			t.Errorf("purpose %d has the number %d", i+1, p)
		}
	}
}

// TestStreamsAreStable pins the first numbers of a few streams, as they were
// when the first results were published: the same seed means the same result
// in every later version.
func TestStreamsAreStable(t *testing.T) {
	for _, c := range []struct {
		seed, purpose, block uint64
		want                 [2]uint64
	}{
		{0, seed.Split, 0, [2]uint64{0x559f55b61e0aa17e, 0x44d7824151690467}},
		{1, seed.Landmarks, 0, [2]uint64{0xef0c2e80c2ee7c2a, 0xa2e6f98acd36af78}},
		{1, seed.Landmarks, 1, [2]uint64{0xab39e8b538f50f84, 0xe16fb1ed93038c60}},
		{1, seed.Projection, 0, [2]uint64{0xc5942aa4a26cc61c, 0xe751e5a0c3332347}},
		{42, seed.Generator, 7, [2]uint64{0xc6f992189d2b9b39, 0xc2278ddbc2e106ea}},
		{1<<64 - 1, seed.Bandwidth, 1 << 48, [2]uint64{0x8754aa2e999e1190, 0xf20c41b4e80805c8}},
	} {
		r := seed.Stream(c.seed, c.purpose, c.block)
		if got := [2]uint64{r.Uint64(), r.Uint64()}; got != c.want {
			t.Errorf("Stream(%d, %d, %d) begins with %#x, want %#x", c.seed, c.purpose, c.block, got, c.want)
		}
	}
	if got, want := seed.Choose(10, 4, 1, seed.Landmarks), []int{2, 6, 8, 3}; !slices.Equal(got, want) {
		t.Errorf("Choose(10, 4) = %v, want %v", got, want)
	}
}

func TestStreamsDiffer(t *testing.T) {
	type name struct{ seed, purpose, block uint64 }
	seen := map[uint64]name{}
	for _, s := range []uint64{0, 1, 2, 3, 1 << 32, 1<<64 - 1} {
		for _, p := range purposes {
			for block := range uint64(200) {
				first := seed.Stream(s, p, block).Uint64()
				if other, dup := seen[first]; dup {
					t.Fatalf("streams %v and %v begin alike", other, name{s, p, block})
				}
				seen[first] = name{s, p, block}
			}
		}
	}
}

func TestStreamRepeats(t *testing.T) {
	a, b := seed.Stream(7, seed.Noise, 3), seed.Stream(7, seed.Noise, 3)
	for range 100 {
		if a.Uint64() != b.Uint64() {
			t.Fatal("two streams of the same name differ")
		}
	}
}

func TestChoose(t *testing.T) {
	for _, n := range []int{0, 1, 2, 10, 1000} {
		for _, k := range []int{0, 1, 5, 1000, 2000} {
			got := seed.Choose(n, k, 1, seed.Landmarks)
			if len(got) != min(n, k) {
				t.Errorf("Choose(%d, %d) gives %d indices", n, k, len(got))
			}
			sorted := slices.Sorted(slices.Values(got))
			if len(slices.Compact(sorted)) != len(got) {
				t.Errorf("Choose(%d, %d) gives an index twice", n, k)
			}
			for _, i := range got {
				if i < 0 || i >= n {
					t.Errorf("Choose(%d, %d) gives the index %d", n, k, i)
				}
			}
		}
	}
}

// TestChooseIsUniform draws 1 of 10 for 10000 seeds. Each index is drawn
// 1000 times on average with a standard deviation of 30; five of them are 150.
func TestChooseIsUniform(t *testing.T) {
	count := make([]int, 10)
	for s := range uint64(10_000) {
		count[seed.Choose(10, 1, s, seed.Split)[0]]++
	}
	for i, c := range count {
		if c < 850 || c > 1150 {
			t.Errorf("index %d was drawn %d times of 10000", i, c)
		}
	}
}
