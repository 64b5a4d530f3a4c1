package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kerf-ml/kerf/cli"
)

// TestLab starts the lab with nothing, with a table and with a model, asks it, and ends it
// as Ctrl-C does.
func TestLab(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"gen", "circle", "--n", "100", "-o", at("c.csv")},
		{"train", at("c.csv"), "--kernel", "rbf(gamma=1)", "--map", "f2", "--dim", "10", "-o", at("m.kerf"), "-q"},
	} {
		if status := cli.Exec(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard); status != 0 {
			t.Fatalf("kerf %v: status %d", args, status)
		}
	}
	for _, c := range []struct {
		args []string
		path string
		says string
	}{
		{nil, "", "kerf lab"},
		{[]string{at("c.csv"), "--target", "label"}, "api/about", `"data":"table"`},
		{[]string{at("m.kerf")}, "api/model", `"form":"columns"`},
		{[]string{at("m.kerf"), "--test", at("c.csv")}, "report", "Which columns matter"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		read, write := io.Pipe()
		var errors bytes.Buffer
		ended := make(chan int, 1)
		go func() {
			args := append(append([]string{"lab"}, c.args...), "--listen", "127.0.0.1:0", "--json", "--no-open")
			ended <- cli.Exec(ctx, args, strings.NewReader(""), write, &errors)
			_ = write.Close()
		}()
		var told struct{ URL string }
		if err := json.NewDecoder(read).Decode(&told); err != nil {
			t.Fatalf("%v: %v: %s", c.args, err, &errors)
		}
		resp, err := http.Get(told.URL + c.path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != 200 || !strings.Contains(string(body), c.says) {
			t.Errorf("%v: status %d lacks %q: %.300s", c.args, resp.StatusCode, c.says, body)
		}
		cancel()
		if status := <-ended; status != 0 {
			t.Errorf("%v: the lab ends with status %d: %s", c.args, status, &errors)
		}
	}
}

// TestLabRefused checks what the lab cannot be started with.
func TestLabRefused(t *testing.T) {
	dir := t.TempDir()
	at := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	var texts strings.Builder
	for i := range 60 {
		fmt.Fprintf(&texts, "%s\tsee you at %d, and not before %d\n", []string{"ham", "spam"}[i%2], i, i+1)
	}
	good := at("good.csv", "a,b,y\n1,2,p\n2,1,q\n3,4,p\n")
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"nothing.csv"}, 3, "nothing.csv"},
		{[]string{dir}, 3, ""},
		{[]string{at("model.kerf", "kerfmodl and no more")}, 3, "damaged"},
		{[]string{at("texts.tsv", texts.String())}, 3, "no place in the plane"},
		{[]string{at("one.csv", "a,b,y\n1,2,p\n2,1,p\n")}, 3, "same label"},
		{[]string{good, "--target", "z"}, 3, "z"},
		{[]string{good, "--listen", "nowhere"}, 2, "--listen"},
		{[]string{good, "--listen", busy.Addr().String()}, 1, "choose another --listen"},
		{[]string{good, "--test", good}, 2, "--test goes with a model"},
		{[]string{"--test", good}, 2, "--test goes with a model"},
		{[]string{"a", "b"}, 2, "usage"},
	} {
		var errors bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // or a lab that starts would not end
		status := cli.Exec(ctx, append([]string{"lab", "--no-open", "-q"}, c.args...), strings.NewReader(""),
			io.Discard, &errors)
		cancel()
		if status != c.status || !strings.Contains(errors.String(), c.says) || strings.Count(errors.String(), "\n") != 1 {
			t.Errorf("%v: status %d, %q; want %d, %q", c.args, status, &errors, c.status, c.says)
		}
	}
}
