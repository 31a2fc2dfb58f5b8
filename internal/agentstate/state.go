package agentstate

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/retold-history/retold"
)

// Fields of agent.v1.ConversationStateStructure (formats E.4).
const (
	statePrompts     = 1
	stateTurnsOld    = 2 // 2025
	stateTodos       = 3
	statePending     = 4
	stateTokens      = 5
	stateSummary     = 6
	statePlan        = 7
	stateTurns       = 8
	stateWorkspaces  = 9
	stateMode        = 10
	stateArchive     = 11
	stateFiles       = 12
	stateArchives    = 13
	stateTimings     = 14
	stateFilesV2     = 15
	stateSubagents   = 16
	stateReadPaths   = 18
	stateBranch      = 19
	statePlans       = 20
	stateRepos       = 21
	stateAgentType   = 22
	stateStarted     = 26
	stateZone        = 27
	stateSubagentRef = 31
)

// Defaults of Options.
const (
	defaultDepth = 10 // how far Cursor itself follows parents
	defaultNodes = 2_000_000
	defaultBytes = 1 << 31 // several times what the largest store seen holds
)

// errBudget ends one level of decoding; what was read so far stands.
var errBudget = errors.New("the state names too much")

// ErrNotState is returned for bytes of which not even one field can be read.
var ErrNotState = errors.New("not a conversation state")

// decoder carries what one Decode shares between its levels.
type decoder struct {
	blobs   Blobs
	depth   int
	nodes   int
	bytes   int64
	alone   bool // leave sub-agents closed
	visible bool // leave the model's context closed where there are turns
	reached map[string]bool
	open    map[string]bool // states and steps being decoded: a cycle comes back to one
}

// Decode reads a root state and everything it names. What is missing or broken
// becomes an entry marked Missing and a Problem; an error is either ErrNotState
// or an error of blobs.
func Decode(root []byte, blobs Blobs, opt Options) (*Conversation, error) {
	d := newDecoder(blobs, opt)
	m, err := parse(root)
	if len(root) > 0 && len(m) == 0 {
		return nil, ErrNotState
	}
	c := d.conversation()
	if err != nil {
		c.problem(retold.ProblemMalformed, "", fmt.Sprintf("the conversation state can be read only in part: %v", err))
	}
	if err := d.state(c, m, 0); err != nil && !errors.Is(err, errBudget) {
		return nil, err
	} else if err != nil {
		c.problem(retold.ProblemMalformed, "", err.Error()+"; the rest is left out")
	}
	return c, nil
}

func newDecoder(blobs Blobs, opt Options) *decoder {
	d := &decoder{blobs: blobs, depth: opt.MaxDepth, nodes: opt.MaxNodes, bytes: opt.MaxBytes, alone: opt.SkipSubagents, visible: opt.TurnsOnly, reached: map[string]bool{}, open: map[string]bool{}}
	if d.depth == 0 {
		d.depth = defaultDepth
	}
	if d.nodes == 0 {
		d.nodes = defaultNodes
	}
	if d.bytes == 0 {
		d.bytes = defaultBytes
	}
	return d
}

func (d *decoder) conversation() *Conversation { return &Conversation{Reached: d.reached} }

func (c *Conversation) problem(kind, key, reason string) {
	c.Problems = append(c.Problems, retold.Problem{Kind: kind, Key: key, Reason: reason})
}

// load returns what stands at an id's place: the blob, or the bytes themselves
// when they are no id. Content is nil when the blob is not stored.
func (d *decoder) load(ref []byte) (id string, content []byte, err error) {
	if d.nodes--; d.nodes < 0 {
		return "", nil, errBudget
	}
	if !isID(ref) {
		return idOf(ref), ref, nil
	}
	id = hex.EncodeToString(ref)
	if content, err = d.blobs.Blob(id); err != nil {
		return id, nil, fmt.Errorf("read blob %s: %w", id, err)
	}
	if content != nil {
		d.reached[id] = true
	}
	if d.bytes -= int64(len(content)); d.bytes < 0 {
		return id, nil, errBudget
	}
	return id, content, nil
}

// state fills c from the fields of one ConversationStateStructure.
func (d *decoder) state(c *Conversation, m message, level int) error {
	h := Header{}
	h.fill(m)
	c.Mode, c.Branch, c.AgentType, c.TimeZone, c.StartedAt = h.Mode, h.Branch, h.AgentType, h.TimeZone, h.StartedAt
	c.Timings, c.Workspaces, c.UsedTokens, c.MaxTokens = h.Timings, h.Workspaces, h.UsedTokens, h.MaxTokens
	c.ReadPaths = m.texts(stateReadPaths)
	d.files(c, m)
	for name, b := range m.entries(statePlans) {
		p, _ := parse(b)
		c.Plans = append(c.Plans, PlanRef{Name: name, ID: p.text(1), Path: p.text(2)})
	}
	for _, step := range []func(*Conversation, message, int) error{d.turns, d.context, d.todos, d.subagents} {
		if err := step(c, m, level); err != nil {
			return err
		}
		if d.visible && len(c.Turns) > 0 {
			return nil
		}
	}
	return nil
}

