package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/retold-history/retold"
)

// engineVersion grows whenever a commit would come to other links.
const engineVersion = 4

const kindAttribution = "attribution"

// A remembered attribution is one as it is kept in the cache, with what JSON for
// others leaves out.
type remembered struct {
	Fingerprint uint64       `json:"fingerprint"` // of the sessions that could have been its
	Committed   int64        `json:"committed"`
	Spanned     bool         `json:"spanned"`
	Attribution *Attribution `json:"attribution"`
	Keys        []retold.Key `json:"keys"` // of the links
	Last        []int        `json:"last"`
	SpanKeys    []retold.Key `json:"spanKeys"`
	Paths       [][]byte     `json:"paths"` // of the files; JSON holds no name that is not UTF-8
	Parent      time.Time    `json:"parent"`
}

// attribution explains a commit, with the parts of the sessions that led to it.
func (q *inquiry) attribution(ctx context.Context, id string) (*Attribution, error) {
	r, err := q.remember(ctx, id)
	if err != nil || r.Spanned {
		return r.attribution(), err
	}
	if err := q.spans(ctx, r.Attribution, r.Committed); err != nil {
		return nil, err
	}
	r.Spanned = true
	return r.Attribution, q.keep(ctx, id, r)
}

// core explains a commit without the spans.
func (q *inquiry) core(ctx context.Context, id string) (*Attribution, error) {
	r, err := q.remember(ctx, id)
	return r.attribution(), err
}

func (r *remembered) attribution() *Attribution {
	if r == nil {
		return nil
	}
	return r.Attribution
}

// remember returns what is known of a commit, and finds it out where nothing is,
// or where conversations have changed since.
func (q *inquiry) remember(ctx context.Context, id string) (*remembered, error) {
	if r := q.known[id]; r != nil {
		return r, nil
	}
	r, err := q.recall(ctx, id)
	if err != nil {
		return nil, err
	}
	if r == nil {
		a, committed, err := q.explain(ctx, id)
		if err != nil {
			return nil, err
		}
		r = &remembered{Committed: committed, Attribution: a}
		if err := q.keep(ctx, id, r); err != nil {
			return nil, err
		}
	}
	if len(q.known) >= mostKnown {
		clear(q.known)
	}
	q.known[id] = r
	return r, nil
}

// mostKnown bounds the attributions that one inquiry holds.
const mostKnown = 1024

// recall reads the cache; nil when it does not hold the commit as it is now.
func (q *inquiry) recall(ctx context.Context, id string) (*remembered, error) {
	if q.j.cache == nil {
		return nil, nil
	}
	note, err := q.j.cache.Note(ctx, kindAttribution, q.noteKey(id))
	if errors.Is(err, retold.ErrNoNote) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r remembered
	if json.Unmarshal(note.Value, &r) != nil || r.Attribution == nil || len(r.Keys) != len(r.Attribution.Links) || len(r.Last) != len(r.Keys) ||
		len(r.SpanKeys) != len(r.Attribution.Spans) || len(r.Paths) != len(r.Attribution.Files) || r.Fingerprint != q.fingerprint(r.Committed) {
		return nil, nil
	}
	for i := range r.Keys {
		r.Attribution.Links[i].Key, r.Attribution.Links[i].Last = r.Keys[i], r.Last[i]
	}
	for i := range r.SpanKeys {
		r.Attribution.Spans[i].Key = r.SpanKeys[i]
	}
	for i := range r.Paths {
		r.Attribution.Files[i].Path = string(r.Paths[i])
	}
	r.Attribution.Parent = r.Parent
	return &r, nil
}

// keep writes what was found out into the cache.
func (q *inquiry) keep(ctx context.Context, id string, r *remembered) error {
	if q.j.cache == nil || r.Attribution.Unreadable > 0 { // it may be readable next time
		return nil
	}
	r.Fingerprint, r.Parent = q.fingerprint(r.Committed), r.Attribution.Parent
	r.Keys, r.Last, r.SpanKeys, r.Paths = nil, nil, nil, nil
	for i := range r.Attribution.Links {
		r.Keys, r.Last = append(r.Keys, r.Attribution.Links[i].Key), append(r.Last, r.Attribution.Links[i].Last)
	}
	for i := range r.Attribution.Spans {
		r.SpanKeys = append(r.SpanKeys, r.Attribution.Spans[i].Key)
	}
	for i := range r.Attribution.Files {
		r.Paths = append(r.Paths, []byte(r.Attribution.Files[i].Path))
	}
	value, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return q.j.cache.PutNotes(ctx, retold.Note{Kind: kindAttribution, Key: q.noteKey(id), Value: value})
}

// noteKey is that of a commit in this repository, wherever else it lies.
func (q *inquiry) noteKey(id string) string { return id + " " + q.repo.CommonDir }

// fingerprint stands for all that an attribution depends on besides the commits:
// the sessions that had begun by then, as they are now, where the repository is
// and was, and whose it is.
func (q *inquiry) fingerprint(committed int64) uint64 {
	b := binary.LittleEndian.AppendUint64(nil, engineVersion<<8|workFormat)
	var list [][]byte
	for _, c := range q.sessions {
		if !c.off(&facts{committed: committed}) {
			list = append(list, binary.LittleEndian.AppendUint64([]byte(c.SessionKey+"\x00"+c.WorkspacePath+"\x00"), uint64(c.Revision)))
		}
	}
	for _, r := range q.scope.roots {
		list = append(list, []byte(r.path))
	}
	for e := range q.emails {
		list = append(list, []byte(e))
	}
	slices.SortFunc(list, bytes.Compare)
	return hash(string(append(b, bytes.Join(list, []byte{0})...)))
}
