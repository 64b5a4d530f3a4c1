package serve_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/serve"
)

// settled waits until there are no more goroutines than before.
func settled(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if runtime.NumGoroutine() <= before {
			return
		}
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, and there were %d:\n%s", runtime.NumGoroutine(), before,
				stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// TestCompany holds that what is said of a row does not depend on who asks at the same
// time, nor on the workers.
func TestCompany(t *testing.T) {
	all := fixtures(t)
	want := map[string]said{}
	for _, f := range all {
		if f.name == "numbers" {
			continue
		}
		want[f.name] = predicted(t, f, "--scores")
	}
	for _, workers := range []int{1, 2, 5} {
		before := runtime.NumGoroutine()
		o := serve.NewOptions()
		o.Run, o.MaxBatch = run.Control{Workers: workers, Memory: 1 << 30}, 7
		h := serverOf(t, o, all...).Handler()
		var wait sync.WaitGroup
		for client := range 16 {
			wait.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(client)))
				for range 12 {
					f := all[r.IntN(len(all))]
					if f.name == "numbers" {
						continue
					}
					rows := f.rows()
					lo := r.IntN(len(rows))
					hi := min(len(rows), lo+1+r.IntN(10))
					_, body := post(t, h, "/predict/"+f.name+"?outputs=scores", 200, encode(t, rows[lo:hi]))
					if got := plainly(t, body, "scores"); !reflect.DeepEqual(got, want[f.name][lo:hi]) {
						t.Errorf("%s, rows %d to %d: %v, want %v", f.name, lo, hi, got, want[f.name][lo:hi])
						return
					}
				}
			})
		}
		wait.Wait()
		settled(t, before)
	}
}

// TestFaultOfOne holds that a row that cannot be scored is the fault of its request
// alone.
func TestFaultOfOne(t *testing.T) {
	var f *fixture
	for _, one := range fixtures(t) {
		if one.name == "linear" {
			f = one
		}
	}
	o := serve.NewOptions()
	o.Run.Workers = 1
	h := serverOf(t, o, f).Handler()
	want := predicted(t, f, "--scores")
	rows := f.rows()
	var wait sync.WaitGroup
	for client := range 24 {
		wait.Go(func() {
			for i := range 10 {
				if client%6 == 0 {
					huge := map[string]any{}
					for j := 1; j <= 31; j++ {
						huge[fmt.Sprint(j)] = 1.7e308
					}
					_, body := post(t, h, "/predict", 422, encode(t, huge))
					if !strings.Contains(string(body), "not finite") {
						t.Errorf("a row whose score is not finite: %s", body)
					}
					continue
				}
				at := (client*10 + i) % len(rows)
				_, body := post(t, h, "/predict?outputs=scores", 200, encode(t, rows[at]))
				if got := plainly(t, body, "scores"); !reflect.DeepEqual(got[0], want[at]) {
					t.Errorf("row %d: %v, want %v", at, got[0], want[at])
				}
			}
		})
	}
	wait.Wait()
}

// TestGathered holds that rows are gathered while a batch runs.
func TestGathered(t *testing.T) {
	var f *fixture
	for _, one := range fixtures(t) {
		if one.name == "machine" {
			f = one
		}
	}
	o := serve.NewOptions()
	o.Run.Workers = 1
	h := serverOf(t, o, f).Handler()
	row := encode(t, f.rows()[0])
	var wait sync.WaitGroup
	for range 64 {
		wait.Go(func() {
			for range 40 {
				post(t, h, "/predict", 200, row)
			}
		})
	}
	wait.Wait()
	r, _ := http.NewRequest("GET", "/metrics", nil)
	text := get(t, h, r, 200)
	if !strings.Contains(text, `kerf_rows_total{model="machine"} 2560`) {
		t.Errorf("not all rows are counted: %s", text)
	}
	if strings.Contains(text, `kerf_batch_rows_count{model="machine"} 2560`) {
		t.Error("64 clients at once were never computed together")
	}
}
