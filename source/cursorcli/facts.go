package cursorcli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/paths"
)

// facts are what one store says about its session without its messages.
type facts struct {
	title, cwd, model, mode, branch string
	created, updated                time.Time
	timing                          bool // updated comes from the turns' timings
	parents                         []string
	tokens                          *retold.Tokens
	turns, prompts                  int
	blobs                           int64
	pending, silent                 bool
	noted                           bool // read without a part of its log
	hasDB                           bool // store.db is there and could be read
	subagents                       []stateRef
	problems                        []retold.Problem
}

// gather reads the facts of a store once. An error means that store.db could not
// be read; what meta.json and the index say is there all the same.
func (r *storeRef) gather(ctx context.Context) error {
	if r.facts != nil {
		return nil
	}
	f := &facts{}
	if r.lines { // its root is among the messages, so nothing more is known cheaply
		f.takeAgent(r.sdk)
		f.hasDB, f.turns, r.facts = true, 1, f
		return nil
	}
	side, problems := r.sidecar()
	f.problems = problems
	f.title, f.cwd, f.created, f.updated, f.silent = side.title, side.cwd, side.created, side.updated, side.silent
	if r.sdk != nil {
		f.takeAgent(r.sdk)
	}
	if f.title == defaultName {
		f.title = ""
	}
	r.facts = f
	if !exists(r.db()) {
		if !side.found && r.sdk == nil {
			return nil
		}
		f.silent = f.silent || side.found
		return nil
	}
	base := *f
	note, err := readStore(ctx, r.db(), func(conn *sqlite.Conn) error {
		*f = base // a second attempt starts over
		return f.takeStore(conn, r)
	})
	f.noted = note != ""
	if errors.Is(err, errNoTables) {
		f.problems = append(f.problems, retold.Problem{Path: r.db(), Kind: retold.ProblemMissing, Reason: err.Error()})
		return nil
	}
	return err
}

// takeStore reads the meta row and the root state.
func (f *facts) takeStore(conn *sqlite.Conn, r *storeRef) error {
	m, problem, err := readMeta(conn)
	if err != nil {
		return err
	}
	f.hasDB = true
	if problem != "" {
		f.problems = append(f.problems, retold.Problem{Path: r.db(), Key: "meta", Kind: retold.ProblemMalformed, Reason: problem})
	}
	f.takeMeta(m)
	if f.blobs, err = countBlobs(conn); err != nil {
		return err
	}
	root := m.root
	if root == "" && r.sdk != nil {
		root = r.sdk.root
	}
	blobs := connBlobs{conn}
	state, err := blobs.Blob(root)
	if err != nil {
		return fmt.Errorf("read the root state: %w", err)
	}
	h, ok := agentstate.DecodeHeader(state)
	if !ok || state == nil {
		return nil
	}
	f.takeState(h)
	if f.cwd == "" {
		if f.cwd, err = promptCwd(blobs, h.PromptIDs); err != nil {
			return err
		}
	}
	return f.takeSubagents(blobs, r, h)
}

// defaultName is what Cursor calls a session before it has a title, in its meta
// row and sometimes in meta.json.
const defaultName = "New Agent"

func (f *facts) takeMeta(m meta) {
	if f.title == "" && m.name != defaultName {
		f.title = m.name
	}
	if f.created.IsZero() {
		f.created = m.created
	}
	f.mode = m.mode
	if m.model != "" {
		f.model = m.model
	}
	if m.parent != "" {
		f.parents = append(f.parents, m.parent)
	}
}

func (f *facts) takeState(h agentstate.Header) {
	f.turns, f.prompts, f.pending = h.Turns, h.Prompts, h.HasPending
	f.branch = h.Branch
	if h.Mode != "" && (f.mode == "" || f.mode == "default" || f.mode == "auto-run") {
		f.mode = h.Mode
	}
	if f.created.IsZero() {
		f.created = h.StartedAt
	}
	for _, t := range h.Timings {
		if t.At.After(f.updated) {
			f.updated, f.timing = t.At, true
		}
	}
	if n := len(h.Workspaces); n > 0 && f.cwd == "" {
		f.cwd = paths.ParseURI(h.Workspaces[n-1]).Path
	}
}

