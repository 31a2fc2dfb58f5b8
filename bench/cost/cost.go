// Package cost runs a command and says what that took: time on the clock, time
// on the processors, memory.
package cost

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// A Sample is what one run took.
type Sample struct {
	Wall, CPU time.Duration
	Peak      int64 // most resident bytes; 0 where the system does not say
}

// Run runs a command, with env added to this process's environment, and waits
// for it. With a nil out its output goes to the null device. An error holds what
// it wrote to standard error.
func Run(ctx context.Context, args, env []string, out io.Writer) (_ Sample, err error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var stderr bytes.Buffer
	cmd.Stderr, cmd.Stdout = &stderr, out
	if len(env) > 0 {
		cmd.Env = append(os.Environ(), env...)
	}
	if out == nil {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return Sample{}, err
		}
		defer func() { err = errors.Join(err, null.Close()) }()
		cmd.Stdout = null
	}
	start := time.Now()
	err = cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return Sample{}, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	state := cmd.ProcessState
	return Sample{Wall: wall, CPU: state.UserTime() + state.SystemTime(), Peak: peak(state)}, nil
}

// Wall is the time on the clock, in nanoseconds.
func Wall(s Sample) int64 { return int64(s.Wall) }

// CPU is the time on all processors, in nanoseconds.
func CPU(s Sample) int64 { return int64(s.CPU) }

// Peak is the most memory, in bytes.
func Peak(s Sample) int64 { return s.Peak }

// Median is the middle of one figure of the samples; 0 when there are none.
func Median(samples []Sample, of func(Sample) int64) int64 {
	values := make([]int64, 0, len(samples))
	for _, s := range samples {
		values = append(values, of(s))
	}
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// Quantile is the value that percent of the list are not above; 0 for an empty
// list.
func Quantile(list []time.Duration, percent int) time.Duration {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min((len(sorted)*percent+99)/100, len(sorted))-1]
}

// Folder adds up the sizes of the files in a folder.
func Folder(dir string) (size int64, files int, err error) {
	err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		size += info.Size()
		files++
		return nil
	})
	return size, files, err
}
