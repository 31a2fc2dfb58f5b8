package cursor

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// contentKeys begin the names of the texts before and after an edit.
const contentKeys = "composer.content."

// restorePage is how many records are looked up in one transaction.
const restorePage = 64

// records plans the rows of cursorDiskKV: those that belong to the conversation
// become what the backup has, those that it refers to are added where they are
// missing.
func (r *restorer) records(c *returning) error {
	if r.held.global == nil || !r.held.tables.disk || c.record == nil && !c.bubbles {
		return nil
	}
	there, err := ownKeysIn(r.held.global, c.id)
	if err != nil {
		return err
	}
	own := []string{"composerData:" + c.id, c.id + cloudSuffix}
	held := map[string]bool{}
	for _, k := range there {
		own = append(own, k.key)
		held[k.key] = true
	}
	var here []row
	err = r.global.Read(r.ctx, func(conn *sqlite.Conn) (err error) {
		here, err = ownKeysIn(conn, c.id)
		return err
	})
	if err != nil {
		return err
	}
	for _, k := range here {
		if !held[k.key] {
			own = append(own, k.key) // it goes
		}
	}
	refs := &references{seen: map[string]bool{}}
	for page := range slices.Chunk(own, restorePage) {
		if err := r.ownPage(c, page, refs); err != nil {
			return err
		}
	}
	return r.shared(c, refs)
}

// ownPage makes records what the backup has.
func (r *restorer) ownPage(c *returning, page []string, refs *references) error {
	now, err := r.living(page)
	if err != nil {
		return err
	}
	for _, key := range page {
		after, err := r.held.row("cursorDiskKV", "key", key)
		if err != nil {
			return err
		}
		var before *retold.Row
		if b, ok := now[key]; ok {
			before = &b
		}
		if after != nil {
			value := &after.Cells[1].Value
			refs.note(value.Bytes)
			c.mention(value.Bytes)
			c.ask(value.Bytes)
			if strings.HasPrefix(key, "composerData:") {
				if before != nil {
					value.Bytes = keepKeys(value.Bytes, before.Cells[1].Value.Bytes)
				}
				value.Bytes = r.rename(value.Bytes, c.from)
			}
			after.Rowid = 0
		}
		if after == nil && (before == nil || key == "composerData:"+c.id || key == c.id+cloudSuffix) {
			continue // without a record here, what is there is better than none
		}
		if err := r.give(change(c.id, globalDB(r.user), "cursorDiskKV", "key", key, before, after)); err != nil {
			return err
		}
	}
	return nil
}

// living reads records of the database in use.
func (r *restorer) living(keys []string) (found map[string]retold.Row, err error) {
	err = r.global.Read(r.ctx, func(conn *sqlite.Conn) error {
		found = map[string]retold.Row{}
		for _, key := range keys {
			rows, err := storedRows(conn, "cursorDiskKV", "key = ?", key)
			if err != nil {
				return err
			}
			if len(rows) > 0 {
				found[key] = rows[0]
			}
		}
		return nil
	})
	return found, err
}

// shared adds the records that a conversation refers to, and those that these
// refer to. Their names are hashes of what they hold: one that is there is right.
func (r *restorer) shared(c *returning, refs *references) error {
	for len(refs.next) > 0 {
		n := min(len(refs.next), restorePage)
		page := refs.next[:n:n]
		refs.next = refs.next[n:]
		var names []string
		for _, key := range page {
			if there, err := r.held.has(key); err != nil {
				return err
			} else if there {
				names = append(names, key)
			}
		}
		now, err := r.living(names)
		if err != nil {
			return err
		}
		for _, key := range names {
			after, err := r.held.row("cursorDiskKV", "key", key)
			if err != nil || after == nil {
				return fmt.Errorf("read %s again: %w", key, err)
			}
			value := after.Cells[1].Value.Bytes
			if id, blob := strings.CutPrefix(key, "agentKv:blob:"); blob {
				refs.note(plainBlob(id, value))
			}
			var before *retold.Row
			if b, ok := now[key]; ok {
				before = &b
			}
			if r.given[key] || before != nil && before.Cells[1].Value.Class != retold.ClassNull {
				continue
			}
			r.given[key] = true
			after.Rowid = 0
			if err := r.give(change(c.id, globalDB(r.user), "cursorDiskKV", "key", key, before, after)); err != nil {
				return err
			}
		}
	}
	return nil
}

