package pipe

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/kerf-ml/kerf/data"
	"github.com/kerf-ml/kerf/data/npy"
	"github.com/kerf-ml/kerf/run"
)

const (
	magic     = "KRF1"
	maxHead   = 64 << 20 // bytes of a head
	maxFrames = 1 << 20  // of a message
	maxFrame  = 1 << 46  // bytes of a frame
	missing   = 0xFFFFFFFF
	readPart  = 1 << 20 // bytes that are made room for before they have come
)

// The forms of frames.
const (
	formNPY   = "npy"
	formText  = "text"
	formBytes = "bytes"
)

// Frame says what follows a head.
type Frame struct {
	Name  string `json:"name"`
	Form  string `json:"form"`
	Size  int64  `json:"size"`            // bytes
	Count int    `json:"count,omitempty"` // texts
}

// payload is a frame that has been read: the one of its form.
type payload struct {
	array *data.Matrix // nil for one without values
	texts []string
	bytes []byte
}

// errBroken reports a stream on which nothing can be found any more.
var errBroken = errors.New("the stream is not what kerf pipe reads; kerf's Python package speaks to it")

// readHead reads the head of a message into v, and returns io.EOF, and nothing else, where
// the stream ends before one.
func readHead(r io.Reader, v any) error {
	var begin [8]byte
	if _, err := io.ReadFull(r, begin[:]); err == io.EOF {
		return io.EOF
	} else if err != nil || string(begin[:4]) != magic {
		return errBroken
	}
	n := binary.LittleEndian.Uint32(begin[4:])
	if n > maxHead {
		return errBroken
	}
	text, err := readBytes(r, int64(n))
	if err != nil || json.Unmarshal(text, v) != nil {
		return errBroken
	}
	return nil
}

// checkFrames reports frames that no message can have.
func checkFrames(frames []Frame) error {
	if len(frames) > maxFrames {
		return errBroken
	}
	for _, f := range frames {
		if f.Size < 0 || f.Size > maxFrame || f.Count < 0 {
			return errBroken
		}
	}
	return nil
}

// readFrame reads a frame to its end, whatever is wrong with it: the next one begins
// behind it. An error of errBroken ends the stream.
func readFrame(ctx context.Context, r io.Reader, f Frame, ctl run.Control) (payload, error) {
	in := &frameReader{r: io.LimitedReader{R: r, N: f.Size}, size: f.Size, ctl: ctl}
	p, err := in.read(ctx, f)
	if _, drained := io.Copy(io.Discard, &in.r); drained != nil || in.r.N > 0 {
		return p, errBroken
	}
	return p, err
}

// frameReader reads a frame, and holds what is made of it to a budget.
type frameReader struct {
	r    io.LimitedReader
	size int64
	ctl  run.Control
}

func (f *frameReader) Read(p []byte) (int, error) { return f.r.Read(p) }

// Reserve asks for the memory of values; see file.Array. What the header of an array
// promises beyond the frame's size is not made room for.
func (f *frameReader) Reserve(what string, bytes float64) (known bool, err error) {
	if bytes > 16*float64(f.size) {
		return false, nil
	}
	return true, f.ctl.Reserve(what, bytes, "use fewer rows")
}

// read reads what a frame holds.
func (f *frameReader) read(ctx context.Context, frame Frame) (payload, error) {
	switch frame.Form {
	case formNPY:
		r, err := npy.NewReader(f, frame.Name)
		if err != nil {
			return payload{}, err
		}
		m, err := r.Read(ctx, 0)
		if err == io.EOF {
			err = nil
		}
		if m == nil && err == nil {
			m = &data.Matrix{Rows: r.Rows(), Cols: r.Cols()}
		}
		return payload{array: m}, err
	case formText:
		return f.readTexts(frame)
	case formBytes:
		if err := f.ctl.Reserve("a frame", float64(f.size), "use fewer rows"); err != nil {
			return payload{}, err
		}
		b, err := readBytes(f, f.size)
		return payload{bytes: b}, err
	}
	return payload{}, fmt.Errorf("there are no frames of the form %q", data.ClipMiddle(frame.Form, 60))
}

// readTexts reads lengths and the texts behind them.
func (f *frameReader) readTexts(frame Frame) (payload, error) {
	wrong := &data.InputError{File: frame.Name, Problem: "the lengths of texts do not add up to the frame"}
	if int64(frame.Count) > f.size/4 {
		return payload{}, wrong
	}
	if err := f.ctl.Reserve("texts", 2*float64(f.size)+16*float64(frame.Count), "use fewer rows"); err != nil {
		return payload{}, err
	}
	all, err := readBytes(f, f.size)
	if err != nil {
		return payload{}, err
	}
	lengths, rest := all[:4*frame.Count], string(all[4*frame.Count:])
	texts := make([]string, frame.Count)
	for i := range texts {
		n := binary.LittleEndian.Uint32(lengths[4*i:])
		if n == missing {
			continue
		}
		if uint64(n) > uint64(len(rest)) {
			return payload{}, wrong
		}
		texts[i], rest = rest[:n], rest[n:]
		if !utf8.ValidString(texts[i]) {
			return payload{}, &data.InputError{File: frame.Name, Line: i + 1, Problem: "the text is not UTF-8",
				Advice: "decode it first"}
		}
	}
	if rest != "" {
		return payload{}, wrong
	}
	return payload{texts: texts}, nil
}

// readBytes reads n bytes. Memory grows with what comes, not with what was promised.
func readBytes(r io.Reader, n int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(n, readPart)))
	if got, err := io.CopyN(&b, r, n); err != nil || got < n {
		return nil, errBroken
	}
	return b.Bytes(), nil
}

// writeMessage writes a head, which has room for frames, and the frames.
func writeMessage(w io.Writer, head map[string]any, parts ...part) error {
	frames := make([]Frame, len(parts))
	for i, p := range parts {
		frames[i] = p.frame()
	}
	head["frames"] = frames
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	begin := append([]byte(magic), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(begin[4:], uint32(len(text)))
	if _, err := w.Write(append(begin, text...)); err != nil {
		return err
	}
	for _, p := range parts {
		if err := p.write(w); err != nil {
			return err
		}
	}
	return nil
}

// part is a frame to write: an array, or bytes.
type part struct {
	name  string
	array *data.Matrix
	bytes []byte
}

func (p part) frame() Frame {
	if p.array == nil {
		return Frame{Name: p.name, Form: formBytes, Size: int64(len(p.bytes))}
	}
	return Frame{Name: p.name, Form: formNPY, Size: npy.Size(p.array.Rows, p.array.Cols, npy.Float64)}
}

func (p part) write(w io.Writer) error {
	if p.array == nil {
		_, err := w.Write(p.bytes)
		return err
	}
	out, err := npy.NewWriter(w, p.array.Rows, p.array.Cols, npy.Float64)
	if err != nil {
		return err
	}
	if err := out.Write(p.array); err != nil {
		return err
	}
	return out.Close()
}
