package journal

import (
	"regexp"
	"strings"
	"sync"
)

// longestError is how many characters of an error an entry shows.
const longestError = 240

// blocking groups errors that are the same but for numbers, addresses and paths.
type blocking struct {
	blocks *gathering[Roadblock]
	open   map[string][]string // what was run → the names of its errors that are not fixed yet
}

func newBlocking() blocking {
	return blocking{blocks: gather[Roadblock](), open: map[string][]string{}}
}

// failed takes an error: what was run or which tool was used, and what it said.
func (b blocking) failed(at Cite, what, output string, exit *int) {
	text := errorLine(output)
	name := what + "\x00" + signature(text)
	block, made := b.blocks.at(name)
	if made {
		*block = Roadblock{Cite: at, Text: clip(text, longestError), Command: what, Exit: exit}
	}
	block.Times++
	block.LastSeen, block.Fixed = at, nil
	for _, open := range b.open[what] {
		if open == name {
			return
		}
	}
	b.open[what] = append(b.open[what], name)
}

// passed takes the same thing done without an error: what was wrong is fixed.
func (b blocking) passed(at Cite, what string) {
	for _, name := range b.open[what] {
		block, _ := b.blocks.at(name)
		block.Fixed = &at
	}
	delete(b.open, what)
}

func (b blocking) list() []Roadblock { return b.blocks.list() }

// errorForms are what a line that names an error looks like, the most telling first.
var errorForms = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?i)^\s*(error|fatal|panic|e)\b[^a-z]*:|\b[A-Z]\w*(Error|Exception)\b|\berror(\[\w+\])?:|^--- FAIL|^FAILED\b|^E  +|✕|✗`),
		regexp.MustCompile(`^\S+\.\w+:\d+(:\d+)?:? `),
		regexp.MustCompile(`(?i)\b(fail(ed|ure)?|cannot|could not|not found|no such|denied|refused|undefined|unexpected|timed? ?out|conflict|invalid|missing)\b`),
	}
})

// mostOutput is how many bytes of an output are looked at, half at each end.
const mostOutput = 32 << 10

// errorLine is the line of an output that says what went wrong, else the last one
// that says anything.
func errorLine(output string) string {
	if len(output) > mostOutput {
		output = output[:mostOutput/2] + "\n" + output[len(output)-mostOutput/2:]
	}
	for _, form := range errorForms() {
		for line := range strings.Lines(output) {
			if line = strings.TrimSpace(line); line != "" && form.MatchString(line) {
				return line
			}
		}
	}
	last := ""
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" {
			last = line
		}
	}
	return last
}

// changing is what differs between two times that the same error is met: numbers,
// addresses, texts in quotes, times.
var changing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9a-f]{7,}|\d+|"[^"]*"|'[^']*'`)
})

// signature is an error without what changes from time to time.
func signature(line string) string {
	return strings.ToLower(strings.Join(strings.Fields(changing().ReplaceAllString(line, "#")), " "))
}
