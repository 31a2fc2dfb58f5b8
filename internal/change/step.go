package change

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/retold-history/retold"
)

// A step is a retold.Step whose values are kept in the plan's spool.
type step struct {
	Session string    `json:"session,omitempty"`
	Row     *rowStep  `json:"row,omitempty"`
	File    *fileStep `json:"file,omitempty"`
}

type rowStep struct {
	Database string `json:"database"`
	Table    string `json:"table"`
	Key      []cell `json:"key"`
	Before   *row   `json:"before,omitempty"`
	After    *row   `json:"after,omitempty"`
}

type row struct {
	Rowid int64  `json:"rowid,omitempty"`
	Cells []cell `json:"cells"`
}

type cell struct {
	Column string `json:"column"`
	Value  value  `json:"value"`
}

// What is done to a file.
const (
	opMake    = "make" // a file or a folder
	opCopy    = "copy"
	opReplace = "replace"
	opRemove  = "remove"
	opRename  = "rename"
	opSwap    = "swap" // a file for one that lies elsewhere
)

type fileStep struct {
	Op     string `json:"op"`
	Path   string `json:"path"`
	From   string `json:"from,omitempty"`
	Aside  string `json:"aside,omitempty"` // of a swap: where the file goes that Path had
	Before *file  `json:"before,omitempty"`
	After  *file  `json:"after,omitempty"`
	// Vessel: other steps write into it (rows into a database, files into a
	// folder), or somebody may come to use it. Being there is all that is asked of
	// it, and taking it back leaves it where it is when it is no longer as it was
	// made.
	Vessel bool   `json:"vessel,omitempty"`
	Made   []byte `json:"made,omitempty"` // hash of a vessel when the change was done
	Log    string `json:"log,omitempty"`  // how the log beside it looked then, see hotStamp
	Used   bool   `json:"used,omitempty"` // it had another one when it was to be removed: it stays
	// Restored is of a rename and of a swap as in retold.FileChange; Stamp says how
	// the file looked that is to be taken back, when the change was done (see stamp).
	Restored bool   `json:"restored,omitempty"`
	Stamp    string `json:"stamp,omitempty"`
}

type file struct {
	Dir  bool      `json:"dir,omitempty"`
	Mode uint32    `json:"mode"`
	Time time.Time `json:"time,omitzero"`
	Data value     `json:"data,omitzero"` // of a copy: its size and hash alone
}

// add takes a step down.
func (p *Plan) add(s retold.Step) error {
	if s.Session != "" && !slices.Contains(p.sessions, s.Session) {
		p.sessions = append(p.sessions, s.Session)
	}
	switch {
	case s.Row == nil && s.File == nil && s.Session != "":
	case s.Row != nil && s.File == nil:
		r, err := p.keepRow(s.Row)
		if err != nil || r == nil {
			return err
		}
		p.steps = append(p.steps, step{Session: s.Session, Row: r})
	case s.File != nil && s.Row == nil:
		f, err := p.keepFile(s.File)
		if err != nil || f == nil {
			return err
		}
		p.steps = append(p.steps, step{Session: s.Session, File: f})
	default:
		return errors.New("a step is about one row or one file")
	}
	return nil
}

// keepRow returns nothing for a change that changes nothing.
func (p *Plan) keepRow(r *retold.RowChange) (*rowStep, error) {
	if r.Before == nil && r.After == nil || len(r.Key) == 0 {
		return nil, fmt.Errorf("a step on %s names no row", r.Table)
	}
	out := &rowStep{Database: r.Database, Table: r.Table}
	for _, c := range r.Key { // always at hand: rows are found and named by it
		v := value{Class: c.Value.Class, Int: c.Value.Int, Float: c.Value.Float, Bytes: bytes.Clone(c.Value.Bytes), Size: int64(len(c.Value.Bytes))}
		out.Key = append(out.Key, cell{c.Column, v})
	}
	if r.Before != nil && r.After != nil && sameRow(r.Before, r.After) {
		return nil, nil
	}
	for _, side := range []struct {
		from *retold.Row
		to   **row
	}{{r.Before, &out.Before}, {r.After, &out.After}} {
		if side.from == nil {
			continue
		}
		cells, err := p.keepCells(side.from.Cells)
		if err != nil {
			return nil, err
		}
		*side.to = &row{Rowid: side.from.Rowid, Cells: cells}
	}
	return out, nil
}

func sameRow(a, b *retold.Row) bool {
	return slices.EqualFunc(a.Cells, b.Cells, func(x, y retold.Cell) bool {
		return x.Column == y.Column && x.Value.Class == y.Value.Class && x.Value.Int == y.Value.Int &&
			x.Value.Float == y.Value.Float && string(x.Value.Bytes) == string(y.Value.Bytes)
	})
}

