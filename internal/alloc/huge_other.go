//go:build !linux

package alloc

func huge(*byte, int) {}
