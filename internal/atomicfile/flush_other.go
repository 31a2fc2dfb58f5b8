//go:build !unix

package atomicfile

// flush does nothing: a folder cannot be flushed here.
func flush(string) error { return nil }
