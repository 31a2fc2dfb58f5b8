package demo

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Marker is the file in a sealed folder that lists what was made there.
const Marker = ".retold-demo"

// Seal writes down what dir holds, so that [Check] can tell later whether it is
// still whole.
func Seal(dir string) error {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		line, err := summary(dir, path)
		b.WriteString(line)
		return err
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, Marker), []byte(b.String()), 0o600)
	}
	if err != nil {
		return fmt.Errorf("seal the demo home: %w", err)
	}
	return nil
}

// summary is the line of one file: checksum, length and name.
func summary(dir, path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	name, err := filepath.Rel(dir, path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%08x %d %s\n", crc32.ChecksumIEEE(data), len(data), filepath.ToSlash(name)), nil
}

// errDamaged says that a sealed folder is not what it was.
var errDamaged = errors.New("is not as it was made")

// Check returns an error unless dir was sealed and every file in it is as it was
// then. Files that came later are nobody's concern.
func Check(dir string) error {
	marker, err := os.Open(filepath.Join(dir, Marker))
	if err != nil {
		return fmt.Errorf("check the demo home: %w", err)
	}
	defer func() { _ = marker.Close() }() // only read from
	lines := bufio.NewScanner(marker)
	files := 0
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), " ", 3)
		if len(parts) < 3 || !filepath.IsLocal(filepath.FromSlash(parts[2])) {
			return fmt.Errorf("check the demo home: %s %w", Marker, errDamaged)
		}
		now, err := summary(dir, filepath.Join(dir, filepath.FromSlash(parts[2])))
		if err != nil {
			return fmt.Errorf("check the demo home: %w", err)
		}
		if now != lines.Text()+"\n" {
			return fmt.Errorf("check the demo home: %s %w", parts[2], errDamaged)
		}
		files++
	}
	if files == 0 && lines.Err() == nil {
		return fmt.Errorf("check the demo home: %s %w", Marker, errDamaged)
	}
	return lines.Err()
}
