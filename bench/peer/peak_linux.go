package peer

import (
	"os"
	"syscall"
)

func peak(s *os.ProcessState) int64 {
	if s == nil {
		return 0
	}
	if u, ok := s.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss * 1024
	}
	return 0
}
