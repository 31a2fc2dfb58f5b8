package journal

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The marks around an entry in the file of a day, each on a line of its own. The
// line behind the first tells when the commit was made: entries stand in that order.
const (
	markBegin = "<!-- entry:"
	markEnd   = "<!-- /entry:"
	markClose = " -->"
)

// errMarks says that somebody broke the marks of an entry: what is between them
// cannot be told from what a person wrote.
var errMarks = errors.New("the marks around it are damaged")

// A mark is a line that an entry begins or ends with.
type mark struct {
	id       string
	begins   bool
	from, to int    // of the line, its end included
	time     string // of the commit, behind one that begins
}

// marks finds the marks in a text. What an entry quotes never looks like one: see
// contained.
func marks(text string) (list []mark) {
	for at := 0; at < len(text); {
		size := strings.IndexByte(text[at:], '\n') + 1
		if size == 0 {
			size = len(text) - at
		}
		line := strings.TrimRight(text[at:at+size], " \t\r\n")
		m := mark{from: at, to: at + size}
		at += size
		rest, begins := strings.CutPrefix(line, markBegin)
		if !begins {
			var ends bool
			if rest, ends = strings.CutPrefix(line, markEnd); !ends {
				continue
			}
		}
		id, closed := strings.CutSuffix(rest, markClose)
		if !closed || !commitID(id) {
			continue
		}
		m.id, m.begins = id, begins
		if begins {
			stamp, _, _ := strings.Cut(text[m.to:], "\n")
			m.time = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(stamp), "<!-- "), markClose)
		}
		list = append(list, m)
	}
	return list
}

// commitID reports whether a text is a full id.
func commitID(id string) bool {
	return (len(id) == 40 || len(id) == 64) && strings.Trim(id, "0123456789abcdef") == ""
}

// find returns where the entry of a commit stands, with its marks; -1 when it is
// not there. Marks that are not one that begins and, as the next, one that ends are
// an error.
func find(text, id string) (from, to int, err error) {
	list := marks(text)
	begin, n := -1, 0
	for i, m := range list {
		if m.id != id {
			continue
		}
		if n++; m.begins {
			begin = i
		}
	}
	switch {
	case n == 0:
		return -1, -1, nil
	case n != 2 || begin < 0 || begin+1 == len(list) || list[begin+1].id != id || list[begin+1].begins:
		return -1, -1, fmt.Errorf("entry %s: %w", id, errMarks)
	}
	return list[begin].from, list[begin+1].to, nil
}

// place puts an entry where it was, else among the others by time.
func place(text string, e *Entry, zone *time.Location) (string, error) {
	id, stamp := e.Commit.ID, e.Commit.Committed.UTC().Format(keyTime)
	block := markBegin + id + markClose + "\n<!-- " + stamp + markClose + "\n\n" + e.Markdown(zone) + "\n" + markEnd + id + markClose + "\n"
	from, to, err := find(text, id)
	if err != nil {
		return "", err
	}
	if from >= 0 {
		return text[:from] + block + text[to:], nil
	}
	at := len(text)
	for _, m := range marks(text) {
		if m.begins && (m.time > stamp || m.time == stamp && m.id > id) {
			at = m.from
			break
		}
	}
	before, after := text[:at], text[at:]
	switch {
	case before == "" || strings.HasSuffix(before, "\n\n"):
	case strings.HasSuffix(before, "\n"):
		before += "\n"
	default:
		before += "\n\n"
	}
	if after != "" && after[0] != '\n' {
		after = "\n" + after
	}
	return before + block + after, nil
}

// remove takes an entry out of a text, with the blank line before it.
func remove(text, id string) (string, error) {
	from, to, err := find(text, id)
	if err != nil || from < 0 {
		return text, err
	}
	before, after := text[:from], text[to:]
	if strings.HasSuffix(before, "\n\n") && (after == "" || after[0] == '\n') {
		before = before[:len(before)-1]
	}
	return before + after, nil
}
