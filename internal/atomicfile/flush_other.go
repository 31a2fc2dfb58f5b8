//go:build !unix

package atomicfile

// Flush does nothing: a folder cannot be flushed here.
func Flush(string) error { return nil }
