package cursorcli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/paths"
)

// A part is what one file holds of a session.
type part struct {
	rank     int // higher is richer
	messages []retold.Message
	orphans  []retold.Message
	problems []retold.Problem
	title    string
	mode     string
	cwd      string
}

// Ranks of parts: a store with turns is the conversation itself.
const (
	rankTranscript = iota + 1
	rankPrompts
	rankTurns
)

// parts reads every file of a session, best first. A file that cannot be read is
// a problem, unless there is no other.
func (c *catalog) parts(ctx context.Context, r *record, v agentstate.View) ([]part, error) {
	var out []part
	var firstErr error
	add := func(p part, path string, err error) {
		if err != nil {
			firstErr = cmp.Or(firstErr, err)
			p.problems = append(p.problems, unreadable(path, err))
		}
		out = append(out, p)
	}
	for _, ref := range r.ranked() {
		p, err := c.storePart(ctx, ref, v)
		p.problems = append(slices.DeleteFunc(slices.Clone(ref.facts.problems), func(f retold.Problem) bool {
			return err != nil && f.Kind == retold.ProblemUnreadable
		}), p.problems...)
		add(p, ref.db(), err)
	}
	for _, st := range r.states {
		p, err := statePart(ctx, st, r.id, v)
		add(p, st.store.db(), err)
	}
	for _, t := range r.transcripts {
		p, err := transcriptPart(ctx, t)
		add(p, t.path, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if firstErr != nil && !slices.ContainsFunc(out, func(p part) bool { return p.rank > 0 }) {
		return nil, fmt.Errorf("read session %s: %w", r.id, firstErr)
	}
	slices.SortStableFunc(out, func(a, b part) int { return b.rank - a.rank })
	return out, nil
}

// join makes one conversation of the parts: the richest is the backbone, what the
// others have beyond it follows as recovered, what was rewound as orphans.
func join(parts []part, problems *[]retold.Problem) []retold.Message {
	if len(parts) == 0 {
		return nil
	}
	messages := parts[0].messages
	var recovered, orphaned []retold.Message
	if len(parts) > 1 {
		base := newBackbone(messages)
		for _, p := range parts[1:] {
			for _, m := range base.lacking(p.messages) {
				m.Recovered = true
				recovered = append(recovered, m)
			}
		}
	}
	ids := map[string]bool{}
	for i := range messages {
		ids[messages[i].ID] = true
	}
	for _, p := range parts {
		*problems = append(*problems, p.problems...)
		for _, m := range p.orphans {
			if !ids[m.ID] {
				orphaned = append(orphaned, m)
			}
		}
	}
	return slices.Concat(messages, recovered, orphaned)
}

// storePart decodes the conversation of a store.
func (c *catalog) storePart(ctx context.Context, ref *storeRef, v agentstate.View) (part, error) {
	if ref.lines {
		return linesPart(ctx, ref, v)
	}
	if !exists(ref.db()) {
		if ref.sdk != nil {
			return part{problems: []retold.Problem{{Path: ref.db(), Kind: retold.ProblemMissing, Reason: "the session's store is not there; only its entry in index.db is"}}}, nil
		}
		return part{rank: rankTranscript}, nil
	}
	var p part
	err := inStore(ctx, ref.db(), func(conn *sqlite.Conn) error {
		p = part{} // a second attempt starts over
		m, _, err := readMeta(conn)
		if err != nil {
			return err
		}
		root := m.root
		if root == "" && ref.sdk != nil {
			root = ref.sdk.root
		}
		if err := p.decode(ctx, conn, root, ref.db(), v); err != nil {
			return err
		}
		return p.recall(conn, ref.db(), v)
	})
	if errors.Is(err, errNoTables) {
		return part{rank: rankTranscript}, nil
	}
	return p, err
}

// decode reads the state under a root, or the best state there is.
func (p *part) decode(ctx context.Context, conn *sqlite.Conn, root, path string, v agentstate.View) error {
	blobs := connBlobs{conn}
	state, err := blobs.Blob(root)
	if err != nil {
		return err
	}
	recovered := false
	if state == nil {
		id, err := bestRoot(ctx, conn)
		if err != nil {
			return err
		}
		if root != "" {
			p.problems = append(p.problems, retold.Problem{
				Path: path, Key: root, Kind: retold.ProblemMissing,
				Reason: "the newest state of the session is not stored here",
			})
		}
		if id == "" {
			p.rank = rankTranscript
			return nil
		}
		if state, err = blobs.Blob(id); err != nil {
			return err
		}
		recovered = true
	}
	c, err := agentstate.Decode(state, blobs, agentstate.Options{})
	if errors.Is(err, agentstate.ErrNotState) {
		p.problems = append(p.problems, retold.Problem{Path: path, Key: root, Kind: retold.ProblemMalformed, Reason: err.Error()})
		p.rank = rankTranscript
		return nil
	}
	if err != nil {
		return err
	}
	p.take(c, v)
	orphans, problems, err := rewound(conn, c, v)
	if err != nil {
		return err
	}
	p.orphans = orphans
	for _, f := range slices.Concat(c.Problems, problems) {
		f.Path = path
		p.problems = append(p.problems, f)
	}
	for i := range p.messages {
		p.messages[i].Recovered = recovered
	}
	return ctx.Err()
}

// take lays a conversation out and ranks it.
func (p *part) take(c *agentstate.Conversation, v agentstate.View) {
	p.messages = c.Messages(v)
	p.mode = c.Mode
	p.rank = rankPrompts
	if len(c.Turns) > 0 {
		p.rank = rankTurns
	}
	if len(p.messages) == 0 {
		p.rank = rankTranscript
	}
	if n := len(c.Workspaces); n > 0 {
		p.cwd = paths.ParseURI(c.Workspaces[n-1]).Path
	}
}

// maxStateBytes bounds what is tried as a root state.
const maxStateBytes = 16 << 20

// bestRoot finds the state to show when nothing names one (formats E.5.1): of the
// blobs that parse as a state, the one with the longest conversation, and of
// equals the newest.
func bestRoot(ctx context.Context, conn *sqlite.Conn) (string, error) {
	best, turns, prompts := "", 0, 0
	err := sqlitex.Execute(conn, `SELECT id, data FROM blobs WHERE length(data) BETWEEN 34 AND ?1
		AND substr(data, 1, 1) IN (x'0a', x'12', x'1a', x'22', x'42') ORDER BY rowid`,
		&sqlitex.ExecOptions{Args: []any{maxStateBytes}, ResultFunc: func(s *sqlite.Stmt) error {
			h, ok := agentstate.LooksLikeState(column(s, 1))
			if !ok || h.Turns+h.Prompts == 0 || h.Turns < turns || h.Turns == turns && h.Prompts < prompts {
				return ctx.Err()
			}
			if len(h.PromptIDs) > 0 { // a turn of 2025 has the same shape, but names a user message there
				b, err := connBlobs{conn}.Blob(h.PromptIDs[0])
				if err != nil || len(b) > 0 && b[0] != '{' {
					return err
				}
			}
			best, turns, prompts = s.ColumnText(0), h.Turns, h.Prompts
			return ctx.Err()
		}})
	return best, err
}

// statePart decodes a sub-agent's state inside another session's store.
func statePart(ctx context.Context, st stateRef, id string, v agentstate.View) (part, error) {
	var p part
	err := inStore(ctx, st.store.db(), func(conn *sqlite.Conn) error {
		p = part{}
		state := st.state
		c, err := agentstate.Decode(state, connBlobs{conn}, agentstate.Options{SkipSubagents: true})
		if errors.Is(err, agentstate.ErrNotState) {
			p.problems = append(p.problems, retold.Problem{Path: st.store.db(), Key: id, Kind: retold.ProblemMalformed, Reason: err.Error()})
			return nil
		}
		if err != nil {
			return err
		}
		p.take(c, v)
		for _, f := range c.Problems {
			f.Path = st.store.db()
			p.problems = append(p.problems, f)
		}
		return nil
	})
	return p, err
}

func transcriptPart(ctx context.Context, ref transcriptRef) (part, error) {
	t, err := readTranscript(ctx, ref.path)
	if err != nil {
		return part{}, err
	}
	p := part{rank: rankTranscript, messages: t.messages, problems: t.problems, title: t.overview, mode: t.mode}
	if len(t.messages) == 0 {
		p.rank = 1
	}
	return p, nil
}
