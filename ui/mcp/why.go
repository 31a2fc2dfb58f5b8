package mcp

import (
	"context"
	"fmt"

	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func whyTool() *tool {
	return &tool{
		name: "why", title: "Which conversation wrote this",
		description: "Say which conversation a line of a file, a whole file or a commit came from: the prompt, the edit, and the evidence. Works for all of a repository's history; never guesses by time alone.\n" +
			"Examples: {\"file\": \"api/retry.go\", \"line\": 42}; {\"file\": \"api/retry.go\", \"offset\": 100}; {\"commit\": \"HEAD~2\"}.",
		params:   []string{"file", "line", "commit", "repo", "limit", "offset", "max_chars"},
		describe: map[string]string{"file": "path of the file: absolute, or as seen from repo", "commit": "the commit asked about; with file the state of it that is meant, otherwise as it lies there"},
		output:   whySchema(), kind: onDisk,
		run: aboutGit((*call).why),
	}
}

func (c *call) why(ctx context.Context) (*answer, error) {
	switch {
	case len(c.files) > 1:
		return nil, usage("call once for each", "why takes one file")
	case len(c.files) == 0 && c.commit == "":
		return nil, usage("give file, with line for one line of it, or commit", "why needs something to explain")
	case len(c.files) == 0 && c.line != nil:
		return nil, usage("give file as well", "line is a line of a file")
	}
	d, err := c.desk(ctx)
	if err != nil {
		return nil, err
	}
	if len(c.files) == 0 {
		return c.whyCommit(ctx, d)
	}
	rev := ""
	if c.commit != "" || d.repo.Bare {
		if rev, err = c.commitID(ctx, d); err != nil {
			return nil, err
		}
	}
	// With a line, so that no end of the name is taken for one.
	q, err := journal.Ask(ctx, d.repo, d.folder, rev, fmt.Sprintf("%s:%d", c.files[0], or(c.line, 1)))
	if err != nil {
		return nil, err
	}
	if c.line != nil {
		return c.whyLine(ctx, d, q)
	}
	q.Line = 0
	return c.whyFile(ctx, d, q)
}

func (c *call) whyCommit(ctx context.Context, d *desk) (*answer, error) {
	id, err := c.commitID(ctx, d)
	if err != nil {
		return nil, err
	}
	a, err := d.journal.Explain(ctx, d.repo, id)
	if err != nil {
		return nil, err
	}
	prompts := make([]string, len(a.Links))
	for i, l := range a.Links {
		if prompts[i], err = d.journal.Prompt(ctx, l.Key, l.MessageIndex); err != nil {
			return nil, err
		}
		prompts[i] = quote.Safe(prompts[i])
	}
	return c.told(a, func(p *page, most int) {
		p.say("Commit %s is %s.", shortCommit(a.Commit), inWords(a.Class))
		if a.SameAs != "" {
			p.say("It is the same change as %s.", shortCommit(a.SameAs))
		}
		if a.Reason != "" {
			p.quote(quote.Line(a.Reason))
		}
		for i, l := range atMost(a.Links, most) {
			p.say("[%s#%d] %s, score %g, wrote %s%s", shortID(l.SessionID), l.MessageIndex, l.Class, l.Score, counted(l.Lines, "line"), tied(l.Uncertain))
			p.quote(prompts[i])
			p.evidence(atMost(l.Evidence, most))
		}
	})
}

func tied(uncertain bool) string {
	if uncertain {
		return "; uncertain: another conversation explains it as well"
	}
	return ""
}

var evidenceSchema = list(record(object{
	"kind": str("what it is"), "weight": object{"type": "number"}, "detail": str("in words"), "messageIds": list(object{"type": "string"}, "where it stands"),
}, "messageIds"), "reasons, weighed")

// whySchema is that of the three answers of why: about a commit, a line, or the
// lines of a file.
func whySchema() object {
	members := object{
		"commit": maybe("full id; null for what is not committed"), "class": choice("linked, possible or none: how sure it is", "linked", "possible", "none"), "reason": str("why there is no link"),
		"file": str("path in the repository"), "line": integer("from 1"), "text": str("of the line"), "sessionId": maybe("conversation"), "messageId": maybe("edit"), "prompt": maybe("what was asked"),
		"score": object{"type": "number"}, "evidence": evidenceSchema, "promptId": maybe("of the prompt"), "promptIndex": maybeInt("session#index cites it"), "messageIndex": maybeInt("session#index cites it"),
		"agent": str("cursor, …"), "how": str("same, space, wrapped or moved"), "through": list(object{"type": "string"}, "commits that only moved it"),
		"links": list(object{"type": "object"}, "turns of conversations (sessionId, messageId, messageIndex, class, score, lines, evidence), best first"),
		"spans": list(object{"type": "object"}, "parts of conversations"), "files": list(object{"type": "object"}, "who wrote which lines"),
		"considered": integer("sessions"), "unreadable": integer("sessions"), "timeSource": str("the weakest"), "sameAs": str("commit"),
		"data": list(object{"type": "object"}, "of a file: its lines, each as the answer about one, without evidence"), "pagination": pageSchema,
	}
	optional := make([]string, 0, len(members))
	for name := range members {
		optional = append(optional, name)
	}
	return deedSchema(members, optional...)
}
