package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/atomicfile"
)

// A Folder is where entries lie as Markdown: one file for each day,
// YYYY/MM/YYYY-MM-DD.md, with front matter and each entry between marks. What is
// written outside the marks stays. Who writes holds the journal's lock.
type Folder struct {
	Path string
	Zone *time.Location // whose days these are; nil: the system's
}

func (f Folder) zone() *time.Location {
	if f.Zone == nil {
		return time.Local
	}
	return f.Zone
}

// File is the file of a day.
func (f Folder) File(day time.Time) string {
	day = day.In(f.zone())
	return filepath.Join(f.Path, day.Format("2006"), day.Format("01"), day.Format("2006-01-02")+".md")
}

// Put writes an entry into the file of its day, in the place of the one that is
// there. It returns the file, and whether a byte of it changed. Marks that somebody
// broke are an error that names the file, and nothing is written.
func (f Folder) Put(e *Entry) (path string, changed bool, err error) {
	day := e.Commit.Committed
	path = f.File(day)
	old, err := f.read(path)
	if err != nil {
		return path, false, err
	}
	text, ends := unixEnds(old)
	if text == "" {
		text = f.front(day)
	}
	if text, err = place(text, e, f.zone()); err != nil {
		return path, false, damaged(path, err)
	}
	// By another clock it was another day.
	for _, other := range []time.Time{day.AddDate(0, 0, -1), day.AddDate(0, 0, 1)} {
		moved, err := f.drop(other, e.Commit.ID)
		if err != nil {
			return path, false, err
		}
		changed = changed || moved
	}
	if text = ends(text); text == old {
		return path, changed, nil
	}
	return path, true, write(path, text)
}

// Drop takes the entry of a commit out of the file of a day. One that is not
// there is no error, broken marks are.
func (f Folder) Drop(day time.Time, commit string) error {
	_, err := f.drop(day, commit)
	return err
}

func (f Folder) drop(day time.Time, commit string) (changed bool, err error) {
	path := f.File(day)
	old, err := f.read(path)
	if err != nil || old == "" {
		return false, err
	}
	was, ends := unixEnds(old)
	text, err := remove(was, commit)
	switch {
	case err != nil:
		return false, damaged(path, err)
	case text == was:
		return false, nil
	case untouched(text):
		return true, os.Remove(path)
	}
	return true, write(path, ends(text))
}

// unixEnds is a text whose lines all end with CR and LF with LF alone, and what
// brings those ends back; any other text is left as it is.
func unixEnds(text string) (even string, ends func(string) string) {
	n := strings.Count(text, "\r\n")
	if n == 0 || n != strings.Count(text, "\n") {
		return text, func(s string) string { return s }
	}
	return strings.ReplaceAll(text, "\r\n", "\n"), func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
}

// errLink says that the file of a day is a link to something else.
var errLink = errors.New("it is a link that leads elsewhere")

// read returns the file of a day; "" when there is none. A link is followed only to
// a file of the same name in the journal's folder.
func (f Folder) read(path string) (string, error) {
	if err := f.leadsOut(path); err != nil {
		return "", &retold.Error{Op: "write journal", Path: path, Hint: "move the link away, or put the file itself in its place", Err: err}
	}
	return readDay(path)
}

func (f Folder) leadsOut(path string) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return errLink
	}
	if err != nil {
		return err
	}
	top, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return err
	}
	if _, in := below(slashed(real), slashed(top), false); !in || filepath.Base(real) != filepath.Base(path) {
		return errLink
	}
	return nil
}

// ofOneDay reports whether an error is about the file of one day, and those of
// others may be written.
func ofOneDay(err error) bool { return errors.Is(err, errMarks) || errors.Is(err, errLink) }

func readDay(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// damaged is the error of a file with broken marks.
func damaged(path string, err error) error {
	return &retold.Error{Op: "write journal", Path: path, Hint: "put the lines <!-- entry:… --> and <!-- /entry:… --> of it back, or remove both", Err: err}
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a journal that somebody linked in stays linked
	}
	return atomicfile.Replace(path, []byte(text), mode)
}

// front is how the file of a day begins. A day on which the clock is changed names
// both of its offsets.
func (f Folder) front(at time.Time) string {
	y, m, d := at.In(f.zone()).Date()
	day, last := time.Date(y, m, d, 0, 0, 0, 0, f.zone()), time.Date(y, m, d+1, 0, 0, 0, 0, f.zone()).Add(-time.Second)
	offset := day.Format("-07:00")
	if later := last.Format("-07:00"); later != offset {
		offset += ", later " + later
	}
	return fmt.Sprintf("---\ndate: %s\ntimezone: %q\nutcOffset: %q\n---\n\n# Journal of %s\n",
		day.Format("2006-01-02"), zoneName(f.zone(), day), offset, day.Format("Monday, January 2, 2006"))
}

// untouched reports whether a file holds only what front wrote.
func untouched(text string) bool {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) != 7 {
		return false
	}
	for i, begins := range []string{"---", "date: ", "timezone: ", "utcOffset: ", "---", "", "# Journal of "} {
		if !strings.HasPrefix(lines[i], begins) {
			return false
		}
	}
	return true
}
