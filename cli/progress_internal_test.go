package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/run"
)

// TestDisplayBeats: work that has nothing to report still shows a line every few
// seconds, with the stage and the time that has passed; short work shows nothing.
func TestDisplayBeats(t *testing.T) {
	now := time.Unix(1, 0)
	var b bytes.Buffer
	d := newDisplay("kerf", &b, func() time.Time { return now })
	p := d.progress()
	pass := func(n int) {
		for range n {
			now = now.Add(barEvery)
			d.draw()
		}
	}
	pass(50)
	if b.Len() > 0 {
		t.Errorf("without work: %q", &b)
	}
	d.last = now
	p.Begin("train", 10)
	p.Begin("fit", 0)
	pass(50) // ten seconds
	if got := b.String(); strings.Count(got, "\n") != 5 || !strings.Contains(got, "kerf: train: fit, 4s so far\n") {
		t.Errorf("ten silent seconds: %q", got)
	}
	b.Reset()
	p.End()
	p.Advance(5)
	pass(15)
	if got := b.String(); !strings.Contains(got, "kerf: train, ") || !strings.Contains(got, "left\n") {
		t.Errorf("half of the work: %q", got)
	}
	p.End()
	b.Reset()
	pass(50)
	if b.Len() > 0 {
		t.Errorf("after the work: %q", &b)
	}
}

// TestLeft: how long it will take is said about, as a few seconds, or from where to where
// that is unsure.
func TestLeft(t *testing.T) {
	for _, c := range []struct {
		left, least, most float64
		want              string
	}{
		{20, 10, 40, "about 20s"}, {5, 2.5, 10, "about 5s"}, {4.9, 2.45, 9.8, "a few seconds"}, {0, 0, 0, "a few seconds"},
		{20, 8, 90, "8s to 1m30s"}, {4, 2, 30, "2s to 30s"}, {4, 0.2, 30, "up to 30s"}, {4, 0.2, 9.9, "a few seconds"},
		{20.000000001, 10, 40.000000001, "about 20s"},
	} {
		at := func(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
		if got := left(run.Sight{Left: at(c.left), Least: at(c.least), Most: at(c.most)}); got != c.want {
			t.Errorf("%v s, %v to %v: %q, want %q", c.left, c.least, c.most, got, c.want)
		}
	}
}

// TestBar: on a terminal the bar changes at least every two seconds, and other text
// takes its place.
func TestBar(t *testing.T) {
	now := time.Unix(1, 0)
	var b bytes.Buffer
	d := newDisplay("kerf", &b, func() time.Time { return now })
	d.bar = true
	p := d.progress()
	p.Begin("read a file", 0)
	d.draw()
	if b.Len() > 0 {
		t.Errorf("at once: %q", &b)
	}
	for range 10 {
		b.Reset()
		now = now.Add(2 * time.Second)
		d.draw()
		if !strings.HasPrefix(b.String(), "\r\x1b[K|") || !strings.Contains(b.String(), "read a file") {
			t.Errorf("a bar: %q", &b)
		}
	}
	b.Reset()
	d.say("kerf: warning: so\n")
	p.End()
	if b.String() != "\r\x1b[Kkerf: warning: so\n" {
		t.Errorf("a warning: %q", &b)
	}
}

// TestDisplayBytes: reading shows the bytes read of the file's size, or alone where that
// is not known, and the time left from their share.
func TestDisplayBytes(t *testing.T) {
	now := time.Unix(1, 0)
	var b bytes.Buffer
	d := newDisplay("kerf", &b, func() time.Time { return now })
	for _, c := range []struct {
		bytes, size int64
		want        string
	}{
		{3 << 20, 12 << 20, "kerf: read rows.csv, 3 MiB of 12 MiB, 25% in 4s, about 12s left\n"},
		{3 << 20, 0, "kerf: read rows.csv, 3 MiB, 4s so far\n"},
	} {
		b.Reset()
		d.last = now
		p := d.progress()
		p.Begin("read rows.csv", 0)
		p.Read(0, c.size)
		now = now.Add(4 * time.Second)
		p.Read(c.bytes, c.size)
		d.draw()
		p.End()
		if b.String() != c.want {
			t.Errorf("%d of %d bytes: %q", c.bytes, c.size, &b)
		}
	}
}
