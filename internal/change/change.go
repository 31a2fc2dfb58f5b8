// Package change carries out planned changes to files that belong to another
// program, so that they can be undone to the byte and so that a crash at any
// moment leaves what the next run can finish or take back.
//
// A [Plan] is drafted from steps (rows of SQLite databases, files, folders) that
// somebody made by reading alone. Every step says what is there before and what
// is to be there after; the hash over all of that is the plan's fingerprint.
// [Desk.Apply] then
//
//   - looks whether anything speaks against it: the program runs, a file is
//     locked, read-only or of an unknown schema, the disk is full, one single
//     row is not what the plan says. All databases are held by BEGIN IMMEDIATE
//     while it looks, so nothing can change between the look and the writing;
//   - writes the undo record (the plan with every value before and after) and
//     flushes it;
//   - makes new files, writes the rows, commits database by database in the
//     plan's order, then replaces, renames and removes files.
//
// Two databases cannot be committed as one. What a crash leaves is old or new for
// each database and each file; the record says what both look like, so
// [Desk.Settle] sees which is which and makes all of it new or all of it old.
package change

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"iter"

	"github.com/retold-history/retold"
)

// A Plan is steps to take, in order, and what they do. Close it.
type Plan struct {
	Title  string
	undoes string // record whose plan this one reverses
	steps  []step
	spool  *spool

	overwrite bool // of an undo: see Overwrite

	makes []string        // see Makes
	spare map[string]bool // of an undo: sessions that stay as they are, see Desk.Skip

	sessions []string
}

// Draft takes a plan down. Large values go to a file below dir; "" is the
// system's folder for temporary files. Steps that change nothing are left out.
func Draft(ctx context.Context, dir, title string, steps iter.Seq2[retold.Step, error]) (*Plan, error) {
	p := &Plan{Title: title, spool: newSpool(dir)}
	for s, err := range steps {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = p.add(s)
		}
		if err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	return p, ctx.Err()
}

// Close removes what the plan keeps on disk.
func (p *Plan) Close() error { return p.spool.close() }

// Sessions are the ids that steps are about, in the order of the steps.
func (p *Plan) Sessions() []string { return p.sessions }

// Undoes is the id of the change that the plan takes back; "" when it is none.
func (p *Plan) Undoes() string { return p.undoes }

// Makes tells the plan that it makes these sessions of what is kept elsewhere: taken
// back, nothing is lost with them.
func (p *Plan) Makes(ids []string) { p.makes = ids }

// Touched are the sessions whose rows or files the plan changes.
func (p *Plan) Touched() []string {
	var ids []string
	seen := map[string]bool{}
	for i := range p.steps {
		if id := p.steps[i].Session; id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// Len is the number of steps.
func (p *Plan) Len() int { return len(p.steps) }

// Fingerprint is a hash over all that the plan expects to find and means to
// leave, in hexadecimal.
func (p *Plan) Fingerprint() string {
	sum := sha256.New()
	for i := range p.steps {
		writeStep(sum, p.steps[i])
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

func writeStep(sum hash.Hash, s step) {
	s.eachValue(func(v *value) *value {
		bare := *v
		bare.At = 0 // where it is kept is no part of what is meant
		return &bare
	})
	line, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings, numbers and slices of them cannot fail
	}
	_, _ = sum.Write(line) // a hash takes everything
}

// databases are the files that steps write rows into, in the order of the first
// step of each.
func (p *Plan) databases() []string {
	var list []string
	seen := map[string]bool{}
	for i := range p.steps {
		if r := p.steps[i].Row; r != nil && !seen[r.Database] {
			seen[r.Database] = true
			list = append(list, r.Database)
		}
	}
	return list
}

// Files are all files and folders that the plan touches.
func (p *Plan) Files() []string {
	list := p.databases()
	seen := map[string]bool{}
	for _, name := range list {
		seen[name] = true
	}
	for i := range p.steps {
		f := p.steps[i].File
		if f == nil {
			continue
		}
		for _, name := range []string{f.From, f.Path, f.Aside} {
			if name != "" && !seen[name] {
				seen[name] = true
				list = append(list, name)
			}
		}
	}
	return list
}

// changed is the error of a plan that no longer fits.
func changed(path, format string, args ...any) error {
	return &retold.Error{
		Code: retold.CodeChanged, Op: "change", Path: path, Err: fmt.Errorf(format, args...),
		Hint: "nothing was written; look at the plan again",
	}
}
