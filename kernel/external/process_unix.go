//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the program a process group, so that kill reaches what it
// starts, and an interrupt at the terminal reaches kerf alone, which then ends
// the program.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the program, which was started and not waited for, and what it has
// started.
func kill(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
