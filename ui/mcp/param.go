package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
)

// An input is what a call asks, whatever the tool: a parameter means the same in
// all of them. Lists are empty and numbers nil where nothing was said.
type input struct {
	session, message, part, query, path, format, tools string
	since, until, around, fingerprint                  string
	to, home, id                                       string
	repo, commit, words, thought, kind                 string

	workspaces, agents, models, branches, titles, toolNames, files, roles []string
	picked                                                                []string // several sessions

	hasError, hasEdit, empty, current, confirm bool
	copies, overwrite, intoLibrary, quick      bool

	limit, offset, from, maxChars, line *int
}

// A param is one parameter: what clients are told of it, and where it goes.
type param struct {
	schema map[string]any
	set    func(in *input, v json.RawMessage) error
}

// Bounds of max_chars.
const (
	defaultChars = 20_000
	leastChars   = 2_000
	mostChars    = 400_000
)

var roleNames = names(retold.Roles)

// params are the parameters of all tools. The table is only read.
var params = map[string]param{
	"session": text("the session: an id, a unique beginning of one (at least 4 characters), or its number in the listing, as other tools give them",
		func(in *input) *string { return &in.session }),
	"message": text("the message: its index in the session (from 0; -1 is the last), its id, or a citation (1a2b3c4d-5e6f#14)", func(in *input) *string { return &in.message }),
	"query": text(`what to look for: words that must all be there, "exact phrases", prefix*, -not, OR, /regular expressions/, and fields: role:user tool:edit file:main.go workspace:api agent:cursor since:7d has:error title:`,
		func(in *input) *string { return &in.query }),
	"path":   text("absolute path of the file to write; leave it out to get the text inline", func(in *input) *string { return &in.path }),
	"since":  text("only what was touched since then: 2026-03-01, RFC 3339, 7d, 3h, yesterday", func(in *input) *string { return &in.since }),
	"until":  text("only what began until then, a day counts whole: 2026-03-01, RFC 3339, 7d, yesterday", func(in *input) *string { return &in.until }),
	"around": text("the index (negative: from the end) or id of a message, or a citation (#14): the answer is the messages around it", func(in *input) *string { return &in.around }),
	"fingerprint": text("the fingerprint that the dry run gave, together with confirm",
		func(in *input) *string { return &in.fingerprint }),
	"part": enum("the part of the message to give whole, in pieces of max_chars; without it the message with all parts, shortened where it is long",
		func(in *input) *string { return &in.part }, messageParts...),
	"format": enum("how to write it", func(in *input) *string { return &in.format }, "md", "json", "html", "jsonl", "csv", "text"),
	"tools":  enum("how much of the tool calls", func(in *input) *string { return &in.tools }, "short", "full", "none"),

	"workspace": text("only sessions about this folder: an absolute path, the end of one, or its name; . for the folder you work in", nil).
		into(func(in *input) *[]string { return &in.workspaces }, false),
	"agent": text("only of this agent", nil).into(func(in *input) *[]string { return &in.agents }, true),
	"title": text("only sessions with this in their title", nil).into(func(in *input) *[]string { return &in.titles }, false),
	"model": text("only sessions with a model whose name holds this", nil).into(func(in *input) *[]string { return &in.models }, true),
	"branch": text("only sessions on this git branch; * and ? stand for anything", nil).
		into(func(in *input) *[]string { return &in.branches }, false),
	"tool": text("only where a tool of this name was called, or of a kind: read, edit, shell, search, list, web, mcp, task, todo, plan", nil).
		into(func(in *input) *[]string { return &in.toolNames }, true),
	"file": text("only where a tool call touched a path holding this", nil).into(func(in *input) *[]string { return &in.files }, false),
	"role": enum("only what this role said or did", nil, roleNames...).into(func(in *input) *[]string { return &in.roles }, true),
	"roles": param{schema: map[string]any{
		"type": "array", "items": map[string]any{"type": "string", "enum": roleNames},
		"description": `only messages of these roles, for example ["user", "assistant"] for what was said; all when left out`,
	}}.into(func(in *input) *[]string { return &in.roles }, true),

	"sessions": param{schema: map[string]any{
		"type": "array", "items": map[string]any{"type": "string"}, "description": "the sessions: ids, unique beginnings of them, or numbers in the listing",
	}}.into(func(in *input) *[]string { return &in.picked }, true),
	"to":   text("absolute path of the folder that they are to be about, or an address (vscode-remote://…)", func(in *input) *string { return &in.to }),
	"home": text("absolute path of a new or empty folder", func(in *input) *string { return &in.home }),
	"id":   text("the change", func(in *input) *string { return &in.id }),

	"repo":   text("absolute path of a folder in the git repository; left out: where you work", func(in *input) *string { return &in.repo }),
	"commit": text("the commit: id, branch, tag, HEAD~1; HEAD when left out", func(in *input) *string { return &in.commit }),
	"line":   number("one line of the file, from 1", 1, 1, math.MaxInt32, func(in *input) **int { return &in.line }),
	"words":  text("words that an entry has to hold, all of them", func(in *input) *string { return &in.words }),
	"text":   text("what to write down", func(in *input) *string { return &in.thought }),
	"kind":   enum("reflection: a thought; context: what a later agent should know", func(in *input) *string { return &in.kind }, "reflection", "context"),

	"copy":         flag("leave the originals where they are", func(in *input) *bool { return &in.copies }),
	"overwrite":    flag("replace sessions that are newer here than in the backup", func(in *input) *bool { return &in.overwrite }),
	"into_library": flag("only take sessions that retold's own library does not hold into it", func(in *input) *bool { return &in.intoLibrary }),
	"quick":        flag("only hashes and lists, neither databases nor sessions", func(in *input) *bool { return &in.quick }),

	"has_error":       flag("only where something went wrong", func(in *input) *bool { return &in.hasError }),
	"has_edit":        flag("only where files were edited", func(in *input) *bool { return &in.hasEdit }),
	"empty":           flag("also drafts and sessions in which nothing was said", func(in *input) *bool { return &in.empty }),
	"include_current": flag("also the conversation this call comes from, which is left out when it is recognised", func(in *input) *bool { return &in.current }),
	"confirm":         flag("go ahead; without it the call is a dry run that writes nothing", func(in *input) *bool { return &in.confirm }),

	"limit":     number("most items in the answer; fewer come where max_chars is reached", retold.DefaultLimit, 1, retold.MaxLimit, func(in *input) **int { return &in.limit }),
	"offset":    number("how many items to skip: where the answer before ended", 0, 0, math.MaxInt32, func(in *input) **int { return &in.offset }),
	"from":      number("index of the first message wanted; negative counts from the end: -20 for the last twenty", 0, math.MinInt32, math.MaxInt32, func(in *input) **int { return &in.from }),
	"max_chars": number("most characters of the answer; what is longer is shortened, and says so", defaultChars, leastChars, mostChars, func(in *input) **int { return &in.maxChars }),
}

