package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func contextTool() *tool {
	return &tool{
		name: "commit_context", title: "Conversations around a commit",
		description: "The conversations about a repository between a commit's parent and the commit, and those that evidence ties to it: messages with score and evidence.\n" +
			"Example: {\"commit\": \"HEAD\"}.",
		params: []string{"commit", "repo", "max_chars"},
		output: deedSchema(object{
			"commit": str("full id"), "subject": str("of its message"), "class": str("linked, possible or none"), "from": instant("its parent"), "to": instant("the commit"),
			"sessions": list(object{"type": "object"}, "sessionId, agent, title, class, score, total, messages (messageId, index, role, timestamp, toolName, text, score, evidence), best first"),
		}),
		kind: onDisk,
		run:  (*call).commitContext,
	}
}

func (c *call) commitContext(ctx context.Context) (*answer, error) {
	d, err := c.desk(ctx)
	if err != nil {
		return nil, err
	}
	id, err := c.commitID(ctx, d)
	if err != nil {
		return nil, err
	}
	w, err := d.journal.Window(ctx, d.repo, id)
	if err != nil {
		return nil, err
	}
	return c.told(w, func(p *page, most int) {
		p.say("Commit %s is %s.", shortCommit(w.Commit), inWords(w.Class))
		p.quote(quote.Line(w.Subject))
		if len(w.Sessions) == 0 {
			p.say("No conversation about this repository lies between it and its parent.")
		}
		for _, s := range atMost(w.Sessions, most) {
			p.say("session %s · %s · %s · score %g · %s", shortID(s.SessionID), ident(s.Agent), s.Class, s.Score, counted(s.Total, "message"))
			p.quote("title: " + quote.Title(quote.Preview(s.Title)))
			for _, m := range atMost(s.Messages, most) {
				c.windowMessage(p, &s, &m, most)
			}
		}
	})
}

func (c *call) windowMessage(p *page, s *journal.WindowSession, m *journal.WindowMessage, most int) {
	var at time.Time
	if m.Timestamp != nil {
		at = *m.Timestamp
	}
	head := fmt.Sprintf("[%s#%d] %s · %s", shortID(s.SessionID), m.Index, m.Role, quote.When(at, c.at))
	if m.Score != 0 {
		head += fmt.Sprintf(" · score %g", m.Score)
	}
	p.say("%s", head)
	if text := strings.TrimSpace(quote.Line(m.ToolName) + "\n" + quote.Safe(m.Text)); text != "" {
		p.quote(text)
	}
	p.evidence(atMost(m.Evidence, most))
}

func entryTool() *tool {
	return &tool{
		name: "journal_entry", title: "The journal's entry of a commit",
		description: "What was asked, decided, tried and run on the way to a commit, in quotes that cite session#message. What nobody has written down yet is worked out, and not kept.\n" +
			"Example: {\"commit\": \"3f9a2c1\"}.",
		params: []string{"commit", "repo", "max_chars"},
		output: deedSchema(object{
			"kept": boolean("it is written down; false: it was worked out now"), "entry": object{"type": "object", "description": "as retold journal show --json: intent, todos, files, discussion, roadblocks, commands, reflections, confidence, …"},
		}),
		kind: onDisk,
		run:  (*call).journalEntry,
	}
}

// A toldEntry is the answer of journal_entry.
type toldEntry struct {
	Kept  bool           `json:"kept"`
	Entry *journal.Entry `json:"entry"`
}

func (c *call) journalEntry(ctx context.Context) (*answer, error) {
	d, err := c.desk(ctx)
	if err != nil {
		return nil, err
	}
	repoID, err := d.journal.RepoID(ctx, d.repo)
	if err != nil {
		return nil, err
	}
	id, unknown := c.commitID(ctx, d)
	if unknown != nil { // it may have been rewritten since
		if ctx.Err() != nil || c.commit == "" {
			return nil, unknown
		}
		id = c.commit
	}
	x := toldEntry{Kept: true}
	x.Entry, err = d.journal.Entry(ctx, repoID, id)
	if errors.Is(err, retold.ErrNoNote) {
		if unknown != nil {
			return nil, unknown
		}
		var w *journal.Written
		if w, err = d.journal.Write(ctx, d.repo, id, journal.WriteOptions{DryRun: true}); err == nil {
			x.Kept, x.Entry = false, w.Entry
		}
	}
	if err != nil {
		return nil, err
	}
	if x.Entry == nil {
		return nil, &retold.Error{Code: codeEntryNotFound, Op: "read entry", Path: shortCommit(id), Err: errors.New("there is none"), Hint: "call why with this commit"}
	}
	text := quote.Safe(x.Entry.Markdown(time.UTC))
	return c.told(x, func(p *page, _ int) {
		p.say("Commit %s is %s.", shortCommit(x.Entry.Commit.ID), inWords(x.Entry.Class))
		if !x.Kept {
			p.say("Nobody has written its entry down; this was worked out now.")
		}
		p.quote(text)
	})
}

