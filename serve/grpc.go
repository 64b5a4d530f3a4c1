package serve

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/serve/inference"
)

// grpcService is what the paths of calls begin with.
const grpcService = "/inference.GRPCInferenceService/"

// The statuses of gRPC that calls end with.
const (
	grpcOK                = 0
	grpcCancelled         = 1
	grpcInvalid           = 3
	grpcDeadline          = 4
	grpcNotFound          = 5
	grpcExhausted         = 8
	grpcUnimplemented     = 12
	grpcInternal          = 13
	grpcUnavailable       = 14
	grpcUnauthenticated   = 16
	grpcFrame             = 5 // bytes before a message: whether it is compressed, and its length
	grpcContent           = "application/grpc"
	grpcStatus, grpcWords = "Grpc-Status", "Grpc-Message"
)

// GRPC returns the gRPC service, for a server of HTTP/2. It takes unary calls, without
// compression: all that the protocol has.
func (s *Server) GRPC() http.Handler {
	return s.guard(func(v *visit, r *http.Request) {
		v.door = doorGRPC
		if r.Method != http.MethodPost || !strings.HasPrefix(r.Header.Get("Content-Type"), grpcContent) {
			s.writeError(v, refuse(http.StatusUnsupportedMediaType, "this port speaks gRPC; JSON is served at the other one"))
			return
		}
		out, err := s.call(v, r)
		if err != nil {
			s.endCall(v, err)
			return
		}
		message := make([]byte, grpcFrame, grpcFrame+proto.Size(out))
		message, err = proto.MarshalOptions{}.MarshalAppend(message, out)
		if err != nil {
			s.endCall(v, err)
			return
		}
		binary.BigEndian.PutUint32(message[1:], uint32(len(message)-grpcFrame))
		v.Header().Set("Content-Type", grpcContent)
		v.Header().Set("Trailer", grpcStatus)
		v.WriteHeader(http.StatusOK)
		_, _ = v.Write(message)
		v.Header().Set(grpcStatus, strconv.Itoa(grpcOK))
	}, s.endCall)
}

// endCall ends a call with a fault. Metrics have the HTTP status that REST would have
// answered with.
func (s *Server) endCall(v *visit, err error) {
	status, text := statusOf(err)
	if status >= 500 && status != http.StatusServiceUnavailable && status != http.StatusNotImplemented {
		s.log.Error("request failed", "door", v.door, "model", v.model, "error", text)
	}
	code := map[int]int{
		http.StatusBadRequest: grpcInvalid, http.StatusUnprocessableEntity: grpcInvalid, http.StatusNotFound: grpcNotFound,
		http.StatusUnauthorized: grpcUnauthenticated, http.StatusRequestEntityTooLarge: grpcExhausted,
		http.StatusServiceUnavailable: grpcUnavailable, http.StatusRequestTimeout: grpcDeadline, statusGone: grpcCancelled,
		http.StatusNotImplemented: grpcUnimplemented, http.StatusUnsupportedMediaType: grpcUnimplemented,
	}[status]
	if code == 0 {
		code = grpcInternal
	}
	h := v.Header()
	h.Set("Content-Type", grpcContent)
	h.Set(grpcStatus, strconv.Itoa(code))
	h.Set(grpcWords, percent(text))
	v.status = status
	v.ResponseWriter.WriteHeader(http.StatusOK)
}

