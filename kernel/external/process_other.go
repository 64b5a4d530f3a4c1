//go:build !unix

package external

import "os/exec"

func ownGroup(*exec.Cmd) {}

// kill ends the program.
func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
}
