package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kerf-ml/kerf/cli"
)

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