// percent writes a message as gRPC has them in headers.
func percent(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// call answers a call.
func (s *Server) call(v *visit, r *http.Request) (proto.Message, error) {
	method, ok := strings.CutPrefix(r.URL.Path, grpcService)
	known := map[string]proto.Message{
		"ServerLive": &inference.ServerLiveRequest{}, "ServerReady": &inference.ServerReadyRequest{},
		"ModelReady": &inference.ModelReadyRequest{}, "ServerMetadata": &inference.ServerMetadataRequest{},
		"ModelMetadata": &inference.ModelMetadataRequest{}, "ModelInfer": &inference.ModelInferRequest{},
	}
	in := known[method]
	if !ok || in == nil {
		return nil, refuse(http.StatusNotImplemented, "there is no call %s", clip(r.URL.Path))
	}
	body, release, err := s.body(r)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := parseMessage(body, in); err != nil {
		return nil, err
	}
	switch in := in.(type) {
	case *inference.ServerLiveRequest:
		return &inference.ServerLiveResponse{Live: true}, nil
	case *inference.ServerReadyRequest:
		return &inference.ServerReadyResponse{Ready: !s.stopping.Load()}, nil
	case *inference.ServerMetadataRequest:
		info := s.info()
		return &inference.ServerMetadataResponse{Name: info.Name, Version: info.Version}, nil
	case *inference.ModelReadyRequest:
		_, err := s.find(in.Name, in.Version)
		return &inference.ModelReadyResponse{Ready: err == nil && !s.stopping.Load()}, nil
	case *inference.ModelMetadataRequest:
		e, err := s.find(in.Name, in.Version)
		if err != nil {
			return nil, err
		}
		return e.metadata(), nil
	case *inference.ModelInferRequest:
		return s.callInfer(v, r, in)
	}
	return nil, errInternal
}

// parseMessage takes the one message of a call.
func parseMessage(body []byte, into proto.Message) error {
	if len(body) < grpcFrame {
		return badRequest("the call has no message")
	}
	if body[0] != 0 {
		return refuse(http.StatusNotImplemented, "the message is compressed; send it as it is")
	}
	if n := binary.BigEndian.Uint32(body[1:]); int64(n) != int64(len(body)-grpcFrame) {
		return badRequest("the message has %d bytes, and its length says %d", len(body)-grpcFrame, n)
	}
	if err := proto.Unmarshal(body[grpcFrame:], into); err != nil {
		return badRequest("the message cannot be read: %v", err)
	}
	return nil
}

// metadata is what the protocol says of a model.
func (e *edition) metadata() *inference.ModelMetadataResponse {
	info := e.info()
	list := func(all []column) []*inference.ModelMetadataResponse_TensorMetadata {
		var out []*inference.ModelMetadataResponse_TensorMetadata
		for _, c := range all {
			out = append(
				out,
				&inference.ModelMetadataResponse_TensorMetadata{Name: c.Name, Datatype: c.Datatype, Shape: c.Shape},
			)
		}
		return out
	}
	return &inference.ModelMetadataResponse{
		Name: info.Name, Versions: info.Versions, Platform: info.Platform,
		Inputs: list(info.Inputs), Outputs: list(info.Outputs),
	}
}

// callInfer is a prediction.
func (s *Server) callInfer(v *visit, r *http.Request, in *inference.ModelInferRequest) (proto.Message, error) {
	e, err := s.find(in.ModelName, in.ModelVersion)
	if err != nil {
		return nil, err
	}
	v.model = e.name
	leave, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	request, err := fromMessage(in)
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.limited(r)
	defer cancel()
	if limit, ok := grpcTimeout(r.Header.Get("Grpc-Timeout")); ok {
		var sooner context.CancelFunc
		ctx, sooner = context.WithTimeout(ctx, limit)
		defer sooner()
	}
	var parts []*model.Encoded
	if parts, err = e.fromTensors(ctx, s.read, request); err != nil {
		return nil, err
	}
	a, err := s.answer(ctx, e, parts, request.wanted)
	if err != nil {
		return nil, err
	}
	return a.message(request, len(in.RawInputContents) > 0), nil
}

// grpcTimeout reads a time such as 100m, in milliseconds.
func grpcTimeout(text string) (time.Duration, bool) {
	if len(text) < 2 || len(text) > 9 {
		return 0, false
	}
	unit, ok := map[byte]time.Duration{
		'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond,
		'u': time.Microsecond, 'n': time.Nanosecond,
	}[text[len(text)-1]]
	n, err := strconv.ParseUint(text[:len(text)-1], 10, 32)
	if !ok || err != nil || n > uint64(24*time.Hour/unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// fromMessage takes the tensors and parameters of a request.
func fromMessage(in *inference.ModelInferRequest) (*inferRequest, error) {
	out := &inferRequest{id: in.Id}
	p, err := parametersOf(in.Parameters)
	if err != nil {
		return nil, err
	}
	if err := out.takeParameters(p); err != nil {
		return nil, err
	}
	raw := in.RawInputContents
	if len(in.Inputs) > maxTensors {
		return nil, badRequest("there are %d inputs, and at most %d are taken", len(in.Inputs), maxTensors)
	}
	if len(raw) > 0 && len(raw) != len(in.Inputs) {
		return nil, badRequest("there are %d inputs and %d raw_input_contents", len(in.Inputs), len(raw))
	}
	for i, one := range in.Inputs {
		t, count, err := newTensor(one.Name, one.Datatype, one.Shape)
		if err != nil {
			return nil, err
		}
		if len(raw) > 0 {
			err = t.fromBinary(raw[i], count)
		} else {
			err = t.fromContents(one.Contents, count)
		}
		if err != nil {
			return nil, err
		}
		out.tensors = append(out.tensors, t)
	}
	for _, one := range in.Outputs {
		p, err := parametersOf(one.Parameters)
		if err != nil {
			return nil, err
		}
		if err := out.ask(one.Name, p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// parametersOf returns parameters as JSON has them.
func parametersOf(in map[string]*inference.InferParameter) (parameters, error) {
	out := parameters{}
	for name, p := range in {
		var v any
		switch p := p.GetParameterChoice().(type) {
		case *inference.InferParameter_BoolParam:
			v = p.BoolParam
		case *inference.InferParameter_Int64Param:
			v = p.Int64Param
		case *inference.InferParameter_Uint64Param:
			v = p.Uint64Param
		case *inference.InferParameter_StringParam:
			v = p.StringParam
		case *inference.InferParameter_DoubleParam:
			v = p.DoubleParam
		}
		text, err := json.Marshal(v)
		if err != nil {
			return nil, badRequest("parameter %s is not finite", clip(name))
		}
		if v != nil {
			out[name] = text
		}
	}
	return out, nil
}

// fromContents fills a tensor with elements in the field of their type.
func (t *tensor) fromContents(c *inference.InferTensorContents, count int) error {
	switch t.datatype {
	case typeBytes:
		for i, b := range c.GetBytesContents() {
			if !utf8.Valid(b) {
				return badRequest("text %d of input %q is not UTF-8", i+1, clip(t.name))
			}
			t.texts = append(t.texts, string(b))
		}
	case typeBool:
		for _, v := range c.GetBoolContents() {
			t.numbers = append(t.numbers, map[bool]float64{true: 1}[v])
		}
	case "INT8", "INT16", "INT32":
		t.numbers = floats(c.GetIntContents())
	case "UINT8", "UINT16", "UINT32":
		t.numbers = floats(c.GetUintContents())
	case "INT64":
		for _, v := range c.GetInt64Contents() {
			t.numbers = append(t.numbers, whole(v))
		}
	case "UINT64":
		for _, v := range c.GetUint64Contents() {
			t.numbers = append(t.numbers, whole(v))
		}
	case typeFP32:
		t.numbers = floats(c.GetFp32Contents())
	case typeFP64:
		t.numbers = c.GetFp64Contents()
	default:
		return badRequest("input %q has the datatype %s, which goes in raw_input_contents alone", clip(t.name), t.datatype)
	}
	switch have := len(t.numbers) + len(t.texts); {
	case have < count:
		return t.miscounted(count, "fewer")
	case have > count:
		return t.miscounted(count, "more")
	}
	return nil
}

// floats returns numbers of any type.
func floats[N int32 | uint32 | float32](all []N) []float64 {
	out := make([]float64, len(all))
	for i, v := range all {
		out[i] = float64(v)
	}
	return out
}

// message writes the answer, in the binary form if the request was.
func (a *answer) message(in *inferRequest, raw bool) *inference.ModelInferResponse {
	out := &inference.ModelInferResponse{ModelName: a.of.name, ModelVersion: a.of.version, Id: in.id}
	for _, want := range a.named(in) {
		t := a.tensor(want.name)
		one := &inference.ModelInferResponse_InferOutputTensor{Name: t.name, Datatype: t.datatype, Shape: t.shape}
		if raw {
			out.RawOutputContents = append(out.RawOutputContents, t.appendBinary(nil))
		} else {
			one.Contents = t.contents()
		}
		out.Outputs = append(out.Outputs, one)
	}
	return out
}

// contents returns the elements in the field of their type.
func (t *tensor) contents() *inference.InferTensorContents {
	c := &inference.InferTensorContents{}
	switch t.datatype {
	case typeBytes:
		for _, text := range t.texts {
			c.BytesContents = append(c.BytesContents, []byte(text))
		}
	case typeBool:
		c.BoolContents = t.list().([]bool)
	default:
		c.Fp64Contents = t.numbers
	}
	return c
}