func text(description string, field func(*input) *string) param {
	return param{
		schema: map[string]any{"type": "string", "description": description},
		set: func(in *input, v json.RawMessage) error {
			list, err := wordsOf(v, false)
			if err == nil && len(list) > 1 {
				err = fmt.Errorf("one value, not %d", len(list))
			}
			if err == nil && len(list) == 1 {
				*field(in) = list[0]
			}
			return err
		},
	}
}

func enum(description string, field func(*input) *string, values ...string) param {
	p := text(description, field)
	p.schema["enum"] = values
	return p
}

// into makes a parameter take several values, split at commas where no value
// holds one.
func (p param) into(field func(*input) *[]string, split bool) param {
	p.set = func(in *input, v json.RawMessage) error {
		list, err := wordsOf(v, split)
		*field(in) = append(*field(in), list...)
		return err
	}
	return p
}

func flag(description string, field func(*input) *bool) param {
	return param{
		schema: map[string]any{"type": "boolean", "default": false, "description": description},
		set: func(in *input, v json.RawMessage) error {
			b, err := strconv.ParseBool(strings.ToLower(strings.Trim(string(v), `" `)))
			if err != nil {
				return fmt.Errorf("true or false, not %s", v)
			}
			*field(in) = b
			return nil
		},
	}
}

