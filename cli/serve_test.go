package cli_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/cli"
)

// certificate writes a certificate for this machine, and its key, and returns who trusts it.
func certificate(t *testing.T, cert, key string) *x509.CertPool {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	writeFile(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})) {
		t.Fatal("the certificate is none")
	}
	return pool
}

// TestServeTLS asks both ports over TLS, and reads the log of it, which is JSON.
func TestServeTLS(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	trust := certificate(t, at("cert.pem"), at("key.pem"))
	certificate(t, at("other.pem"), at("other.key"))
	mustRun(t, "gen", "circle", "--n", "100", "-o", at("c.csv"))
	mustRun(t, "train", at("c.csv"), "--kernel", "rbf(gamma=1)", "--map", "f2", "--dim", "10", "-o", at("m.kerf"))
	serve := []string{"serve", at("m.kerf"), "--listen", "127.0.0.1:0", "--grpc", "127.0.0.1:0"}
	wantFailure(t, 2, "--key", append(serve, "--cert", at("cert.pem"))...)
	wantFailure(t, 3, "cert.pem", append(serve, "--cert", at("cert.pem"), "--key", at("other.key"))...)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, write := io.Pipe()
	var log bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Exec(ctx, append(serve, "--cert", at("cert.pem"), "--key", at("key.pem"), "--log", "json",
			"--log-requests", "--json"), strings.NewReader(""), write, &log)
	}()
	var told struct{ URL, GRPC string }
	if err := json.NewDecoder(read).Decode(&told); err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}, ForceAttemptHTTP2: true}}
	defer c.CloseIdleConnections()
	resp, err := c.Post(told.URL+"/predict", "application/json", strings.NewReader(`{"x1": 0, "x2": 0}`))
	if err != nil || resp.StatusCode != 200 || !strings.HasPrefix(told.URL, "https://") {
		t.Fatalf("%s: %v, %v", told.URL, resp, err)
	}
	_ = resp.Body.Close()
	call := "https://" + strings.TrimPrefix(told.GRPC, "https://") + "/inference.GRPCInferenceService/ServerLive"
	resp, err = c.Post(call, "application/grpc", strings.NewReader("\x00\x00\x00\x00\x00"))
	if err != nil || resp.ProtoMajor != 2 {
		t.Fatalf("%v, %v", resp, err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || string(body) != "\x00\x00\x00\x00\x02\x08\x01" || resp.Trailer.Get("Grpc-Status") != "0" {
		t.Errorf("%q, %v, %v", body, resp.Trailer, err)
	}
	plain, err := http.Get("http" + strings.TrimPrefix(told.URL, "https") + "/v2/health/live")
	if err == nil {
		_ = plain.Body.Close()
		if plain.StatusCode == 200 {
			t.Error("the port of TLS answers without it")
		}
	}
	cancel()
	if status := <-ended; status != 0 {
		t.Errorf("the service ends with status %d: %s", status, &log)
	}
	statuses := map[string]float64{}
	for line := range strings.Lines(log.String()) {
		var one struct {
			Msg, Path string
			Status    float64
		}
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Errorf("the log has %q: %v", line, err)
		}
		if one.Msg == "request" {
			statuses[one.Path] = one.Status
		}
	}
	if statuses["/predict"] != 200 || len(statuses) < 2 {
		t.Errorf("the log has the requests %v: %s", statuses, &log)
	}
}

// TestServe starts the service, asks it, and ends it as Ctrl-C does.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("token"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"gen", "circle", "--n", "100", "-o", at("c.csv")},
		{"train", at("c.csv"), "--kernel", "rbf(gamma=1)", "--map", "f2", "--dim", "10", "-o", at("m.kerf"), "-q"},
	} {
		if status := cli.Exec(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard); status != 0 {
			t.Fatalf("kerf %v: status %d", args, status)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read, write := io.Pipe()
	var errors bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Exec(ctx, []string{"serve", "circle=" + at("m.kerf"), "--listen", "127.0.0.1:0", "--grpc",
			"127.0.0.1:0", "--watch", "--token-file", at("token"), "--json"}, strings.NewReader(""), write, &errors)
	}()
	var told struct {
		Models    []string
		URL, GRPC string
	}
	if err := json.NewDecoder(read).Decode(&told); err != nil {
		t.Fatal(err)
	}
	if len(told.Models) != 1 || told.Models[0] != "circle" || told.GRPC == "" {
		t.Errorf("told %+v", told)
	}
	ask := func(token string) (int, string) {
		r, err := http.NewRequest("POST", told.URL+"/predict", strings.NewReader(`{"x1": 0, "x2": 0}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if status, body := ask("secret"); status != 200 || !strings.Contains(body, `"predictions":["1"]`) {
		t.Errorf("status %d: %s", status, body)
	}
	if status, _ := ask("guess"); status != 401 {
		t.Errorf("another token: status %d", status)
	}
	cancel()
	if status := <-ended; status != 0 {
		t.Errorf("the service ends with status %d: %s", status, &errors)
	}
}
