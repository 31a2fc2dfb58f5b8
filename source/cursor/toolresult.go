package cursor

import (
	"sync"

	"github.com/retold-history/retold/internal/jscan"
)

// toolResult are the members of a tool's result that are asked for. A result can
// hold a whole file, so it is walked once.
type toolResult struct {
	rejected, failure, applyFailed, nonExistent jscan.Value
	inner                                       jscan.Value // result, an MCP server's answer
	exitCodeV2, exitCode                        jscan.Value
	popped, background, endedReason             jscan.Value
	beforeID, afterID, before, after, diff      jscan.Value
	created, isNew                              jscan.Value
	planURI                                     jscan.Value
}

// told is the result, read when it is first asked for.
func (t *toolData) told() *toolResult {
	if t.members != nil {
		return t.members
	}
	r := &toolResult{}
	t.members = r
	for key, m := range t.result.Members() {
		if to := r.member(string(key)); to != nil {
			*to = m
		}
	}
	return r
}

func (r *toolResult) member(key string) *jscan.Value {
	switch key {
	case "rejected":
		return &r.rejected
	case "error":
		return &r.failure
	case "applyFailed":
		return &r.applyFailed
	case "fileNonExistent":
		return &r.nonExistent
	case "result":
		return &r.inner
	case "exitCodeV2":
		return &r.exitCodeV2
	case "exitCode":
		return &r.exitCode
	case "poppedOutIntoBackground":
		return &r.popped
	case "isRunningInBackground":
		return &r.background
	case "endedReason":
		return &r.endedReason
	case "beforeContentId":
		return &r.beforeID
	case "afterContentId":
		return &r.afterID
	case "contentsBeforeEdit":
		return &r.before
	case "contentsAfterEdit":
		return &r.after
	case "diff":
		return &r.diff
	case "fileWasCreated":
		return &r.created
	case "isNewFile":
		return &r.isNew
	case "planUri":
		return &r.planURI
	}
	return nil
}

// fileTexts keeps the file texts that were read last: what one edit of a file
// leaves is what the next one finds. It is safe for concurrent use.
type fileTexts struct {
	mu    sync.Mutex
	texts map[string]string
	order []string // keys, oldest first
	size  int
}

// The most bytes of texts that are kept, and of one text among them.
const (
	textsKept = 4 << 20
	textKept  = 1 << 20
)

// text returns the text under a key; nil keeps nothing. The key is that of a
// content and never holds another.
func (f *fileTexts) text(key string, read rows) (string, bool) {
	if f == nil {
		b, ok := read(key)
		return string(b), ok
	}
	f.mu.Lock()
	text, ok := f.texts[key]
	f.mu.Unlock()
	if ok {
		return text, true
	}
	b, ok := read(key)
	if text = string(b); !ok || len(text) > textKept {
		return text, ok
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.texts[key]; known {
		return text, true
	}
	if f.texts == nil {
		f.texts = map[string]string{}
	}
	f.texts[key], f.order, f.size = text, append(f.order, key), f.size+len(text)
	for f.size > textsKept {
		f.size -= len(f.texts[f.order[0]])
		delete(f.texts, f.order[0])
		f.order = f.order[1:]
	}
	return text, true
}