func journalSearchTool() *tool {
	return &tool{
		name: "journal_search", title: "Search the journal",
		description: "Find commits by what the journal says of them: entries that hold every word, newest first. Only what was written down is searched; search_sessions searches the conversations.\n" +
			"Example: {\"words\": \"retry budget\"}.",
		params: []string{"words", "repo", "limit", "offset", "max_chars"}, required: []string{"words"},
		output: answerSchema(object{
			"data": list(record(object{
				"repo": str("name"), "commit": str("full id"), "committed": instant("when"), "subject": str("of its message"), "class": str("linked, possible or none"), "where": list(object{"type": "string"}, "texts that hold the words"),
			}), "entries"), "pagination": pageSchema,
		}),
		kind: onDisk,
		run:  (*call).journalSearch,
	}
}

// A foundEntry is an entry in a list, as the command line has it.
type foundEntry struct {
	Repo    string        `json:"repo"`
	Commit  string        `json:"commit"`
	At      time.Time     `json:"committed"`
	Subject string        `json:"subject"`
	Class   journal.Class `json:"class"`
	Where   []string      `json:"where"`
}

func (c *call) journalSearch(ctx context.Context) (*answer, error) {
	d, err := c.desk(ctx)
	if err != nil {
		return nil, err
	}
	repoID, err := d.journal.RepoID(ctx, d.repo)
	if err != nil {
		return nil, err
	}
	found, problems, err := d.journal.Search(ctx, repoID, strings.Fields(c.words))
	if err != nil {
		return nil, err
	}
	limit, offset := or(c.limit, retold.DefaultLimit), min(or(c.offset, 0), len(found))
	some := found[offset:min(offset+limit, len(found))]
	var rows []row
	for _, f := range some {
		r, err := c.foundRow(&f)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	at := retold.Pagination{Total: len(found), Limit: limit, Offset: offset, HasMore: offset+len(some) < len(found)}
	var unread []retold.Problem
	for _, why := range problems {
		unread = append(unread, retold.Problem{Kind: retold.ProblemUnreadable, Reason: why})
	}
	return c.rows("entry", rows, at, footing{Problems: safeProblems(unread)}, nil, "journal_search")
}

func (c *call) foundRow(f *journal.Found) (row, error) {
	e := f.Entry
	x := foundEntry{e.Repo.Name, e.Commit.ID, e.Commit.Committed, quote.Preview(e.Commit.Subject), e.Class, []string{}}
	for _, where := range f.Where {
		x.Where = append(x.Where, quote.Preview(where))
	}
	body, err := json.Marshal(x)
	if err != nil {
		return row{}, err
	}
	p := &page{}
	p.say("commit %s · %s · %s", shortCommit(x.Commit), quote.When(x.At, c.at), x.Class)
	lines := []string{x.Subject}
	for _, where := range x.Where {
		if where != x.Subject {
			lines = append(lines, where)
		}
	}
	p.lines(lines)
	return row{quote.JSON(body), p}, nil
}

func reflectionTool() *tool {
	return &tool{
		name: "add_reflection", title: "Write a thought into the journal",
		description: "Write down, word for word, what should be remembered: it becomes part of the entry of the repository's next commit. Kept in retold's own notebook; nothing in the repository changes. A thought of the person's only in the person's words.\n" +
			"Example: {\"text\": \"The retry budget was the right call.\"}.",
		params: []string{"text", "kind", "repo"}, required: []string{"text"},
		output: deedSchema(object{
			"id": str("of the reflection"), "text": str("as written, secrets masked"), "kind": str("reflection or context"), "at": instant("when"), "by": str("the program that asked"),
		}, "by"),
		writes: true, kind: making,
		run: (*call).addReflection,
	}
}

func (c *call) addReflection(ctx context.Context) (*answer, error) {
	d, err := c.desk(ctx)
	if err != nil {
		return nil, err
	}
	r, err := d.journal.Reflect(ctx, d.repo, cmp.Or(c.kind, "reflection"), quote.Line(c.who.name), c.thought)
	if err != nil {
		return nil, err
	}
	return c.told(r, func(p *page, _ int) {
		p.say("Written down as %s; it goes into the entry of the next commit of this repository:", ident(r.ID))
		p.quote(quote.Safe(r.Text))
	})
}
