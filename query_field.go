package retold

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// fields are the names of fields, in the order in which they are printed.
var fields = []string{"agent", "workspace", "role", "tool", "file", "model", "branch", "since", "until", "has", "title"}

// longestField is how long a field's name can be, with its colon.
const longestField = len("workspace:")

// textHint says how to look for what looks like a field.
const textHint = "to look for the words themselves, put them in quotes"

// A value is one value of a field, with the place where it begins.
type value struct {
	text string
	at   int
}

// field reads a field with its values, if one stands here: a known name in lower
// case, a colon, and right behind it something that neither a URL nor code
// would continue with ("file:///x", "model::Kind").
func (p *queryParser) field(depth int) (Expr, error) {
	name, _, ok := strings.Cut(p.s[p.pos:min(p.pos+longestField, len(p.s))], ":")
	rest := p.s[min(p.pos+len(name)+1, len(p.s)):]
	if !ok || !slices.Contains(fields, name) || rest == "" || rest[0] == ':' || strings.HasPrefix(rest, "//") {
		return nil, nil
	}
	values, end := p.values(p.pos+len(name)+1, depth > 0, name != "since" && name != "until")
	if len(values) == 0 {
		return nil, nil
	}
	f, err := p.filter(name, values)
	if err != nil {
		return nil, err
	}
	p.pos = end
	return Where{Filter: f}, nil
}

// values reads the values from a place on: in quotes or up to the next space or
// (in a list) comma. Empty ones are left out.
func (p *queryParser) values(at int, inGroup, list bool) (out []value, end int) {
	add := func(text string, at int) {
		if text != "" {
			out = append(out, value{text, at})
		}
	}
	open := 0
	for {
		if strings.HasPrefix(p.s[at:], `"`) {
			text, n := quoted(p.s[at:])
			add(text, at)
			at += n
		} else {
			bare := p.s[at : at+valueEnd(p.s[at:], &open, inGroup, list)]
			add(bare, at)
			at += len(bare)
		}
		if !list || !strings.HasPrefix(p.s[at:], ",") {
			return out, at
		}
		at++
	}
}

// filter makes a Filter of one field.
func (p *queryParser) filter(name string, values []value) (f Filter, err error) {
	for _, v := range values {
		switch name {
		case "agent":
			f.Agents = append(f.Agents, v.text)
		case "workspace":
			f.Workspaces = append(f.Workspaces, v.text)
		case "role":
			role := Role(strings.ToLower(v.text))
			if !slices.Contains(Roles, role) {
				return f, p.fail(v.at, choices(Roles)+"; "+textHint, "there is no role %q", v.text)
			}
			f.Roles = append(f.Roles, role)
		case "tool":
			f.Tools = append(f.Tools, v.text)
		case "file":
			f.Files = append(f.Files, v.text)
		case "model":
			f.Models = append(f.Models, v.text)
		case "branch":
			f.Branches = append(f.Branches, v.text)
		case "title":
			f.Titles = append(f.Titles, v.text)
		case "has":
			switch strings.ToLower(v.text) {
			case "error":
				f.HasError = true
			case "edit":
				f.HasEdit = true
			default:
				return f, p.fail(v.at, choices([]string{"error", "edit"})+"; "+textHint, "has: does not know %q", v.text)
			}
		case "since", "until":
			span, err := p.when(v)
			if err != nil {
				return f, err
			}
			if name == "since" {
				f.Since = span.From
			} else {
				f.Until = span.To
			}
		}
	}
	return f, nil
}

func (p *queryParser) when(v value) (Span, error) {
	span, err := ParseWhen(v.text, p.now)
	if e, ok := errors.AsType[*Error](err); ok {
		return Span{}, p.fail(v.at, e.Hint, "%v", e)
	}
	return Span{From: inRange(span.From), To: inRange(span.To)}, err
}

// inRange keeps a time among those that can be written with four digits for the
// year, and apart from the zero time.
func inRange(t time.Time) time.Time {
	first, last := time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	switch {
	case t.Before(first):
		return first
	case t.After(last):
		return last
	}
	return t
}

// choices lists what may be chosen.
func choices[S ~string](list []S) string {
	var b strings.Builder
	for i, s := range list {
		switch {
		case i == len(list)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(s))
	}
	return "choose " + b.String()
}

// both is what is asked by two sets of fields side by side. The same field twice
// is met by either value, as when it is named once with two; of two times the
// narrower one counts. It takes a over: nothing else may hold on to its lists.
func both(a, b Filter) Filter {
	a.Agents = append(a.Agents, b.Agents...)
	a.Workspaces = append(a.Workspaces, b.Workspaces...)
	a.Models = append(a.Models, b.Models...)
	a.Branches = append(a.Branches, b.Branches...)
	a.Titles = append(a.Titles, b.Titles...)
	a.Roles = append(a.Roles, b.Roles...)
	a.Tools = append(a.Tools, b.Tools...)
	a.Files = append(a.Files, b.Files...)
	if b.Since.After(a.Since) {
		a.Since = b.Since
	}
	if a.Until.IsZero() || !b.Until.IsZero() && b.Until.Before(a.Until) {
		a.Until = b.Until
	}
	a.HasError = a.HasError || b.HasError
	a.HasEdit = a.HasEdit || b.HasEdit
	return a
}

// asks reports whether a filter asks anything that a query can ask.
func asks(f Filter) bool {
	return len(f.Agents)+len(f.Workspaces)+len(f.Models)+len(f.Branches)+len(f.Titles)+len(f.Roles)+len(f.Tools)+len(f.Files) > 0 ||
		!f.Since.IsZero() || !f.Until.IsZero() || f.HasError || f.HasEdit
}
