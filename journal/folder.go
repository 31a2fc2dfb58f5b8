package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
// there, and takes the entries of the commits that it replaces out. It returns
// the file, and whether a byte of it changed.
func (f Folder) Put(e *Entry, replaced ...string) (path string, changed bool, err error) {
	path = f.File(e.Commit.Committed)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return path, false, err
	}
	text := string(old)
	if text == "" {
		text = f.front(e.Commit.Committed)
	}
	text, err = place(text, e, f.zone())
	if err != nil {
		return path, false, fmt.Errorf("%s: %w", path, err)
	}
	for _, id := range replaced {
		text = remove(text, id)
	}
	if text == string(old) {
		return path, false, nil
	}
	return path, true, write(path, text)
}

// Drop takes the entry of a commit out of the file of a day. One that is not
// there is no error.
func (f Folder) Drop(day time.Time, commit string) error {
	path := f.File(day)
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if text := remove(string(old), commit); text != string(old) {
		return write(path, text)
	}
	return nil
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

// front is how the file of a day begins.
func (f Folder) front(day time.Time) string {
	day = day.In(f.zone())
	name, _ := day.Zone()
	return fmt.Sprintf("---\ndate: %s\ntimezone: %s\nutcOffset: %q\n---\n\n# Journal of %s\n",
		day.Format("2006-01-02"), zoneName(f.zone(), name), day.Format("-07:00"), day.Format("Monday, January 2, 2006"))
}

// zoneName is the name of a place's clock that does not change with the season,
// where it is known.
func zoneName(zone *time.Location, abbreviation string) string {
	if name := zone.String(); name != "" && name != "Local" {
		return name
	}
	return abbreviation
}

const (
	markBegin = "<!-- entry:%s -->\n"
	markEnd   = "<!-- /entry:%s -->\n"
)

// errMarks says that somebody broke the marks of an entry: what is between them
// cannot be told from what a person wrote.
var errMarks = errors.New("the marks around the entry are damaged: put the line <!-- /entry:… --> back, or remove both")

// span finds the entry of a commit, with its marks.
func span(text, id string) (from, to int, err error) {
	from = strings.Index(text, fmt.Sprintf(markBegin, id))
	if from < 0 {
		return -1, -1, nil
	}
	end := fmt.Sprintf(markEnd, id)
	at := strings.Index(text[from:], strings.TrimSuffix(end, "\n"))
	next := strings.Index(text[from+1:], "<!-- entry:")
	if at < 0 || next >= 0 && next+1 < at {
		return -1, -1, fmt.Errorf("entry %s: %w", id, errMarks)
	}
	to = from + at + len(end) - 1
	if to < len(text) && text[to] == '\n' {
		to++
	}
	return from, to, nil
}

// place puts an entry where it was, else among the others by time.
func place(text string, e *Entry, zone *time.Location) (string, error) {
	id := e.Commit.ID
	block := fmt.Sprintf(markBegin, id) + "<!-- " + e.Commit.Committed.UTC().Format(keyTime) + " -->\n\n" + e.Markdown(zone) + "\n" + fmt.Sprintf(markEnd, id)
	from, to, err := span(text, id)
	if err != nil {
		return "", err
	}
	if from >= 0 {
		return text[:from] + block + text[to:], nil
	}
	at := len(text)
	for _, other := range blocks(text) {
		if other.time > e.Commit.Committed.UTC().Format(keyTime) || other.time == e.Commit.Committed.UTC().Format(keyTime) && other.id > id {
			at = other.from
			break
		}
	}
	before := strings.TrimRight(text[:at], "\n")
	if before != "" {
		before += "\n\n"
	}
	after := text[at:]
	if after != "" {
		after = "\n" + after
	}
	return before + block + after, nil
}

// remove takes an entry out of a text, with the blank line before it.
func remove(text, id string) string {
	from, to, err := span(text, id)
	if err != nil || from < 0 {
		return text
	}
	return strings.TrimRight(text[:from], "\n") + "\n" + text[to:]
}

// A block is an entry in the file of a day.
type block struct {
	id, time string
	from     int
}

// blocks are the entries of a text in their order.
func blocks(text string) (list []block) {
	for at := 0; ; {
		i := strings.Index(text[at:], "<!-- entry:")
		if i < 0 {
			return slices.Clip(list)
		}
		at += i
		line, rest, _ := strings.Cut(text[at:], "\n")
		stamp, _, _ := strings.Cut(rest, "\n")
		id := strings.TrimSuffix(strings.TrimPrefix(line, "<!-- entry:"), " -->")
		list = append(list, block{id: id, time: strings.TrimSuffix(strings.TrimPrefix(stamp, "<!-- "), " -->"), from: at})
		at += len(line)
	}
}
