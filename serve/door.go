package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Doors name the ways in, in metrics and logs.
const (
	doorPredict = "predict"
	doorInfer   = "infer"
	doorGRPC    = "grpc"
	doorOther   = "other"
)

// visit is a request on its way, and what is to be counted of it.
type visit struct {
	http.ResponseWriter
	door   string
	model  string
	status int
}

// WriteHeader remembers the status.
func (v *visit) WriteHeader(status int) {
	if v.status == 0 {
		v.status = status
	}
	v.ResponseWriter.WriteHeader(status)
}

// Write is the body, whose status is 200 if no other was written.
func (v *visit) Write(p []byte) (int, error) {
	if v.status == 0 {
		v.status = http.StatusOK
	}
	return v.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (v *visit) Unwrap() http.ResponseWriter { return v.ResponseWriter }

// guard is around every handler: it counts, logs, checks the token, and turns a panic
// into an answer.
func (s *Server) guard(h func(v *visit, r *http.Request), refused func(v *visit, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		v := &visit{ResponseWriter: w, door: doorOther}
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.log.Error("panic", "path", clip(r.URL.Path), "reason", oneLine(fmt.Sprint(p)))
				if v.status == 0 {
					refused(v, errInternal)
				}
			}
			took := time.Since(begun)
			s.count.request(v.door, v.model, v.status, took)
			if s.o.Access {
				s.log.Info("request", "method", r.Method, "path", clip(r.URL.Path), "status", v.status, "seconds", took.Seconds(),
					"from", r.RemoteAddr)
			}
		}()
		if s.o.Token != "" && !isOpen(r.URL.Path) && !s.admits(r) {
			v.Header().Set("WWW-Authenticate", "Bearer")
			refused(v, refuse(http.StatusUnauthorized, "the request bears no valid token; send Authorization: Bearer TOKEN"))
			return
		}
		h(v, r)
	})
}

// isOpen reports what needs no token: what probes ask, and the page, which asks for one.
func isOpen(path string) bool {
	return strings.HasPrefix(path, "/v2/health/") || path == "/docs" || path == grpcService+"ServerLive" ||
		path == grpcService+"ServerReady"
}

// admits reports whether a request bears the token. It takes the same time for all that
// do not.
func (s *Server) admits(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], s.token[:]) == 1
}

// enter takes a place among the requests that are computed, and returns what gives it
// back.
func (s *Server) enter() (func(), error) {
	if s.inFlight.Add(1) > int64(s.o.MaxConcurrent) {
		s.inFlight.Add(-1)
		return nil, refuse(
			http.StatusServiceUnavailable,
			"%d requests are in flight; try again in a second",
			s.o.MaxConcurrent,
		)
	}
	return func() { s.inFlight.Add(-1) }, nil
}

// body reads the body of a request, and returns what gives back the memory that the
// request is taken to need. Memory is counted as bytes come in: who announces much and
// sends little holds little.
func (s *Server) body(r *http.Request) ([]byte, func(), error) {
	if r.ContentLength > s.o.MaxBody {
		return nil, nil, s.tooLarge()
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, nil, refuse(
			http.StatusUnsupportedMediaType,
			"the body is in the coding %s; send it as it is",
			clip(coding),
		)
	}
	const step = 64 << 10
	b := make([]byte, 0, max(512, min(r.ContentLength+1, step)))
	counted := int64(0)
	release := func() { s.held.Add(-counted) }
	count := func() error {
		more := int64(cap(b))*perByte - counted
		counted += more
		if s.held.Add(more) > s.room {
			release()
			return refuse(
				http.StatusServiceUnavailable,
				"requests hold as much memory as they may; try again in a second, or send "+
					"fewer rows",
			)
		}
		return nil
	}
	if err := count(); err != nil {
		return nil, nil, err
	}
	for {
		if len(b) == cap(b) {
			grown := make([]byte, len(b), 2*cap(b))
			copy(grown, b)
			b = grown
			if err := count(); err != nil {
				return nil, nil, err
			}
		}
		n, err := r.Body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if int64(len(b)) > s.o.MaxBody {
			release()
			return nil, nil, s.tooLarge()
		}
		switch {
		case err == io.EOF:
			return b, release, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			release()
			return nil, nil, refuse(http.StatusRequestTimeout, "the body did not come within %v", s.o.Timeout)
		case err != nil:
			release()
			return nil, nil, badRequest("the body ends early: %v", err)
		}
	}
}

func (s *Server) tooLarge() error {
	return refuse(
		http.StatusRequestEntityTooLarge,
		"the body is larger than %d bytes; send fewer rows, or start the service with "+
			"a larger --max-body",
		s.o.MaxBody,
	)
}

// limited returns the context of a request.
func (s *Server) limited(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Context(), s.o.Timeout)
}

// writeError answers with a status and one line.
func (s *Server) writeError(v *visit, err error) {
	status, text := statusOf(err)
	if status >= 500 && status != http.StatusServiceUnavailable {
		s.log.Error("request failed", "door", v.door, "model", v.model, "error", text)
	}
	if status == http.StatusServiceUnavailable {
		v.Header().Set("Retry-After", "1")
	}
	if status == http.StatusRequestEntityTooLarge || status == http.StatusRequestTimeout {
		v.Header().Set("Connection", "close") // or the rest of the body would be read
	}
	if status == statusGone {
		v.status = statusGone
		status = http.StatusBadRequest
	}
	b, _ := json.Marshal(map[string]string{"error": text})
	write(v, status, "application/json", append(b, '\n'))
}

// write answers with a body.
func write(v *visit, status int, kind string, body []byte) {
	h := v.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	v.WriteHeader(status)
	_, _ = v.Write(body)
}

// writeJSON answers with a value.
func (s *Server) writeJSON(v *visit, value any) {
	b, err := json.Marshal(value)
	if err != nil {
		s.writeError(v, err)
		return
	}
	write(v, http.StatusOK, "application/json", append(b, '\n'))
}
