//go:build unix

package file_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/kerf-ml/kerf/data/file"
)

func TestCancelNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	checkPrompt(t, func(ctx context.Context) error {
		_, err := file.Open(ctx, path, nil)
		return err
	})
	// The goroutine that still waits for a writer gets one, so that it ends.
	if w, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		_ = w.Close()
	}
}
