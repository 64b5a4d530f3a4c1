package serve_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/kerf-ml/kerf/serve"
	"github.com/kerf-ml/kerf/serve/inference"
)

// listenAt starts a server on free ports and returns its addresses, and what stops it
// and returns its error.
func listenAt(t testing.TB, s *serve.Server) (rest, grpc string, stop func() error) {
	t.Helper()
	open := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	a, b := open(), open()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, a, b) }()
	stopped := false
	stop = func() error {
		stopped = true
		cancel()
		return <-ended
	}
	t.Cleanup(func() {
		if !stopped {
			if err := stop(); err != nil {
				t.Error(err)
			}
		}
	})
	return a.Addr().String(), b.Addr().String(), stop
}

// call makes a gRPC call over HTTP/2 and returns its status and message.
func call(t testing.TB, address, method string, in, out proto.Message, header ...string) (string, string) {
	t.Helper()
	message, err := proto.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	return callRaw(t, address, method, append(frame, message...), out, header...)
}

func callRaw(
	t testing.TB,
	address, method string,
	frame []byte,
	out proto.Message,
	header ...string,
) (string, string) {
	t.Helper()
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	r, err := http.NewRequest("POST", "http://"+address+"/inference.GRPCInferenceService/"+method, bytes.NewReader(frame))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	r.Header.Set("Te", "trailers")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%s: %v, HTTP status %d", method, err, resp.StatusCode)
	}
	status, words := resp.Trailer.Get("Grpc-Status"), resp.Trailer.Get("Grpc-Message")
	if status == "" {
		status, words = resp.Header.Get("Grpc-Status"), resp.Header.Get("Grpc-Message")
	}
	if status == "0" {
		if len(body) < 5 || int(binary.BigEndian.Uint32(body[1:])) != len(body)-5 {
			t.Fatalf("%s: the frame of the answer is wrong: % x", method, body[:min(len(body), 8)])
		}
		if err := proto.Unmarshal(body[5:], out); err != nil {
			t.Fatal(err)
		}
	}
	words, err = url.PathUnescape(words)
	if err != nil {
		t.Fatal(err)
	}
	return status, words
}

// request returns the call of a fixture's rows.
func (f *fixture) request(raw bool, outputs ...string) *inference.ModelInferRequest {
	in := &inference.ModelInferRequest{ModelName: f.name, Id: "x"}
	for _, name := range outputs {
		if name != "" {
			in.Outputs = append(in.Outputs, &inference.ModelInferRequest_InferRequestedOutputTensor{Name: name})
		}
	}
	for _, one := range f.inputs() {
		t := &inference.ModelInferRequest_InferInputTensor{Name: one.Name, Datatype: one.Datatype}
		for _, d := range one.Shape {
			t.Shape = append(t.Shape, int64(d))
		}
		if raw {
			_, tail := packed([]input{one})
			in.RawInputContents = append(in.RawInputContents, tail)
		} else {
			t.Contents = &inference.InferTensorContents{}
			switch all := one.Data.(type) {
			case []string:
				for _, s := range all {
					t.Contents.BytesContents = append(t.Contents.BytesContents, []byte(s))
				}
			case []any:
				for _, v := range all {
					x, ok := v.(float64)
					if !ok {
						x = math.NaN()
					}
					t.Contents.Fp64Contents = append(t.Contents.Fp64Contents, x)
				}
			}
		}
		in.Inputs = append(in.Inputs, t)
	}
	return in
}

// inferCall predicts by gRPC.
func inferCall(t *testing.T, s *serve.Server, f *fixture, label, key string, raw bool) []tensorOut {
	t.Helper()
	_, at, stop := listenAt(t, s)
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	var out inference.ModelInferResponse
	if status, words := call(t, at, "ModelInfer", f.request(raw, label, key), &out); status != "0" {
		t.Fatalf("status %s: %s", status, words)
	}
	var all []tensorOut
	for i, o := range out.Outputs {
		one := tensorOut{Name: o.Name, Datatype: o.Datatype}
		for _, d := range o.Shape {
			one.Shape = append(one.Shape, int(d))
		}
		if !raw {
			one.Numbers = o.Contents.GetFp64Contents()
			for _, b := range o.Contents.GetBytesContents() {
				one.Texts = append(one.Texts, string(b))
			}
			all = append(all, one)
			continue
		}
		b := out.RawOutputContents[i]
		for len(b) > 0 && o.Datatype == "BYTES" {
			n := binary.LittleEndian.Uint32(b)
			one.Texts, b = append(one.Texts, string(b[4:4+n])), b[4+n:]
		}
		for ; len(b) > 0; b = b[8:] {
			one.Numbers = append(one.Numbers, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
		all = append(all, one)
	}
	return all
}
