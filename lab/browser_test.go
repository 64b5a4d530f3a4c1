package lab_test

import (
	"context"
	"net"
	"testing"

	"github.com/kerf-ml/kerf/lab"
)

// serveLab serves a lab until the test ends, and returns its address.
func serveLab(t *testing.T, o lab.Options) string {
	t.Helper()
	l, err := lab.New(o)
	if err != nil {
		t.Fatal(err)
	}
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- l.Serve(ctx, at) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + at.Addr().String() + "/"
}

func TestShots(t *testing.T) {
	url := serveLab(t, lab.NewOptions())
	b := start(t)
	for _, w := range []int{1400, 400} {
		for _, dark := range []bool{false, true} {
			b.window(w, 900, dark)
			b.open(url)
			name := map[int]string{1400: "wide", 400: "narrow"}[w]
			if dark {
				name += "-dark"
			}
			b.shot(name)
		}
	}
	for _, e := range b.errors {
		t.Error(e)
	}
}

func TestOver(t *testing.T) {
	url := serveLab(t, lab.NewOptions())
	b := start(t)
	b.window(400, 900, false)
	b.open(url)
	var out []string
	b.eval(`[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '#' + e.id + '.' + e.className + ' ' + e.getBoundingClientRect().right)`, &out)
	t.Log(out)
	var w []int
	b.eval(`[innerWidth, document.documentElement.scrollWidth]`, &w)
	t.Log(w)
}
