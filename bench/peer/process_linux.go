package peer

import (
	"os"
	"os/exec"
	"syscall"
)

// apart gives the process a group of its own, with all processes that it starts.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the group of a process that was set apart.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// peak returns the most memory that an ended process had.
func peak(s *os.ProcessState) int64 {
	if s == nil {
		return 0
	}
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss * 1024
	}
	return 0
}
