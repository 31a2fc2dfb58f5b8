package mcp

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/ui/mcp/quote"
)

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
		run:  aboutGit((*call).journalEntry),
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
		return nil, &retold.Error{Code: retold.CodeEntryNotFound, Op: "read entry", Path: shortCommit(id), Err: errors.New("there is none"), Hint: "call why with this commit"}
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
		run: aboutGit((*call).addReflection),
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
