package cursor

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

const contentPrefix = "composer.content."

// edited gives an edit the texts before and after that Cursor shows it by, as
// rows of their own (formats C.6.1). Where all that is known is a diff, the texts
// are the passages it shows.
func (p *penman) edited(d *draft) error {
	params := jscan.Value(d.params)
	for _, flag := range []string{"noCodeblock", "cloudAgentEdit"} {
		if params.Get(flag).Kind() == jscan.None {
			d.params = setMember(d.params, flag, []byte(map[bool]string{true: "true", false: "false"}[flag == "noCodeblock"]))
		}
	}
	if d.call.Status != retold.StatusCompleted {
		return nil
	}
	r := jscan.Value(d.result)
	before, after := r.Get("beforeContentId").Str(), r.Get("afterContentId").Str()
	if p.has(before) && p.has(after) {
		return nil
	}
	from, to := passages(d.call.Diff)
	result := d.result
	if result == nil {
		result = []byte(`{}`)
	}
	if r.Get("fileWasCreated").Kind() == jscan.None {
		created := "false"
		if strings.HasPrefix(d.call.Diff, "--- /dev/null\n") {
			created = "true"
		}
		result = setMember(result, "fileWasCreated", []byte(created))
	}
	result = setMember(result, "beforeContentId", []byte(quoted(p.keep(from))))
	d.result = setMember(result, "afterContentId", []byte(quoted(p.keep(to))))
	return nil
}

// has reports whether the text under a key is there.
func (p *penman) has(key string) bool {
	if key == "" {
		return false
	}
	_, ok := p.content(key)
	return ok
}

// keep makes a text a row and returns its key.
func (p *penman) keep(text string) string {
	sum := sha256.Sum256([]byte(text))
	key := contentPrefix + hex.EncodeToString(sum[:])
	if p.has(key) {
		return key
	}
	if p.known == nil {
		p.known = map[string]string{}
	}
	p.known[key] = text
	p.texts = append(p.texts, fileText{key, text})
	return key
}

// passages are the parts of a file that a unified diff shows, before and after
// it, with a line between what does not follow upon one another.
func passages(diff string) (before, after string) {
	var from, to strings.Builder
	inside, hunks := false, 0
	last := byte(' ')
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			if inside = true; hunks > 0 {
				from.WriteString("…\n")
				to.WriteString("…\n")
			}
			hunks++
		case strings.HasPrefix(line, "--- ") && !inside, strings.HasPrefix(line, "+++ ") && !inside, line == "":
		case !inside:
		case line[0] == '-':
			from.WriteString(line[1:])
			last = '-'
		case line[0] == '+':
			to.WriteString(line[1:])
			last = '+'
		case line[0] == '\\':
			trimLine(&from, last != '+')
			trimLine(&to, last != '-')
		default:
			from.WriteString(strings.TrimPrefix(line, " "))
			to.WriteString(strings.TrimPrefix(line, " "))
			last = ' '
		}
	}
	return from.String(), to.String()
}

// trimLine takes the end off the last line, which the file does not have.
func trimLine(b *strings.Builder, do bool) {
	if text := b.String(); do && strings.HasSuffix(text, "\n") {
		b.Reset()
		b.WriteString(strings.TrimSuffix(text, "\n"))
	}
}
