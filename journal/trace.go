package journal

import (
	"context"
	"crypto/sha1" //nolint:gosec // version 5 UUIDs are made with it
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold/git"
)

// TraceVersion is the version of Agent Trace that Trace writes.
const TraceVersion = "0.1.0"

// A TraceRecord is one record of Agent Trace 0.1.0 (agent-trace.dev): which lines
// of a commit which conversation wrote.
type TraceRecord struct {
	Version   string      `json:"version"`
	ID        string      `json:"id"`        // UUID, the same for the same commit
	Timestamp time.Time   `json:"timestamp"` // when the commit was made
	VCS       TraceVCS    `json:"vcs"`
	Tool      TraceTool   `json:"tool"`
	Files     []TraceFile `json:"files"`
}

// TraceVCS names the revision that line numbers are those of.
type TraceVCS struct {
	Type     string `json:"type"`
	Revision string `json:"revision"`
}

// TraceTool is what made the record.
type TraceTool struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// TraceFile is one file with the conversations that wrote in it.
type TraceFile struct {
	Path          string              `json:"path"`
	Conversations []TraceConversation `json:"conversations"`
}

// TraceConversation is one turn of a session, and its lines.
type TraceConversation struct {
	URL         string           `json:"url,omitempty"`
	Contributor TraceContributor `json:"contributor"`
	Ranges      []TraceRange     `json:"ranges"`
	Related     []TraceRelated   `json:"related,omitempty"`
}

// TraceContributor says who wrote: an agent, by the model that is recorded.
type TraceContributor struct {
	Type    string `json:"type"`
	ModelID string `json:"model_id,omitempty"`
}

// TraceRange is a run of lines, both ends included, from 1.
type TraceRange struct {
	StartLine int `json:"start_line"`
	EndLine   int `json:"end_line"`
}

// TraceRelated is something else that belongs to the conversation.
type TraceRelated struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

// Trace makes the Agent Trace record of a commit; nil when no conversation wrote a
// line of it. version is that of this program.
func (j *Journal) Trace(ctx context.Context, repo *git.Repo, commit, version string) (*TraceRecord, error) {
	c, err := repo.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	a, err := j.Explain(ctx, repo, c.ID)
	if err != nil {
		return nil, err
	}
	r := &TraceRecord{
		Version: TraceVersion, ID: traceID(c.ID), Timestamp: c.Committer.Time.UTC(), VCS: TraceVCS{"git", c.ID}, Tool: TraceTool{"retold", version},
	}
	models, err := j.wroteBy(ctx, a)
	if err != nil {
		return nil, err
	}
	for _, f := range a.Files {
		if len(f.Wrote) == 0 {
			continue
		}
		file := TraceFile{Path: f.Path}
		for _, w := range f.Wrote {
			address := "retold://session/" + url.PathEscape(w.SessionID) + "/message/" + url.PathEscape(w.PromptID)
			i := slices.IndexFunc(file.Conversations, func(c TraceConversation) bool { return c.URL == address })
			if i < 0 {
				i = len(file.Conversations)
				file.Conversations = append(file.Conversations, TraceConversation{URL: address, Contributor: TraceContributor{Type: "ai", ModelID: models[w.SessionID+"\x00"+w.MessageID]}})
			}
			ranges := &file.Conversations[i].Ranges
			*ranges = append(*ranges, TraceRange{w.From, w.To})
		}
		r.Files = append(r.Files, file)
	}
	if len(r.Files) == 0 {
		return nil, nil
	}
	return r, nil
}

// wroteBy are the models of the messages that wrote lines, as far as they are
// recorded.
func (j *Journal) wroteBy(ctx context.Context, a *Attribution) (map[string]string, error) {
	models := map[string]string{}
	wanted := map[string]bool{}
	for _, f := range a.Files {
		for _, w := range f.Wrote {
			wanted[w.SessionID+"\x00"+w.MessageID] = true
		}
	}
	for _, span := range a.Spans {
		for m, err := range j.history.Messages(ctx, span.Key, span.From) {
			if err != nil {
				return nil, fmt.Errorf("read session %s: %w", span.SessionID, err)
			}
			if m.Index > span.To {
				break
			}
			if key := span.SessionID + "\x00" + m.ID; wanted[key] {
				models[key] = modelID(m.Model)
			}
		}
	}
	return models, nil
}

// modelID is a model as Agent Trace names it: provider/model, where the provider
// follows from the name.
func modelID(model string) string {
	if model == "" || strings.Contains(model, "/") {
		return model
	}
	for _, p := range []struct{ begins, provider string }{
		{"claude", "anthropic"},
		{"gpt", "openai"},
		{"o1", "openai"},
		{"o3", "openai"},
		{"o4", "openai"},
		{"codex", "openai"},
		{"gemini", "google"},
		{"grok", "xai"},
		{"deepseek", "deepseek"},
		{"composer", "cursor"},
		{"cursor", "cursor"},
	} {
		if strings.HasPrefix(strings.ToLower(model), p.begins) {
			return p.provider + "/" + model
		}
	}
	return model
}

// traceSpace is the name space of the ids of records.
var traceSpace = [16]byte{0x72, 0x65, 0x74, 0x6f, 0x6c, 0x64, 0x41, 0x54, 0x8a, 0x01, 0x61, 0x67, 0x65, 0x6e, 0x74, 0x31}

// traceID is a version 5 UUID that follows from the commit.
func traceID(commit string) string {
	h := sha1.New() //nolint:gosec // as above
	h.Write(traceSpace[:])
	h.Write([]byte(commit))
	u := h.Sum(nil)[:16]
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	s := hex.EncodeToString(u)
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
