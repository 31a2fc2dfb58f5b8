package cursor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
)

// Session reads one conversation whole.
func (s *Source) Session(ctx context.Context, ref retold.Ref) (*retold.SessionDetail, error) {
	var messages []retold.Message
	d, err := s.Stream(ctx, ref, func(m retold.Message) error {
		messages = append(messages, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.Messages = messages
	return d, nil
}

// Stream reads one conversation message by message: the order of its headers,
// then what is stored but no longer part of it. It reads no other conversation's
// records.
func (s *Source) Stream(ctx context.Context, ref retold.Ref, yield func(retold.Message) error) (*retold.SessionDetail, error) {
	return read(ctx, ref, false, yield)
}

func read(ctx context.Context, ref retold.Ref, counting bool, yield func(retold.Message) error) (*retold.SessionDetail, error) {
	g, c, err := findChat(ctx, ref.Place, ref.ID, counting)
	if err != nil {
		return nil, err
	}
	if c == nil {
		if err := g.unreadable(); err != nil {
			return nil, err
		}
		return nil, &retold.Error{Code: retold.CodeSessionNotFound, Op: "read session", Path: ref.ID, Hint: "retold list", Err: errors.New("no such session")}
	}
	r := &reader{ctx: ctx, g: g, chat: c, yield: yield, ids: unique{}, detail: &retold.SessionDetail{Session: g.session(c)}}
	r.detail.MessageCount = 0
	r.detail.ProblemList = append(r.detail.ProblemList, c.problems...)
	r.dater = dater{start: r.detail.CreatedAt, end: r.detail.UpdatedAt, yield: r.emit}
	r.mapper = mapper{composer: &g.full, counting: counting}
	r.early = earlyTools(&g.full)
	if err := r.run(); err != nil {
		return nil, err
	}
	r.finish()
	return r.detail, nil
}

// unreadable is the trouble that may hide a chat: a database that could not be
// opened is not the same as a chat that does not exist.
func (g *catalog) unreadable() error {
	for _, p := range g.problems {
		if p.Kind == retold.ProblemUnreadable && p.Path == globalDB(g.user) {
			return &retold.Error{Code: retold.CodeDatabaseCorrupt, Op: "read", Path: p.Path, Hint: "retold doctor", Err: errors.New(p.Reason)}
		}
	}
	return nil
}

// A reader yields the messages of one chat.
type reader struct {
	ctx    context.Context
	g      *catalog
	chat   *chat
	db     *livedb.DB
	yield  func(retold.Message) error
	detail *retold.SessionDetail
	dater  dater
	mapper mapper
	ids    unique
	tokens retold.Tokens
	model  string // the last one named

	request      string // under way, with the model that it named
	requestModel string

	early map[string]jscan.Value // tools of version 1 records by bubble
	state *agentView             // nil until something asks for it

	disk    bool // the database has a cursorDiskKV table
	agentMu sync.Mutex
	thought bool // a message of thinking was yielded
}

func (r *reader) run() (err error) {
	switch r.chat.kind {
	case bodyTabs:
		return errors.Join(r.tab(), r.dater.flush(r.dater.end))
	case bodyPrompts:
		return errors.Join(r.prompts(), r.dater.flush(r.dater.end))
	case bodyInline:
		full := decodeComposer(r.chat.home.inline[r.chat.id])
		r.mapper.composer, r.early = &full, earlyTools(&full)
		return errors.Join(r.inline(&full), r.dater.flush(r.dater.end))
	}
	r.db, err = livedb.Open(r.ctx, globalDB(r.g.user))
	if err != nil {
		if retold.CodeOf(err) == retold.CodeDatabaseNotFound { // only a list names it
			return nil
		}
		return err
	}
	return errors.Join(r.global(), r.db.Close())
}

// emit numbers a message, keeps the session's sums, and passes it on.
func (r *reader) emit(m retold.Message) error {
	d := r.detail
	m.ID = r.ids.id(m.ID)
	m.Index = d.MessageCount
	d.MessageCount++
	if m.Role == retold.RoleUser && d.FirstMessagePreview == "" && !m.Orphan {
		d.FirstMessagePreview = retold.Preview(m.Content)
	}
	r.thought = r.thought || m.Role == retold.RoleThinking
	if m.Tokens != nil {
		r.tokens.Input += m.Tokens.Input
		r.tokens.Output += m.Tokens.Output
	}
	if m.Model != "" && !m.Orphan {
		r.model = m.Model
	}
	return r.yield(m)
}

func (r *reader) finish() {
	d := r.detail
	d.Problems = len(d.ProblemList)
	if r.tokens != (retold.Tokens{}) {
		d.Tokens = &r.tokens
	}
	if d.Model == "" {
		d.Model = r.model
	}
	if d.Title == "" {
		d.Title = d.FirstMessagePreview
	}
}

func (r *reader) trouble(key, kind, format string, args ...any) {
	r.detail.ProblemList = append(r.detail.ProblemList, retold.Problem{Path: globalDB(r.g.user), Key: key, Kind: kind, Reason: fmt.Sprintf(format, args...)})
}

// inline yields the bubbles that a record holds itself: conversation[] in its
// order, else conversationMap by time.
func (r *reader) inline(full *composer) error {
	n := 0
	give := func(b *bubble, fallback string) error {
		if b.id == "" {
			b.id = fallback
		}
		r.addEarlyTool(b)
		model := r.follow(b)
		for _, m := range r.mapper.messages(b, time.Time{}) {
			m.Model = model
			if err := r.dater.add(m); err != nil {
				return err
			}
		}
		n++
		return nil
	}
	for v := range full.conversation.Items() {
		b := decodeBubble(v)
		if err := give(&b, fmt.Sprintf("%s-%d", r.chat.id, n)); err != nil {
			return err
		}
	}
	if n > 0 {
		return nil
	}
	for _, e := range mapByTime(full.byID) {
		b := decodeBubble(e.value)
		if err := give(&b, e.id); err != nil {
			return err
		}
	}
	return nil
}

// Complete counts a conversation's messages and finds its preview. It fills in
// what reading the conversation would say.
func (s *Source) Complete(ctx context.Context, h *retold.Header) error {
	d, err := read(ctx, h.Ref, true, func(retold.Message) error { return nil })
	if err != nil {
		return err
	}
	h.MessageCount, h.FirstMessagePreview = d.MessageCount, d.FirstMessagePreview
	h.Tokens, h.Problems, h.Sources = d.Tokens, d.Problems, d.Sources
	if h.Model == "" {
		h.Model = d.Model
	}
	if h.Title == "" {
		h.Title = d.Title
	}
	return nil
}

// follow keeps the model of a request from the bubble that named it: often only
// the person's bubble does.
func (r *reader) follow(b *bubble) string {
	if b.kind == 1 || b.requestID != "" && b.requestID != r.request {
		r.requestModel, r.request = "", b.requestID
	}
	if b.model != "" {
		r.requestModel = b.model
	}
	return r.requestModel
}

// addEarlyTool gives a bubble the tool data that records before _v 3 kept in the
// composer: capabilities[type 15].data.bubbleDataMap, a string of JSON or an
// object (formats C.5).
func (r *reader) addEarlyTool(b *bubble) {
	if len(r.early) == 0 || isTool(b.tool) {
		return
	}
	if data, ok := r.early[b.id]; ok {
		b.tool = data
	}
}

func earlyTools(full *composer) map[string]jscan.Value {
	early := map[string]jscan.Value{}
	for capability := range full.capabilities.Items() {
		if n, _ := capability.Get("type").Int(); n != 15 {
			continue
		}
		for id, data := range capability.At("data", "bubbleDataMap").Embedded().Members() {
			early[string(id)] = data
		}
	}
	return early
}