func number(description string, value, least, most int, field func(*input) **int) param {
	schema := map[string]any{"type": "integer", "default": value, "description": description}
	if least > math.MinInt32 {
		schema["minimum"] = least
	}
	if most < math.MaxInt32 {
		schema["maximum"] = most
	}
	return param{schema: schema, set: func(in *input, v json.RawMessage) error {
		f, err := strconv.ParseFloat(strings.Trim(string(v), `" `), 64)
		if err != nil || f != math.Trunc(f) {
			return fmt.Errorf("a whole number, not %s", v)
		}
		if f < float64(least) || f > float64(most) {
			return fmt.Errorf("a number from %d to %d, not %s", least, most, v)
		}
		n := int(f)
		*field(in) = &n
		return nil
	}}
}

// wordsOf reads a string, a number, or a list of them; empty ones count as not
// said.
func wordsOf(v json.RawMessage, split bool) (out []string, err error) {
	var one any
	if err := json.Unmarshal(v, &one); err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	list, ok := one.([]any)
	if !ok {
		list = []any{one}
	}
	for _, item := range list {
		var s string
		switch item := item.(type) {
		case string:
			s = item
		case float64:
			s = strconv.FormatFloat(item, 'f', -1, 64)
		default:
			return nil, fmt.Errorf("text, not %s", v)
		}
		parts := []string{s}
		if split {
			parts = strings.Split(s, ",")
		}
		for _, part := range parts {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
		}
	}
	return out, nil
}

// alias are other names under which parameters are accepted.
var alias = map[string]string{"role": "roles", "roles": "role", "session": "sessions"}

// read reads the arguments of a call. What the tool does not know is an error
// that says what it does.
func (t *tool) read(raw json.RawMessage) (*input, error) {
	args := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, usage("give the parameters as one JSON object", "read arguments of %s: %w", t.name, err)
		}
	}
	known := "the parameters of " + t.name + " are " + strings.Join(t.params, ", ")
	in := &input{}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		v := args[name]
		if string(v) == "null" {
			continue
		}
		if !slices.Contains(t.params, name) {
			other, ok := alias[name]
			if !ok || !slices.Contains(t.params, other) {
				return nil, usage(known, "%s has no parameter %q", t.name, name)
			}
			name = other
		}
		if err := params[name].set(in, v); err != nil {
			return nil, usage(known, "%s takes %w", name, err)
		}
		if values, ok := params[name].schema["enum"].([]string); ok && params[name].schema["type"] == "string" {
			if err := in.oneOf(name, values); err != nil {
				return nil, err
			}
		}
	}
	if err := in.cited(t); err != nil {
		return nil, err
	}
	for _, name := range t.required {
		if v, ok := args[name]; (!ok || string(v) == "null" || string(v) == `""`) && !in.has(name) {
			return nil, usage(known, "%s needs %s", t.name, name)
		}
	}
	if in.around != "" && in.from != nil {
		return nil, usage("around gives the messages on both sides of one, from those after it", "%s takes around or from, not both", t.name)
	}
	for _, role := range in.roles {
		if !slices.Contains(roleNames, role) {
			return nil, usage("choose from "+strings.Join(roleNames, ", "), "role %q is not known", role)
		}
	}
	return in, nil
}

// oneOf checks a parameter with few values.
func (in *input) oneOf(name string, values []string) error {
	given := map[string]*string{"part": &in.part, "tools": &in.tools, "format": &in.format, "kind": &in.kind}[name]
	if given == nil || *given == "" || slices.Contains(values, *given) {
		return nil
	}
	if lower := strings.ToLower(*given); name == "format" && (lower == "markdown" || slices.Contains(values, lower)) {
		return nil // ParseFormat knows it
	}
	return usage("choose from "+strings.Join(values, ", "), "%s %q is not known", name, *given)
}

// or is what was given, or something else.
func or[T any](n *T, other T) T {
	if n == nil {
		return other
	}
	return *n
}

func names[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}