// promptCwd finds the "Workspace Path:" line of the environment block, which
// stands in one of the first prompt messages.
func promptCwd(blobs agentstate.Blobs, ids []string) (string, error) {
	const label = "Workspace Path: "
	for _, id := range ids {
		b, err := blobs.Blob(id)
		if err != nil {
			return "", err
		}
		if !bytes.Contains(b, []byte(label)) {
			continue
		}
		p, ok := agentstate.ParsePrompt(b)
		if !ok || p.Role == "assistant" {
			continue
		}
		for _, part := range p.Parts {
			if _, rest, found := strings.Cut(part.Text, label); found {
				line, _, _ := strings.Cut(rest, "\n")
				return strings.TrimSpace(line), nil
			}
		}
	}
	return "", nil
}

// maxSubagents bounds how many sub-agents of one store are listed, at any depth.
const maxSubagents = 10_000

// takeSubagents lists the sub-agents that the state names, and those that their
// states name.
func (f *facts) takeSubagents(blobs agentstate.Blobs, r *storeRef, root agentstate.Header) error {
	type level struct {
		parent string
		refs   []agentstate.SubagentRef
		depth  int
	}
	seen := map[string]bool{}
	for queue := []level{{"", root.Subagents, 0}}; len(queue) > 0; queue = queue[1:] {
		for _, ref := range queue[0].refs {
			if seen[ref.ID] || len(seen) == maxSubagents {
				continue
			}
			seen[ref.ID] = true
			content := ref.Inline
			if ref.BlobID != "" {
				var err error
				if content, err = blobs.Blob(ref.BlobID); err != nil {
					return err
				}
			}
			if content == nil {
				continue // decoding the parent tells about it
			}
			sub, state := agentstate.DecodeSubagent(content)
			sub.ID = ref.ID
			inner, _ := agentstate.DecodeHeader(state)
			f.subagents = append(f.subagents, stateRef{store: r, parent: queue[0].parent, sub: sub, inner: inner, state: state})
			if queue[0].depth < 10 {
				queue = append(queue, level{ref.ID, inner.Subagents, queue[0].depth + 1})
			}
		}
	}
	return nil
}

// survey gathers the facts of every store, adds the sub-agents that exist only
// inside one, and returns what could not be read.
func (c *catalog) survey(ctx context.Context) []error {
	var refs []*storeRef
	var owners []string
	for _, id := range c.ids() {
		for _, ref := range c.records[id].stores {
			refs, owners = append(refs, ref), append(owners, id)
		}
	}
	errs := make([]error, len(refs))
	c.view.settle(ctx)
	var g errgroup.Group
	g.SetLimit(4)
	for i, ref := range refs {
		g.Go(func() error {
			errs[i] = ref.gatherIn(ctx, c.view)
			return nil
		})
	}
	_ = g.Wait() // the functions report through errs
	var faults []error
	for i, err := range errs {
		if err != nil {
			faults = append(faults, fmt.Errorf("session %s: %w", owners[i], err))
		}
		c.adopt(owners[i], refs[i])
	}
	c.learnFolders()
	return faults
}

// adopt makes the sub-agents of a store sessions of their own.
func (c *catalog) adopt(owner string, ref *storeRef) {
	if ref.facts == nil {
		return
	}
	for _, s := range ref.facts.subagents {
		if s.sub.ID == owner {
			continue
		}
		if s.parent == "" {
			s.parent = owner
		}
		r := c.record(s.sub.ID)
		r.states = append(r.states, s)
		if r.parent == "" {
			r.parent = s.parent
		}
	}
}
