package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/kerf-ml/kerf/model"
	"github.com/kerf-ml/kerf/run"
	"github.com/kerf-ml/kerf/serve"
)

// serveFlags are those of kerf serve.
type serveFlags struct {
	modelFlags
	listen, grpc    string
	cert, key       string
	tokenFile       string
	maxBody         byteSize
	maxConcurrent   int
	timeout, drain  time.Duration
	watch, requests bool
	log             string
}

func (a *app) serve() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve MODEL…",
		Short: "Answer requests for predictions over HTTP and gRPC",
		Long: `Answer requests for predictions: plain JSON or CSV at /predict, and the Open
Inference Protocol, version 2, over HTTP and gRPC. A model has the name of its
file without .kerf, or NAME where it is given as NAME=FILE. The page at /docs
says what each model takes. Ctrl-C ends the service once requests are answered.`,
		Example: `  kerf serve model.kerf
  curl localhost:8080/predict -d '{"age": 39, "education": "Bachelors"}'
  kerf serve adult=model.kerf spam.kerf --listen :8080 --token-file token --cert cert.pem --key key.pem`,
		Args: cobra.MinimumNArgs(1),
	}
	o := serve.NewOptions()
	f.maxBody = byteSize(o.MaxBody)
	f.add(c.Flags())
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8080", "address and port of HTTP; port 0 takes a free one")
	c.Flags().StringVar(&f.grpc, "grpc", "127.0.0.1:8081", "address and port of gRPC, or off")
	c.Flags().StringVar(&f.cert, "cert", "", "file with the certificate for TLS, and those that it hangs on (PEM)")
	c.Flags().StringVar(&f.key, "key", "", "file with the key of the certificate (PEM)")
	c.Flags().
		StringVar(&f.tokenFile, "token-file", "", "file with a token that requests must bear (Authorization: Bearer)")
	c.Flags().Var(&f.maxBody, "max-body", "largest body of a request, such as 64MiB")
	c.Flags().IntVar(&f.maxConcurrent, "max-concurrent", o.MaxConcurrent,
		"requests that are computed or wait for that; more are answered with 503")
	c.Flags().DurationVar(&f.timeout, "timeout", o.Timeout, "time for a request, from its first byte to its answer")
	c.Flags().DurationVar(&f.drain, "drain", o.Drain, "time for requests to end once the service is to stop")
	c.Flags().BoolVar(&f.watch, "watch", false, "take in model files that change, without a pause")
	c.Flags().StringVar(&f.log, "log", "text", "log on standard error: text, json or off")
	c.Flags().BoolVar(&f.requests, "log-requests", false, "log every request")
	c.RunE = func(c *cobra.Command, args []string) error {
		if c.Flags().Changed("token-file") && f.tokenFile == "" {
			return usage("--token-file needs a file")
		}
		return a.runServe(c.Context(), args, &f, o)
	}
	return c
}

// watchModels is how often model files are looked at.
const watchModels = 500 * time.Millisecond

// runServe serves until the program is interrupted.
func (a *app) runServe(ctx context.Context, args []string, f *serveFlags, o serve.Options) error {
	if err := f.options(&o); err != nil {
		return err
	}
	o.Run = a.control().Quiet()
	o.Open = readModel
	switch f.log {
	case "text":
		o.Log = slog.New(slog.NewTextHandler(a.stderr, nil))
	case "json":
		o.Log = slog.New(slog.NewJSONHandler(a.stderr, nil))
	}
	if a.quiet {
		o.Log = nil
	}
	sources, err := sourcesOf(args)
	if err != nil {
		return err
	}
	s, err := serve.New(sources, o)
	switch {
	case errors.Is(err, model.ErrProgram):
		return wrapf("%w; if you trust the file, use --allow-exec", err)
	case errors.Is(err, serve.ErrName):
		return usage("%w; give it as NAME=FILE", err)
	case err != nil:
		return err
	}
	rest, err := listen("listen", f.listen)
	if err != nil {
		return err
	}
	var grpc net.Listener
	if f.grpc != "off" {
		if grpc, err = listen("grpc", f.grpc); err != nil {
			_ = rest.Close()
			return err
		}
	}
	a.warnOpen(rest, grpc, &o)
	if err := a.tellServed(s, rest, grpc, o.TLS != nil); err != nil {
		_ = rest.Close()
		if grpc != nil {
			_ = grpc.Close()
		}
		return err
	}
	setPatience(ctx, o.Drain+2*time.Second)
	err = s.Serve(ctx, rest, grpc)
	var memory *run.MemoryError
	if err == nil && errors.As(context.Cause(ctx), &memory) {
		return memory
	}
	return err
}

