package cursorcli

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// ranked orders a session's stores, best first: those that hold a conversation,
// those with turns, the folder whose name is the hash of the working directory,
// then the larger one (formats A.6).
func (r *record) ranked() []*storeRef {
	out := slices.Clone(r.stores)
	slices.SortStableFunc(out, func(a, b *storeRef) int {
		fa, fb := a.facts, b.facts
		return cmp.Or(
			-compareBool(fa.turns+fa.prompts > 0, fb.turns+fb.prompts > 0),
			-compareBool(fa.hasDB, fb.hasDB),
			-compareBool(fa.turns > 0, fb.turns > 0),
			-compareBool(a.atHome(), b.atHome()),
			-cmp.Compare(fa.blobs, fb.blobs),
			-cmp.Compare(fa.turns+fa.prompts, fb.turns+fb.prompts),
		)
	})
	return out
}

// atHome reports whether the folder is the one of the session's own directory.
func (r *storeRef) atHome() bool {
	return r.facts.cwd != "" && r.hash == paths.MD5(strings.TrimRight(r.facts.cwd, "/"))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// header says what is known of a session without its messages; ok is false when
// nothing of it can be read.
func (c *catalog) header(ctx context.Context, r *record) (retold.Header, bool) {
	h := retold.Header{Ref: retold.Ref{Agent: agent, Place: c.place.Path, ID: r.id}, Stamp: c.stampOf(r)}
	h.Session = c.describe(ctx, r)
	usable := len(r.transcripts)+len(r.states) > 0
	h.Empty = len(r.states) == 0
	for _, s := range r.stores {
		f := s.facts
		if f == nil {
			continue
		}
		usable = usable || f.hasDB || f.silent || s.sdk != nil || f.title != ""
		if f.turns+f.prompts > 0 || f.pending || f.hasDB && f.blobs > 0 {
			h.Empty = false
		}
	}
	if h.Empty && slices.ContainsFunc(r.transcripts, func(t transcriptRef) bool { return c.speaks(ctx, t.path) }) {
		h.Empty = false
	}
	return h, usable
}

// describe joins what the session's stores say; the better store is asked first.
func (c *catalog) describe(ctx context.Context, r *record) retold.Session {
	s := retold.Session{ID: r.id, Agent: agent, MessageCount: -1}
	add := func(f *facts) {
		s.Title, s.WorkspacePath = first(s.Title, f.title), first(s.WorkspacePath, f.cwd)
		s.Model, s.Mode, s.Branch = first(s.Model, f.model), first(s.Mode, f.mode), first(s.Branch, f.branch)
		if s.CreatedAt.IsZero() {
			s.CreatedAt = f.created
		}
		if f.updated.After(s.UpdatedAt) {
			s.UpdatedAt = f.updated
		}
		if s.Tokens == nil {
			s.Tokens = f.tokens
		}
		if s.TimeSource == "" && (!f.created.IsZero() || !f.updated.IsZero()) {
			s.TimeSource = retold.TimeStored
			if f.created.IsZero() && f.timing {
				s.TimeSource = retold.TimeTiming
			}
		}
		if len(f.parents) > 0 {
			s.ParentID = first(s.ParentID, f.parents[0])
		}
	}
	hasFacts := slices.DeleteFunc(slices.Clone(r.stores), func(ref *storeRef) bool { return ref.facts == nil })
	for _, ref := range (&record{stores: hasFacts}).ranked() {
		add(ref.facts)
		s.Sources = appendNew(s.Sources, ref.source)
	}
	for _, st := range r.states {
		f := st.outline()
		if f.cwd == "" && st.store.facts != nil {
			f.cwd = st.store.facts.cwd
		}
		add(f)
		s.ParentID = first(s.ParentID, st.parent)
		s.Sources = appendNew(s.Sources, st.store.source)
	}
	if len(r.transcripts) > 0 {
		s.Sources = appendNew(s.Sources, sourceTranscript)
	}
	s.ParentID = first(s.ParentID, r.parent)
	if s.CreatedAt.IsZero() && s.UpdatedAt.IsZero() {
		s.TimeSource = ""
	}
	if s.ParentID == s.ID {
		s.ParentID = ""
	}
	if s.WorkspacePath == "" {
		s.WorkspacePath = c.folderOf(ctx, r)
	}
	place(&s, s.WorkspacePath)
	return s
}

// place names the workspace.
func place(s *retold.Session, cwd string) {
	where := paths.ParseURI(cwd)
	s.WorkspacePath, s.WorkspaceName = where.Path, where.Name
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// outline is what a sub-agent's state says of it.
func (s *stateRef) outline() *facts {
	if s.known != nil {
		f := *s.known
		return &f
	}
	f := &facts{created: s.sub.Created, updated: s.sub.Used, model: s.sub.Model}
	f.takeState(s.inner)
	return f
}

// stampOf changes when one of a session's files does, or its row in an SDK's
// index. Times of files are good enough to notice a change, never to date a
// message.
func (c *catalog) stampOf(r *record) string {
	var b []byte
	add := func(stamp uint64) { b = binary.LittleEndian.AppendUint64(b, stamp) }
	for _, s := range r.stores {
		add(c.view.database(s.db()))
		if !s.astray {
			add(c.view.stamp(s.side()))
		}
		if s.sdk != nil {
			b = s.sdk.append(b)
		}
	}
	for _, s := range r.states {
		add(c.view.database(s.store.db()))
	}
	for _, t := range r.transcripts {
		add(c.view.stamp(t.path))
	}
	return strconv.FormatUint(sum(b), 16)
}
