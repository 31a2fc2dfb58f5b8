package render

import (
	"html"
	"net/url"
	"slices"
	"strings"
)

// sanitize is the second fence behind the renderer: only the elements and
// attributes that HTML is known to produce leave, in the one form in which it
// produces them. It is no repair shop for other people's HTML: what has any
// other form is shown as text. An element is closed only where it was opened,
// and all are closed at the end, so that nothing after the result is drawn into
// it. Every link carries rel="nofollow noreferrer".
func sanitize(in string) string {
	s := sanitizer{}
	s.out.Grow(len(in) + len(in)/16)
	for {
		text, rest, found := strings.Cut(in, "<")
		s.text(text)
		if !found {
			break
		}
		tag, after, closed := strings.Cut(rest, ">")
		if !closed || !s.tag(tag) {
			s.out.WriteString("&lt;")
			in = rest
			continue
		}
		in = after
	}
	for _, name := range slices.Backward(s.open) {
		s.out.WriteString("</" + name + ">")
	}
	return s.out.String()
}

type sanitizer struct {
	out  strings.Builder
	open []string // elements that are not yet closed
}

// text writes character data in one spelling, whatever it came in. Markdown may
// have hidden control characters in entities.
func (s *sanitizer) text(t string) {
	s.out.WriteString(html.EscapeString(Plain(html.UnescapeString(t))))
}

// tag writes what stands between "<" and ">" when it is one of ours, and
// reports whether it was.
func (s *sanitizer) tag(t string) bool {
	if name, ok := strings.CutPrefix(t, "/"); ok {
		if len(s.open) == 0 || s.open[len(s.open)-1] != name {
			return false
		}
		s.open = s.open[:len(s.open)-1]
		s.out.WriteString("</" + name + ">")
		return true
	}
	name, rest, _ := strings.Cut(t, " ")
	if !mayOpen(name) {
		return false
	}
	var attributes strings.Builder
	for rest != "" {
		key, value, after, ok := attribute(rest)
		if ok {
			value, ok = mayHave(name, key, value)
		}
		if !ok || strings.Contains(attributes.String(), " "+key+`="`) {
			return false
		}
		attributes.WriteString(" " + key + `="` + html.EscapeString(value) + `"`)
		rest = after
	}
	if name == "a" {
		if !strings.Contains(attributes.String(), ` href="`) {
			return false
		}
		attributes.WriteString(` rel="nofollow noreferrer"`)
	}
	s.out.WriteString("<" + name + attributes.String() + ">")
	if name != "br" && name != "hr" {
		s.open = append(s.open, name)
	}
	return true
}

// mayOpen says which elements there are.
func mayOpen(name string) bool {
	switch name {
	case "p", "br", "hr", "h3", "h4", "h5", "h6", "em", "strong", "del", "code", "pre", "span", "div", "a",
		"blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td":
		return true
	}
	return false
}

// attribute takes key="value" off the start of s.
func attribute(s string) (key, value, rest string, ok bool) {
	key, rest, ok = strings.Cut(s, `="`)
	if !ok {
		return "", "", "", false
	}
	if value, rest, ok = strings.Cut(rest, `"`); !ok || rest != "" && rest[0] != ' ' {
		return "", "", "", false
	}
	return key, html.UnescapeString(value), strings.TrimPrefix(rest, " "), true
}

// mayHave says which attributes there are on which elements, and returns the
// value as it may be written.
func mayHave(element, key, value string) (string, bool) {
	switch key {
	case "class":
		return value, slices.Contains([]string{"code", "pre", "span", "div", "a"}, element) && madeOf(value, 40, "abcdefghijklmnopqrstuvwxyz0123456789 -")
	case "tabindex":
		return value, (element == "pre" || element == "div") && value == "0"
	case "align":
		return value, (element == "th" || element == "td") && (value == "left" || value == "right" || value == "center")
	case "start":
		return value, element == "ol" && madeOf(value, 9, "0123456789")
	case "href":
		address, ok := safeAddress(value)
		return address, ok && element == "a"
	}
	return "", false
}

func madeOf(s string, most int, characters string) bool {
	return s != "" && len(s) <= most && strings.Trim(s, characters) == ""
}

// safeAddress returns an address as net/url writes it, when it leads to a place
// that a link may lead to.
func safeAddress(address string) (string, bool) {
	address = strings.TrimSpace(address)
	if strings.ContainsAny(address, " \t\n") {
		return "", false
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return "", false
	}
	return u.String(), true
}