// references are the names of shared records that values hold. Some of them name
// nothing: what looks like a hash need not be one of these.
type references struct {
	seen map[string]bool
	next []string
}

func (s *references) add(key string) {
	if !s.seen[key] {
		s.seen[key] = true
		s.next = append(s.next, key)
	}
}

// note looks through a value: text with hashes in hexadecimal, an agent's state
// in base64, or protobuf with hashes as they are.
func (s *references) note(value []byte) {
	for run := range hexRuns(value) {
		s.add(contentKeys + run)
		if len(run) == 64 {
			s.add("agentKv:blob:" + strings.ToLower(run))
		}
	}
	for at := 0; ; {
		i := bytes.Index(value[at:], []byte(contentKeys))
		if i < 0 {
			break
		}
		at += i + len(contentKeys)
		end := at
		for end < len(value) && value[end] != '"' && value[end] != '\\' && value[end] > ' ' {
			end++
		}
		s.add(contentKeys + string(value[at:end]))
	}
	if rec, err := jscan.Parse(value); err == nil && rec.Kind() == jscan.Object {
		if state, err := inlineState(rec.Get("conversationState")); err == nil {
			s.noteMessage(state, 0)
		}
		return
	}
	s.noteMessage(value, 0)
	if metadata, err := base64.StdEncoding.DecodeString(strings.Trim(string(value), "\" \n")); err == nil {
		s.noteMessage(metadata, 0)
	}
}

// noteMessage walks a protobuf message, if it is one.
func (s *references) noteMessage(b []byte, depth int) {
	const deepest = 16
	if depth > deepest {
		return
	}
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return
		}
		b = b[n:]
		if n = protowire.ConsumeFieldValue(num, typ, b); n < 0 {
			return
		}
		if typ == protowire.BytesType {
			content, _ := protowire.ConsumeBytes(b)
			if len(content) == 32 {
				s.add("agentKv:blob:" + hex.EncodeToString(content))
			}
			s.noteMessage(content, depth+1)
		}
		b = b[n:]
	}
}

// hexRuns yields the runs of hexadecimal digits that are long enough for a hash.
func hexRuns(b []byte) func(func(string) bool) {
	const shortest = 32
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i <= len(b); i++ {
			if i < len(b) && (b[i] >= '0' && b[i] <= '9' || b[i] >= 'a' && b[i] <= 'f' || b[i] >= 'A' && b[i] <= 'F') {
				continue
			}
			if n := i - start; n >= shortest && n <= 128 && !yield(string(b[start:i])) {
				return
			}
			start = i + 1
		}
	}
}

// keepKeys puts the encryption keys of the record in use into one of a backup,
// from which they were left out.
func keepKeys(doc, now []byte) []byte {
	living, err := jscan.Parse(now)
	if err != nil || living.Kind() != jscan.Object {
		return doc
	}
	for name, key := range living.Members() {
		rec, err := jscan.Parse(doc)
		if err != nil {
			return doc
		}
		old := rec.Get(string(name))
		if !strings.HasSuffix(string(name), "ncryptionKey") || key.Kind() != jscan.String || old.Kind() != jscan.String || old.Str() != "" {
			continue
		}
		start := jscan.Offset(doc, old)
		end := start + len(old)
		for end < len(doc) && doc[end] == ' ' && end-start < len(key) { // where it stood there are spaces
			end++
		}
		doc = jscan.Edit(doc, []jscan.Splice{{Start: start, End: end, Text: key}})
	}
	return doc
}

// rename lets a record or head name the id that its workspace has now.
func (r *restorer) rename(doc []byte, from string) []byte {
	rec, err := jscan.Parse(doc)
	if err != nil || r.home.id == from || r.home.id == "" {
		return doc
	}
	id := rec.At("workspaceIdentifier", "id")
	if id.Str() != from {
		return doc
	}
	at := jscan.Offset(doc, id)
	return jscan.Edit(doc, []jscan.Splice{{Start: at, End: at + len(id), Text: []byte(quoted(r.home.id))}})
}
