package journal_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// text is a file as it lies there, "" when it does not.
func (st *stage) text(path string) string {
	data, err := os.ReadFile(filepath.Join(st.here.dir, path))
	if err != nil {
		return ""
	}
	return string(data)
}

// store writes a file, with the line ends it had.
func (st *stage) store(path, text string) error {
	full := filepath.Join(st.here.dir, path)
	if strings.Contains(st.text(path), "\r\n") && !strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return os.WriteFile(full, []byte(text), 0o644)
}

// save writes a whole file and says who did.
func (st *stage) save(path, text, who string) error {
	st.here.ledger.put(path, strings.ReplaceAll(text, "\\r\n", "\n"), who)
	return st.store(path, strings.ReplaceAll(text, "\\r\n", "\r\n"))
}

func (st *stage) linesText(path string) string {
	var b strings.Builder
	for _, w := range st.here.ledger.files[path] {
		b.WriteString(w.text + "\n")
	}
	return b.String()
}

// tidy removes or renames a file.
func (st *stage) tidy(c cue) error {
	who, path := c.args[0], c.args[1]
	l := st.here.ledger
	if c.verb == "mv" {
		to := c.args[2]
		l.files[to] = l.files[path]
		delete(l.files, path)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(st.here.dir, to)), 0o755); err != nil {
			return err
		}
		if _, err := st.run("git", "mv", path, to); err != nil {
			return err
		}
		if who != "me" {
			return st.tell(who, said{kind: "shell", command: "git mv " + path + " " + to})
		}
		return nil
	}
	before := st.text(path)
	delete(l.files, path)
	if err := os.Remove(filepath.Join(st.here.dir, path)); err != nil {
		return err
	}
	if who == "me" {
		return nil
	}
	return st.tell(who, said{kind: "delete", path: path, before: before})
}

// change is an edit by a person ("me") or in a conversation.
func (st *stage) change(c cue) error {
	who, path := c.args[0], c.args[1]
	talk := st.talks[who]
	if who != "me" && talk == nil {
		return fmt.Errorf("no session %s", who)
	}
	writer := who
	if talk != nil {
		writer = talk.turn()
	}
	if c.attr["unsaid"] != "" {
		writer = ""
	}
	e := said{kind: "edit", path: path, before: st.text(path), tool: c.attr["tool"], store: c.attr["store"], status: c.attr["status"]}
	l := st.here.ledger
	undone := e.status != ""
	if c.verb == "write" {
		e.kind, e.after = "write", strings.ReplaceAll(c.body, "\\r\n", "\r\n")
		if undone {
			return st.tell(who, e)
		}
		if err := st.save(path, c.body, writer); err != nil {
			return err
		}
		if talk == nil {
			return nil
		}
		e.after = st.text(path)
		return st.tell(who, e)
	}
	hunks, err := hunksOf(c.body)
	if err != nil {
		return err
	}
	e.hunks = hunks
	if undone { // the file stays; what was meant is only said
		return st.tell(who, e)
	}
	if err := l.edit(path, hunks, writer, c.attr["keep"] != ""); err != nil {
		return err
	}
	if err := st.store(path, st.linesText(path)); err != nil {
		return err
	}
	if talk == nil {
		return nil
	}
	e.after = st.text(path)
	return st.tell(who, e)
}

// stageFile puts a text of a file into the index and leaves the file as it is.
func (st *stage) stageFile(c cue) error {
	path := c.args[0]
	was := st.text(path)
	if err := st.store(path, c.body); err != nil {
		return err
	}
	if _, err := st.run("git", "add", "--", path); err != nil {
		return err
	}
	return st.store(path, was)
}

// sync learns what a command changed in the files. Lines that nobody wrote
// before are by's.
func (st *stage) sync(by string) error {
	if t := st.talks[by]; t != nil {
		by = t.turn()
	}
	p := st.here
	seen := map[string]bool{}
	err := filepath.WalkDir(p.dir, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			if _, err := os.Lstat(filepath.Join(full, ".git")); full != p.dir && err == nil {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(p.dir, full)
		if err != nil {
			return err
		}
		seen[rel] = true
		data, err := os.ReadFile(full)
		if err != nil || !utf8.Valid(data) {
			return err
		}
		if lines := textLines(string(data)); !sameLines(p.ledger.files[rel], lines) {
			p.ledger.learn(rel, string(data), by)
		}
		return nil
	})
	for path := range p.ledger.files {
		if !seen[path] {
			delete(p.ledger.files, path)
		}
	}
	return err
}

// learn is put for a text that came by a command: what was known stays whose it
// was, the rest is by's.
func (l *ledger) learn(path, text, by string) {
	lines := l.match(l.files[path], textLines(text), "")
	for i := range lines {
		if lines[i].who == "" && by != "" && len(l.exact[lines[i].text]) == 0 {
			lines[i].who = by
			l.note(lines[i].text, by)
		}
	}
	l.files[path] = lines
}

func sameLines(old []written, lines []string) bool {
	if len(old) != len(lines) {
		return false
	}
	for i := range old {
		if old[i].text != lines[i] {
			return false
		}
	}
	return true
}

// mark checks the ledger against a listing of writers.
func (st *stage) mark(c cue) error {
	var want []written
	for _, line := range textLines(c.body) {
		who, text, ok := strings.Cut(line, "|")
		if !ok {
			return errors.New("a line of lines has no |")
		}
		want = append(want, written{text, strings.TrimSpace(who)})
	}
	have := st.here.ledger.files[c.args[0]]
	if len(have) != len(want) {
		return fmt.Errorf("%d lines, not %d:\n%s", len(have), len(want), renderWritten(have))
	}
	for i, w := range want {
		if w.text != have[i].text || w.who != "?" && w.who != have[i].who {
			return fmt.Errorf("line %d is %s|%s, not %s|%s", i+1, have[i].who, have[i].text, w.who, w.text)
		}
	}
	return nil
}

func isoTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
