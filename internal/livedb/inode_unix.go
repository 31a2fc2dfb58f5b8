//go:build unix

package livedb

import (
	"io/fs"
	"syscall"
)

// Inode is the number of a file on its disk, which another file in its place does
// not have.
func Inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ino
	}
	return 0
}
