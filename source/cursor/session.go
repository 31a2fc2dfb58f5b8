package cursor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
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

func read(ctx context.Context, ref retold.Ref, counting bool, yield func(retold.Message) error) (d *retold.SessionDetail, err error) {
	return readWith(ctx, ref, counting, yield, func(*reader) {})
}

// readWith reads a chat; set is called once all lists have been read and nothing
// of it was yielded.
func readWith(ctx context.Context, ref retold.Ref, counting bool, yield func(retold.Message) error, set func(*reader)) (d *retold.SessionDetail, err error) {
	g, c, err := findChat(ctx, ref.Place, ref.ID, counting)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, g.close()); err != nil {
			d = nil
		}
	}()
	if c == nil {
		if err := g.unreadable(); err != nil {
			return nil, err
		}
		return nil, &retold.Error{Code: retold.CodeSessionNotFound, Op: "read session", Path: ref.ID, Hint: "retold list", Err: errors.New("no such session")}
	}
	r := &reader{ctx: ctx, g: g, chat: c, yield: yield, ids: unique{}, checkpoints: map[string]string{}, lacking: map[string]bool{}, detail: &retold.SessionDetail{Session: g.session(c)}}
	r.detail.MessageCount, r.detail.FirstMessagePreview = 0, ""
	if r.detail.Title == c.preview { // the title that a listing makes up, made again below
		r.detail.Title = ""
	}
	r.detail.ProblemList = append(r.detail.ProblemList, c.problems...)
	for _, f := range g.flaws { // the backup stands in, the log could not be read, a part of the file is damaged
		if g.db != nil && f.Path == globalDB(g.user) && f.Key == "" {
			r.detail.ProblemList = append(r.detail.ProblemList, f.Problem)
		}
	}
	r.dater = dater{start: r.detail.CreatedAt, end: r.detail.UpdatedAt, yield: r.emit}
	r.mapper = mapper{composer: &g.full, counting: counting, index: &blockIndex{}, around: r.around}
	r.early = earlyTools(&g.full)
	set(r)
	if err := r.run(); err != nil {
		return nil, err
	}
	r.finish()
	return r.detail, nil
}

// unreadable is the trouble that may hide a chat: a database that could not be
// opened is not the same as a chat that does not exist.
func (g *catalog) unreadable() error {
	for _, f := range g.flaws {
		if f.Kind == retold.ProblemUnreadable && f.Path == globalDB(g.user) {
			return f.asError()
		}
	}
	return nil
}

// A reader yields the messages of one chat.
type reader struct {
	ctx    context.Context
	g      *catalog
	chat   *chat
	order  order
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

	turns       map[string][2]int // slots of the person's messages around each bubble; nil until asked for
	checkpoints map[string]string // of the person's messages, as far as looked up

	lacking map[string]bool // texts told of as missing
	memo    *memo           // nil when nobody wants to resume
	beside  keySum          // the chat's records beside its bubbles

	agentMu sync.Mutex
	thought bool                   // a message of thinking was yielded
	said    map[uint64]bool        // what was yielded, where the agent's state may have more; else nil
	asked   map[string]requestTime // when requests were made, by id; nil until one is looked up
}

func (r *reader) run() (err error) {
	switch r.chat.kind {
	case bodyTabs:
		err = r.tab()
	case bodyPrompts:
		err = r.prompts()
	case bodyInline:
		full := decodeComposer(r.chat.home.inline[r.chat.id])
		r.mapper.composer, r.early = &full, earlyTools(&full)
		err = r.inline(&full)
	default:
		if r.g.db == nil || !r.g.tables.disk { // only a list names it
			return r.g.unreadable()
		}
		return r.global()
	}
	if err != nil {
		return err
	}
	return r.dater.finish()
}

// emit numbers a message, keeps the session's sums, and passes it on.
func (r *reader) emit(m retold.Message) error {
	d := r.detail
	m.ID = r.ids.id(m.ID)
	m.Index = d.MessageCount
	d.MessageCount++
	if m.Role == retold.RoleUser && d.FirstMessagePreview == "" {
		d.FirstMessagePreview = retold.Preview(m.Content)
	}
	if r.said != nil {
		key := sayKey(&m)
		r.said[key] = true
		if r.memo != nil {
			r.memo.next.said = append(r.memo.next.said, key)
		}
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
	path := globalDB(r.g.user)
	if r.g.db != nil {
		path = r.g.db.Path()
	}
	r.detail.ProblemList = append(r.detail.ProblemList, retold.Problem{Path: path, Key: key, Kind: kind, Reason: fmt.Sprintf(format, args...)})
}

// give passes a message of the conversation on to be dated.
func (r *reader) give(m retold.Message) error {
	if m.Timestamp.IsZero() && m.RequestID != "" && !r.mapper.counting {
		r.dateByRequest(&m)
	}
	return r.dater.add(m)
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
			if err := r.give(m); err != nil {
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