// options checks the flags.
func (f *serveFlags) options(o *serve.Options) error {
	switch {
	case f.maxConcurrent < 1:
		return usage("--max-concurrent is %d and must be at least 1", f.maxConcurrent)
	case f.timeout <= 0:
		return usage("--timeout is %v and must be a time such as 30s", f.timeout)
	case f.drain <= 0:
		return usage("--drain is %v and must be a time such as 10s", f.drain)
	case f.log != "text" && f.log != "json" && f.log != "off":
		return usage("--log is %q and must be text, json or off", f.log)
	case (f.cert == "") != (f.key == ""):
		return usage("--cert and --key go together")
	}
	o.MaxBody, o.MaxConcurrent, o.Timeout, o.Drain = int64(f.maxBody), f.maxConcurrent, f.timeout, f.drain
	o.AllowExec, o.Access = f.allowExec, f.requests
	if f.watch {
		o.Watch = watchModels
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return badInput(f.cert, fmt.Sprintf("is no certificate for the key in %s: %v", f.key, err),
				"give PEM files that belong together")
		}
		o.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	if f.tokenFile == "" {
		return nil
	}
	token, err := os.ReadFile(f.tokenFile)
	if err != nil {
		return badInput(f.tokenFile, "the token cannot be read: "+cause(err), "check --token-file")
	}
	token = bytes.TrimSpace(token)
	if len(token) == 0 || len(token) > 4096 || bytes.ContainsAny(token, " \t\r\n\x00") {
		return badInput(
			f.tokenFile,
			"the file holds no token",
			"write one line without blanks into it, such as of openssl rand -hex 32",
		)
	}
	o.Token = string(token)
	return nil
}

// cause is an error of the file system without the path, which messages have already.
func cause(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return err.Error()
}

// sourcesOf reads the names and files of models.
func sourcesOf(args []string) ([]serve.Source, error) {
	var all []serve.Source
	for _, arg := range args {
		name, path, named := strings.Cut(arg, "=")
		if _, err := os.Stat(arg); !named || err == nil {
			name, path = strings.TrimSuffix(filepath.Base(arg), ".kerf"), arg
		}
		for _, other := range all {
			if other.Name == name {
				return nil, usage("%s and %s would both be the model %s; give one as NAME=FILE", other.Path, path, name)
			}
		}
		all = append(all, serve.Source{Name: name, Path: path})
	}
	return all, nil
}

// listen opens a port.
func listen(flag, address string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, usage("--%s is %q and must be an address and a port such as 127.0.0.1:8080", flag, address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		var inner *net.OpError
		if errors.As(err, &inner) {
			err = inner.Err
		}
		return nil, wrapf("cannot listen at %s: %w; choose another --%s", address, err, flag)
	}
	return l, nil
}

// warnOpen tells of a service that strangers can reach.
func (a *app) warnOpen(rest, grpc net.Listener, o *serve.Options) {
	open := ""
	for _, l := range []net.Listener{rest, grpc} {
		if l == nil {
			continue
		}
		if at, ok := l.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
			open = cmp.Or(open, at.String())
		}
	}
	switch {
	case open == "":
	case o.Token == "":
		a.warn("%s can be reached from other machines, and anybody may ask; use --token-file", open)
	case o.TLS == nil:
		a.warn("%s can be reached from other machines, and the token is sent in the clear; use --cert and --key", open)
	}
}

// tellServed says what is served where.
func (a *app) tellServed(s *serve.Server, rest, grpc net.Listener, secure bool) error {
	out := struct {
		Models []string `json:"models"`
		URL    string   `json:"url"`
		GRPC   string   `json:"grpc,omitempty"`
	}{Models: s.Names(), URL: "http://" + rest.Addr().String()}
	if secure {
		out.URL = "https://" + rest.Addr().String()
	}
	if grpc != nil {
		out.GRPC = grpc.Addr().String()
	}
	return a.result(out, func(w io.Writer) error {
		also := ""
		if grpc != nil {
			also = ", gRPC at " + out.GRPC
		}
		_, err := fmt.Fprintf(w, "serving %s at %s (see /docs)%s\n", strings.Join(out.Models, ", "), out.URL, also)
		return err
	})
}

// patienceKey is the key of WithPatience.
type patienceKey struct{}

// WithPatience lets commands say how long they take to end once ctx has: those that
// answer others end what they have begun. It is set to nanoseconds.
func WithPatience(ctx context.Context, patience *atomic.Int64) context.Context {
	return context.WithValue(ctx, patienceKey{}, patience)
}

func setPatience(ctx context.Context, d time.Duration) {
	if p, ok := ctx.Value(patienceKey{}).(*atomic.Int64); ok {
		p.Store(int64(d))
	}
}
