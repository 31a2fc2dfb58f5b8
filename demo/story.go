package demo

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed story/*.txtar
var storyFiles embed.FS

// A story is one conversation, before it is written in one of Cursor's forms.
type story struct {
	name      string
	shape     string // how it is stored; see story/README.md
	workspace *workspace
	title     string
	model     string
	mode      string
	branch    string
	parent    string // name of the story that started this one as a sub-agent
	draft     string // text waiting in the input box
	archived  bool
	also      string // "transcript": stored a second time
	start     time.Time
	end       time.Time
	steps     []step
}

// A step is one thing said or done. Its body has a small syntax of its own for
// each verb.
type step struct {
	id      string // of the bubble
	call    string // of the tool call
	request string // shared by all steps of one question
	verb    string
	subject string
	attr    map[string]string
	body    string
	at      time.Time
	took    time.Duration
}

var verbs = []string{
	"user", "notice", "assistant", "thinking", "error", "read", "edit", "write", "patch", "delete",
	"shell", "grep", "glob", "list", "todo", "plan", "task", "web", "mcp", "ask",
}

// attribute says whether a step may have the attribute with that value. Numbers
// are checked here, so that nothing later has to.
func attribute(key, value string) bool {
	switch key {
	case "exit", "tokens":
		_, err := strconv.Atoi(value)
		return err == nil
	case "sel":
		var from, to int
		_, lines, _ := strings.Cut(value, ":")
		_, err := fmt.Sscanf(lines, "%d-%d", &from, &to)
		return err == nil && from <= to
	case "wait", "status", "via", "file", "image", "orphan", "missing", "tombstone", "malformed", "child", "type", "by", "decision":
		return value != ""
	}
	return false
}

// spoken says whether the step is words and not a tool call.
func (s step) spoken() bool { return slices.Contains(verbs[:5], s.verb) }

func loadStories() ([]*story, error) {
	names, err := storyFiles.ReadDir("story")
	if err != nil {
		return nil, err
	}
	var all []*story
	for _, e := range names {
		data, err := storyFiles.ReadFile("story/" + e.Name())
		if err != nil {
			return nil, err
		}
		s, err := parseStory(strings.TrimSuffix(e.Name(), ".txtar"), txtar.Parse(data))
		if err != nil {
			return nil, fmt.Errorf("story %s: %w", e.Name(), err)
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b *story) int { return a.start.Compare(b.start) })
	return all, nil
}

func parseStory(name string, ar *txtar.Archive) (*story, error) {
	s := &story{name: name, mode: "agent", model: "default"}
	for line := range strings.Lines(string(ar.Comment)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			continue
		}
		if err := s.set(key, value); err != nil {
			return nil, err
		}
	}
	if s.workspace == nil || s.shape == "" || s.start.IsZero() {
		return nil, fmt.Errorf("shape, workspace or start is missing")
	}
	now := s.start
	request := ""
	for i, f := range ar.Files {
		st, err := parseStep(f)
		if err != nil {
			return nil, err
		}
		st.id = uuid(name, fmt.Sprint(i))
		if st.verb == "user" || st.verb == "notice" {
			request = uuid(name, "request", fmt.Sprint(i))
		}
		st.request = request
		st.call = callID(s.model, name, i)
		if now, err = st.schedule(now, i); err != nil {
			return nil, err
		}
		s.steps = append(s.steps, st)
	}
	s.end = now
	return s, nil
}

func (s *story) set(key, value string) (err error) {
	switch key {
	case "shape":
		s.shape = value
	case "workspace":
		if s.workspace = findWorkspace(value); s.workspace == nil {
			return fmt.Errorf("no workspace %q", value)
		}
	case "title":
		s.title = value
	case "model":
		s.model = value
	case "mode":
		s.mode = value
	case "branch":
		s.branch = value
	case "parent":
		s.parent = value
	case "draft":
		s.draft = value
	case "also":
		s.also = value
	case "archived":
		s.archived = value == "yes"
	case "start":
		s.start, err = time.Parse("2006-01-02 15:04:05", value)
		if err != nil {
			s.start, err = time.Parse("2006-01-02 15:04", value)
		}
	default:
		return fmt.Errorf("unknown line %q", key)
	}
	return err
}

func parseStep(f txtar.File) (step, error) {
	verb, rest, _ := strings.Cut(f.Name, " ")
	st := step{verb: verb, attr: map[string]string{}, body: strings.TrimSuffix(string(f.Data), "\n")}
	if !slices.Contains(verbs, verb) {
		return st, fmt.Errorf("unknown verb %q", verb)
	}
	var words []string
	for word := range strings.FieldsSeq(rest) {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			words = append(words, word)
			continue
		}
		if !attribute(key, value) {
			return st, fmt.Errorf("attribute %q is unknown or of another form", word)
		}
		st.attr[key] = value
	}
	st.subject = strings.Join(words, " ")
	return st, nil
}

// schedule gives the step its time: a plausible while after the one before, or
// what its wait= attribute says.
func (s *step) schedule(now time.Time, i int) (time.Time, error) {
	jitter := time.Duration(seed(s.id)%7919) * time.Millisecond
	switch s.verb {
	case "user", "notice":
		if i > 0 {
			now = now.Add(3*time.Minute + 9*jitter)
		}
		s.took = 2*time.Second + jitter/4 // until the first word of the answer
	case "thinking", "assistant", "plan":
		s.took = 2*time.Second + time.Duration(len(s.body))*9*time.Millisecond + jitter/2
	case "edit", "write", "patch", "web":
		s.took = 5*time.Second + time.Duration(len(s.body))*6*time.Millisecond + jitter
	case "shell":
		s.took = 6*time.Second + 3*jitter
		if s.attr["status"] == "timeout" {
			s.took = 2 * time.Minute
		}
	case "task":
		s.took = 70*time.Second + 8*jitter
	default:
		s.took = 1200*time.Millisecond + jitter/3
	}
	if w := s.attr["wait"]; w != "" {
		wait, err := time.ParseDuration(w)
		if err != nil {
			return now, err
		}
		now = now.Add(wait)
	}
	s.at = now
	return now.Add(s.took).Truncate(time.Millisecond), nil
}

// id is the session's own id.
func (s *story) id() string {
	if s.parent != "" && s.ide() {
		return "task-" + callID("claude", s.name, 0)
	}
	return uuid(s.name)
}

// ide says whether the session belongs to the IDE's databases.
func (s *story) ide() bool {
	switch s.shape {
	case "cli", "cli-old", "acp", "transcript", "transcript-txt":
		return false
	}
	return true
}

func (s *story) hasState() bool {
	return s.shape == "headers" || s.shape == "table" || s.shape == "agentkv"
}

func uuid(parts ...string) string {
	sum := sha256.Sum256([]byte("retold demo " + strings.Join(parts, "/")))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func callID(model, name string, i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "retold demo call %s/%d", name, i))
	if strings.HasPrefix(model, "gpt") {
		return "call_" + hex.EncodeToString(sum[:12])
	}
	return "toolu_01" + hex.EncodeToString(sum[:11])
}

func seed(s string) uint32 {
	sum := sha256.Sum256([]byte(s))
	return uint32(sum[0])<<16 | uint32(sum[1])<<8 | uint32(sum[2])
}
