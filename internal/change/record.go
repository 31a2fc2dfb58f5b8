package change

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/atomicfile"
)

// A record is a folder with all that is needed to undo or finish a change:
//
//	plan     one JSON document per line: the title, then every step
//	values   the long values of the steps, one behind the other
//	journal  one JSON document per line: how far the change has come
//	stamps   how the files that were restored looked when it was done, if there are any
type record struct {
	id      string
	dir     string
	head    head
	steps   []step
	entries []entry
	spool   *spool
	broken  error // why its head cannot be read
}

type head struct {
	Version     int       `json:"version"`
	Title       string    `json:"title"`
	CreatedAt   time.Time `json:"createdAt"`
	Fingerprint string    `json:"fingerprint"`
	Undoes      string    `json:"undoes,omitempty"`
	Makes       []string  `json:"makes,omitempty"`  // sessions, see Plan.Makes
	Spared      []string  `json:"spared,omitempty"` // of an undo: sessions that it left, by all their ids
	Steps       int       `json:"steps"`
}

const recordVersion = 1

// idTime is how the id of a record begins.
const idTime = "20060102-150405"

// An entry is one line of a journal.
type entry struct {
	At    time.Time         `json:"at"`
	Event string            `json:"event"`
	Path  string            `json:"path,omitempty"`
	Made  map[string][]byte `json:"made,omitempty"` // hashes of the files that were made, as they are at the end
	Logs  map[string]string `json:"logs,omitempty"` // how the logs beside them look, of those that have one (see hotStamp)
	Left  []string          `json:"left,omitempty"` // what was not taken back, and why
}

// Events of a journal.
const (
	eventBegin  = "begin"
	eventCommit = "commit" // of the database Path
	eventFile   = "file"
	eventDone   = "done"
	eventBack   = "rolled back"
	eventFailed = "failed" // somebody was told so: what is there has to be taken back
)

// newRecord writes a plan down for good. It is complete when it has its name.
func (d *Desk) newRecord(p *Plan) (*record, error) {
	root := d.root()
	now := d.now().UTC()
	print := p.Fingerprint()
	h := head{Version: recordVersion, Title: p.Title, CreatedAt: now, Fingerprint: print, Undoes: p.undoes, Makes: p.makes, Spared: slices.Sorted(maps.Keys(p.spare)), Steps: len(p.steps)}
	temp, err := os.MkdirTemp(root, ".making-*")
	if err != nil {
		return nil, fmt.Errorf("keep what is needed to undo: %w", err)
	}
	err = d.fill(temp, h, p)
	id := ""
	if err == nil {
		id, err = d.nameRecord(temp, now, print)
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("keep what is needed to undo: %w", err), os.RemoveAll(temp))
		return nil, errors.Join(err, d.drop(id))
	}
	r, err := d.openRecord(id)
	if err != nil {
		return nil, errors.Join(err, d.drop(id))
	}
	return r, nil
}

// drop removes a record of which nothing was carried out yet: left behind, the
// next run would finish what this one said had failed.
func (d *Desk) drop(id string) error {
	if id == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(d.root(), id))
}

// nameRecord gives a record an id that nobody has: its time and its fingerprint.
func (d *Desk) nameRecord(temp string, now time.Time, print string) (string, error) {
	base := now.Format(idTime) + "-" + print[:4]
	for n := 1; ; n++ {
		id := base
		if n > 1 {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		there, err := exists(filepath.Join(d.root(), id))
		if err != nil {
			return "", err
		}
		if there {
			continue
		}
		if err := d.at("name record"); err != nil {
			return "", err
		}
		return id, errors.Join(os.Rename(temp, filepath.Join(d.root(), id)), atomicfile.Flush(d.root()))
	}
}

func (d *Desk) fill(dir string, h head, p *Plan) error {
	lines := func(w io.Writer) error {
		e := json.NewEncoder(w)
		if err := e.Encode(h); err != nil {
			return err
		}
		for i := range p.steps {
			if err := e.Encode(&p.steps[i]); err != nil {
				return err
			}
		}
		return nil
	}
	values := func(w io.Writer) error {
		_, err := io.Copy(w, p.spool.reader())
		return err
	}
	begin := func(w io.Writer) error { return json.NewEncoder(w).Encode(entry{At: h.CreatedAt, Event: eventBegin}) }
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{{"values", values}, {"plan", lines}, {"journal", begin}} {
		if err := d.at("write " + f.name); err != nil {
			return err
		}
		if err := writeFlushed(filepath.Join(dir, f.name), f.write); err != nil {
			return err
		}
	}
	return atomicfile.Flush(dir)
}

func writeFlushed(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 256<<10)
	err = write(w)
	if err == nil {
		err = errors.Join(w.Flush(), f.Sync())
	}
	return errors.Join(err, f.Close())
}