// files notes where the texts of files are; they are reached, not read.
func (d *decoder) files(c *Conversation, m message) {
	for path, id := range m.entries(stateFiles) {
		c.Files = append(c.Files, FileState{Path: path, ContentID: d.note(id)})
	}
	for path, b := range m.entries(stateFilesV2) {
		s, _ := parse(b)
		c.Files = append(c.Files, FileState{Path: path, ContentID: d.note(s.bytes(1)), InitialID: d.note(s.bytes(2))})
	}
}

func (d *decoder) note(ref []byte) string {
	if !isID(ref) {
		return ""
	}
	id := hex.EncodeToString(ref)
	d.reached[id] = true
	return id
}

// context reads what the model saw: prompts, archives, pending calls, summary,
// plan.
func (d *decoder) context(c *Conversation, m message, _ int) error {
	var err error
	archives := slices.Collect(m.all(stateArchives))
	if old := m.bytes(stateArchive); old != nil && !slices.ContainsFunc(archives, func(b []byte) bool { return string(b) == string(old) }) {
		archives = append(archives, old)
	}
	for _, ref := range archives {
		if err = d.archive(c, ref); err != nil {
			return err
		}
	}
	if c.Prompts, err = d.prompts(c, m.all(statePrompts)); err != nil {
		return err
	}
	for i, text := range m.texts(statePending) {
		p, ok := ParsePrompt([]byte(text))
		if !ok {
			c.problem(retold.ProblemMalformed, fmt.Sprintf("pending_tool_calls[%d]", i), "a message waiting for its tools is not JSON")
			continue
		}
		p.ID = idOf([]byte(text))
		c.Pending = append(c.Pending, p)
	}
	if c.Summary, err = d.textBlob(c, m, stateSummary); err != nil {
		return err
	}
	c.Plan, err = d.textBlob(c, m, statePlan)
	return err
}

// textBlob reads ConversationSummary or ConversationPlan: a text in field 1.
func (d *decoder) textBlob(c *Conversation, m message, num protowire.Number) (string, error) {
	f, ok := m.get(num)
	if !ok || len(f.b) == 0 {
		return "", nil
	}
	id, content, err := d.load(f.b)
	if err != nil {
		return "", err
	}
	if content == nil {
		c.problem(retold.ProblemMissing, id, "a summary or plan is not stored here")
		return "", nil
	}
	inner, _ := parse(content)
	return inner.text(1), nil
}

func (d *decoder) archive(c *Conversation, ref []byte) error {
	id, content, err := d.load(ref)
	if err != nil {
		return err
	}
	if content == nil {
		c.problem(retold.ProblemMissing, id, "messages that were summarised away are not stored here")
		return nil
	}
	m, err := parse(content)
	if err != nil {
		c.problem(retold.ProblemMalformed, id, "an archive of summarised messages is damaged")
	}
	a := Archive{ID: id, Summary: m.text(2)}
	if a.Messages, err = d.prompts(c, m.all(1)); err != nil {
		return err
	}
	if ref := m.bytes(4); ref != nil { // the summary as the model got it; its text is Summary
		d.note(ref)
	}
	c.Archives = append(c.Archives, a)
	return nil
}

func (d *decoder) todos(c *Conversation, m message, _ int) error {
	for ref := range m.all(stateTodos) {
		id, content, err := d.load(ref)
		if err != nil {
			return err
		}
		if content == nil {
			c.problem(retold.ProblemMissing, id, "an entry of the to-do list is not stored here")
			continue
		}
		t, _ := parse(content)
		status := strings.ToLower(strings.TrimPrefix(fields().enums["#TodoStatus"][t.uint(3)], "TODO_STATUS_"))
		c.Todos = append(c.Todos, Todo{
			ID: t.text(1), Content: t.text(2), Status: status,
			Created: t.millis(4), Updated: t.millis(5), Dependencies: t.texts(6),
		})
	}
	return nil
}

func timings(m message) []Timing {
	var out []Timing
	for b := range m.all(stateTimings) {
		t, _ := parse(b)
		out = append(out, Timing{Duration: time.Duration(min(t.uint(1), 1<<40)) * time.Millisecond, At: t.millis(2)})
	}
	return out
}
