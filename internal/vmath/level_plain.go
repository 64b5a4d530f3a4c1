//go:build !amd64 || purego

package vmath

const best = Plain