// note adds a line to the journal and flushes it.
func (d *Desk) note(r *record, e entry) error {
	e.At = d.now().UTC()
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := d.at("journal " + e.Event); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(r.dir, "journal"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep the journal: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("keep the journal: %w", err)
	}
	r.entries = append(r.entries, e)
	return nil
}

// openRecord reads a record; its values stay on disk. Close its spool.
func (d *Desk) openRecord(id string) (*record, error) {
	r, err := d.readHead(id)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(r.dir, "plan"))
	if err != nil {
		return nil, damaged(r.dir, err)
	}
	dec := json.NewDecoder(bufio.NewReaderSize(f, 256<<10))
	var h head
	err = dec.Decode(&h)
	for err == nil && len(r.steps) < h.Steps {
		var s step
		if err = dec.Decode(&s); err == nil {
			r.steps = append(r.steps, s)
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, damaged(r.dir, err)
	}
	if r.spool, err = openSpool(filepath.Join(r.dir, "values")); err != nil {
		return nil, damaged(r.dir, err)
	}
	return r, nil
}

// readHead reads all of a record but its steps.
func (d *Desk) readHead(id string) (*record, error) {
	r := &record{id: id, dir: filepath.Join(d.root(), id)}
	f, err := os.Open(filepath.Join(r.dir, "plan"))
	if errors.Is(err, fs.ErrNotExist) {
		if there, look := exists(r.dir); look != nil || !there {
			return nil, errors.Join(noChange(id), look)
		}
	}
	if err != nil {
		return nil, damaged(r.dir, err)
	}
	line, err := bufio.NewReader(f).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &r.head)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, damaged(r.dir, err)
	}
	if r.head.Version != recordVersion {
		return nil, damaged(r.dir, fmt.Errorf("it has version %d, this retold knows %d", r.head.Version, recordVersion))
	}
	if err := r.readJournal(); err != nil {
		return nil, damaged(r.dir, err)
	}
	return r, nil
}

func (r *record) readJournal() error {
	journal, err := os.ReadFile(filepath.Join(r.dir, "journal"))
	if err != nil {
		return err
	}
	for line := range bytes.Lines(journal) {
		var e entry
		if json.Unmarshal(line, &e) != nil { // cut short by a crash: what it told did not count yet
			continue
		}
		r.entries = append(r.entries, e)
	}
	return nil
}

func noChange(id string) error {
	return &retold.Error{Code: retold.CodeChangeNotFound, Err: fmt.Errorf("no change %q", id), Hint: "see `retold undo --list` for what there is"}
}

// brokenRecord is what can be said of a record whose head cannot be read: its id
// tells when it was made, and its journal whether its change came to an end.
func (d *Desk) brokenRecord(id string, why error) *record {
	r := &record{id: id, dir: filepath.Join(d.root(), id), broken: why}
	if len(id) >= len(idTime) {
		if at, err := time.Parse(idTime, id[:len(idTime)]); err == nil {
			r.head.CreatedAt = at
		}
	}
	_ = r.readJournal() // without one it counts as begun
	return r
}

func damaged(path string, err error) error {
	return &retold.Error{Code: retold.CodeDatabaseCorrupt, Op: "read the record of a change", Path: path, Err: err, Hint: "its change can no longer be undone; retold undo --forget " + filepath.Base(path) + " removes the record"}
}

// state is the last that the journal says: eventBegin while a change is under
// way, or was when its process ended.
func (r *record) state() string {
	state := eventBegin
	for _, e := range r.entries {
		if e.Event == eventDone || e.Event == eventBack {
			state = e.Event
		}
	}
	return state
}

// failed reports whether a change that is unsettled ended with an error.
func (r *record) failed() bool {
	return slices.ContainsFunc(r.entries, func(e entry) bool { return e.Event == eventFailed })
}

// records are all records, oldest first; those that cannot be read are broken.
func (d *Desk) records() ([]*record, error) {
	entries, err := os.ReadDir(d.root())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	var list []*record
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		r, err := d.readHead(e.Name())
		switch {
		case retold.CodeOf(err) == retold.CodeDatabaseCorrupt:
			r = d.brokenRecord(e.Name(), err)
		case err != nil:
			return nil, err
		}
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b *record) int { return a.head.CreatedAt.Compare(b.head.CreatedAt) })
	return list, nil
}
