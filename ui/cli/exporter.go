package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
)

// An exporter writes sessions one at a time, so that memory follows the longest
// of them.
type exporter struct {
	*app
	format  export.Format
	options export.Options
	force   bool
	total   int // about how many sessions; 0 when unknown
	done    int
	failed  int // sessions that could not be read
	last    error

	unlisted []retold.Problem // what hid sessions from the list
}

type sessions = iter.Seq2[*retold.SessionDetail, error]

// read passes on the sessions that can be read; the others are counted, told
// and left out. Only what ends everything is returned.
func (e *exporter) read(from sessions, write func(*retold.SessionDetail) error) error {
	for d, err := range from {
		e.done++
		e.progress(fmt.Sprintf("export %d/%d", e.done, max(e.total, e.done)))
		switch {
		case errors.Is(err, context.Canceled):
			return err
		case err != nil:
			e.progress("")
			e.failed++
			e.problems++
			e.last = err
			e.note("left out: %v", err)
			continue
		}
		e.problems += d.Problems
		if err := write(d); err != nil {
			return err
		}
	}
	if e.failed > 0 && e.failed == e.done {
		return e.last // nothing could be read at all
	}
	return nil
}

// stream writes all sessions into w; one alone is not wrapped in a list.
func (e *exporter) stream(w io.Writer, from sessions, alone bool) error {
	if alone {
		return e.read(from, func(d *retold.SessionDetail) error { return export.Session(w, e.format, d, e.options) })
	}
	out := export.NewWriter(w, e.format, e.options)
	if err := e.read(from, out.Add); err != nil {
		return err
	}
	return out.Close()
}

func (e *exporter) file(path string, from sessions, alone bool) error {
	status, err := writeFile(path, e.force, func(w io.Writer) error { return e.stream(w, from, alone) })
	if err != nil {
		return err
	}
	if e.json {
		return e.result([]written{{Path: path, Status: status}})
	}
	e.progress("")
	e.note("%s %s", status, path)
	return nil
}

// written is one line of the result of an export to files.
type written struct {
	SessionID *string    `json:"sessionId"` // null when the file holds several
	Path      string     `json:"path"`
	Status    fileStatus `json:"status"`
}

// result prints what became of the files.
func (e *exporter) result(files []written) error {
	e.veil.problems(e.unlisted)
	return e.printJSON(struct {
		Files    []written        `json:"files"`
		Problems []retold.Problem `json:"problems,omitempty"`
	}{files, e.unlisted})
}

// folder writes one file for each session.
func (e *exporter) folder(dir string, from sessions) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	files := []written{}
	counts := map[fileStatus]int{}
	taken := map[string]bool{}
	err := e.read(from, func(d *retold.SessionDetail) error {
		path := filepath.Join(dir, free(taken, export.FileName(d.Session, e.format)))
		status, err := writeFile(path, e.force, func(w io.Writer) error { return export.Session(w, e.format, d, e.options) })
		if err != nil && !errors.Is(err, errKept) {
			return err
		}
		if status == fileKept {
			e.progress("")
			e.note("kept %s", path)
		}
		counts[status]++
		files = append(files, written{&d.ID, path, status})
		return nil
	})
	if err != nil {
		return err
	}
	e.progress("")
	if e.json {
		if err := e.result(files); err != nil {
			return err
		}
	}
	summary := []string{counted(counts[fileWritten], "file") + " written"}
	for _, status := range []fileStatus{fileReplaced, fileUnchanged, fileKept} {
		if counts[status] > 0 {
			summary = append(summary, fmt.Sprintf("%d %s", counts[status], status))
		}
	}
	e.note("%s in %s", strings.Join(summary, ", "), dir)
	if n := counts[fileKept]; n > 0 {
		return kept(counted(n, "file"))
	}
	return nil
}

func kept(what string) error {
	return &retold.Error{Code: retold.CodeUsage, Op: "write", Path: what, Err: errKept, Hint: "replace with --force, or write somewhere else"}
}

// free returns name, or name with a number before its ending when a file system
// that ignores letter case would take it for one already written.
func free(taken map[string]bool, name string) string {
	ending := filepath.Ext(name)
	for n, candidate := 2, name; ; n++ {
		if key := strings.ToLower(candidate); !taken[key] {
			taken[key] = true
			return candidate
		}
		candidate = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ending), n, ending)
	}
}