func (p *Plan) keepCells(cells []retold.Cell) ([]cell, error) {
	out := make([]cell, len(cells))
	for i, c := range cells {
		v, err := p.spool.put(c.Value)
		if err != nil {
			return nil, err
		}
		out[i] = cell{c.Column, v}
	}
	return out, nil
}

func (p *Plan) keepFile(f *retold.FileChange) (*fileStep, error) {
	out := &fileStep{Path: f.Path, From: f.From, Aside: f.Aside, Restored: f.Restored && f.Rename}
	var err error
	if out.Before, err = p.keepContent(f.Before); err != nil {
		return nil, err
	}
	if out.After, err = p.keepContent(f.After); err != nil {
		return nil, err
	}
	switch {
	case f.Rename && f.From != "" && f.Aside != "":
		out.Op = opSwap
		info, err := os.Lstat(f.From)
		if err != nil {
			return nil, fmt.Errorf("plan to swap: %w", err)
		}
		out.Before = &file{Mode: uint32(info.Mode().Perm())}
		out.After = out.Before
	case f.Rename && f.From != "" && f.From != f.Path:
		out.Op = opRename
		info, err := os.Lstat(f.From)
		if err != nil {
			return nil, fmt.Errorf("plan to rename: %w", err)
		}
		out.Before = &file{Dir: info.IsDir(), Mode: uint32(info.Mode().Perm())}
		out.After = out.Before
	case f.From != "" && f.After != nil && f.Before == nil:
		out.Op, out.Vessel = opCopy, true
		if out.After.Data, err = sumFile(f.From); err != nil {
			return nil, fmt.Errorf("plan to copy: %w", err)
		}
	case f.Before == nil && f.After != nil:
		out.Op, out.Vessel = opMake, true
	case f.Before != nil && f.After != nil && !f.Before.Dir && !f.After.Dir:
		out.Op = opReplace
		if out.Before.Mode == out.After.Mode && out.Before.Data.same(&out.After.Data) {
			return nil, nil
		}
	case f.Before != nil && f.After == nil:
		out.Op = opRemove
	default:
		return nil, fmt.Errorf("a step on %s does nothing that is known", f.Path)
	}
	return out, nil
}

func (p *Plan) keepContent(f *retold.File) (*file, error) {
	if f == nil {
		return nil, nil
	}
	v, err := p.spool.put(retold.Value{Class: retold.ClassBlob, Bytes: f.Data})
	return &file{Dir: f.Dir, Mode: uint32(f.Mode & fs.ModePerm), Time: f.ModTime, Data: v}, err
}

// eachValue calls fn for every value and puts what it returns in its place,
// without changing the step that s was copied from.
func (s *step) eachValue(fn func(*value) *value) {
	cells := func(old []cell) []cell {
		out := slices.Clone(old)
		for i := range out {
			out[i].Value = *fn(&out[i].Value)
		}
		return out
	}
	if s.Row != nil {
		r := *s.Row
		r.Key = cells(r.Key)
		for _, side := range []**row{&r.Before, &r.After} {
			if *side != nil {
				*side = &row{Rowid: (*side).Rowid, Cells: cells((*side).Cells)}
			}
		}
		s.Row = &r
	}
	if s.File != nil {
		f := *s.File
		for _, side := range []**file{&f.Before, &f.After} {
			if *side != nil {
				c := **side
				c.Data = *fn(&c.Data)
				*side = &c
			}
		}
		s.File = &f
	}
}

// reverse is the step that takes s back.
func (s step) reverse() step {
	if s.Row != nil {
		r := *s.Row
		r.Before, r.After = r.After, r.Before
		return step{Session: s.Session, Row: &r}
	}
	f := *s.File
	f.Before, f.After, f.Used = f.After, f.Before, false
	switch f.Op {
	case opMake, opCopy:
		f.Op = opRemove
	case opRemove:
		f.Op = opMake
		if f.From != "" {
			f.Op = opCopy
		}
	case opRename:
		f.Path, f.From = f.From, f.Path
	case opSwap:
		f.From, f.Aside = f.Aside, f.From
	}
	return step{Session: s.Session, File: &f}
}

// reversed are the steps that take these back. Databases keep their order, the
// one that serves the whole installation first.
func reversed(steps []step) []step {
	var rows, files []step
	byDatabase := map[string][]step{}
	var order []string
	for _, forward := range slices.Backward(steps) {
		s := forward.reverse()
		if s.Row != nil {
			byDatabase[s.Row.Database] = append(byDatabase[s.Row.Database], s)
		} else {
			files = append(files, s)
		}
	}
	for _, s := range steps {
		if s.Row != nil && byDatabase[s.Row.Database] != nil && !slices.Contains(order, s.Row.Database) {
			order = append(order, s.Row.Database)
		}
	}
	for _, name := range order {
		rows = append(rows, byDatabase[name]...)
	}
	return append(rows, files...)
}
