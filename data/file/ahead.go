package file

import (
	"context"
	"io"
	"sync"
)

const (
	aheadParts = 4       // that may be unpacked before they are asked for
	aheadSize  = 1 << 18 // bytes of a part
	aheadAfter = 1 << 18 // bytes that are read in place: few need no goroutine
)

// ahead reads a decompressor on a goroutine of its own, a few parts ahead, so that a file is
// unpacked while what came before is parsed. The goroutine begins after the first bytes, and
// ends with stop.
type ahead struct {
	r     io.Reader
	begun int64 // bytes read in place

	parts chan part     // nil before the goroutine is there
	free  chan []byte   // buffers of parts that were used
	quit  chan struct{} // closed by stop
	ended sync.WaitGroup
	now   part
	at    int // bytes of now that were handed out
}

// part is what one read gave.
type part struct {
	bytes []byte
	err   error // comes after bytes
}

func (a *ahead) Read(p []byte) (int, error) {
	if a.parts == nil {
		if a.begun < aheadAfter {
			n, err := a.r.Read(p)
			a.begun += int64(n)
			return n, err
		}
		a.start()
	}
	for a.at == len(a.now.bytes) {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.now.bytes != nil {
			a.free <- a.now.bytes
		}
		a.now, a.at = <-a.parts, 0
	}
	n := copy(p, a.now.bytes[a.at:])
	a.at += n
	return n, nil
}

// start starts the goroutine. There are as many buffers as fit the channels, so that sending
// never waits for more than the reader of the other.
func (a *ahead) start() {
	a.parts, a.free, a.quit = make(chan part, aheadParts), make(chan []byte, aheadParts+1), make(chan struct{})
	for range aheadParts {
		a.free <- make([]byte, aheadSize)
	}
	a.ended.Go(func() {
		for {
			var buffer []byte
			select {
			case buffer = <-a.free:
			case <-a.quit:
				return
			}
			buffer = buffer[:aheadSize]
			n, err := readSome(a.r, buffer)
			select {
			case a.parts <- part{buffer[:n], err}:
			case <-a.quit:
				return
			}
			if err != nil {
				return
			}
		}
	})
}

// readSome fills a buffer, or what there is until an error.
func readSome(r io.Reader, buffer []byte) (n int, err error) {
	for n < len(buffer) && err == nil {
		var more int
		more, err = r.Read(buffer[n:])
		n += more
	}
	return n, err
}

// stop ends the goroutine, whose reads cancel interrupts, and waits for that. What was
// unpacked and not read is lost.
func (a *ahead) stop(cancel context.CancelFunc) error {
	cancel()
	if a.quit != nil {
		close(a.quit)
		a.ended.Wait()
		a.quit = nil
	}
	return nil
}
