package journal

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// longestError is how many characters of an error an entry shows.
const longestError = 240

// blocking groups errors that are the same but for numbers, addresses and texts.
type blocking struct {
	blocks *gathering[Roadblock]
	open   []*openBlock
}

// An openBlock is an error that was not seen to be fixed: what has yet to pass.
type openBlock struct {
	block *Roadblock
	parts []string
}

func newBlocking() *blocking { return &blocking{blocks: gather[Roadblock]()} }

// failed takes an error: what was done, in parts that may pass one by one, how it
// is shown, and what it said.
func (b *blocking) failed(at Cite, parts []string, what, output string, exit *int) {
	text := errorLine(output)
	block, made := b.blocks.at(program(parts) + "\x00" + signature(text))
	if made {
		*block = Roadblock{Cite: at, Text: clip(text, longestError), Command: what, Exit: exit}
	}
	block.Times++
	block.LastSeen, block.Fixed = at, nil
	i := slices.IndexFunc(b.open, func(o *openBlock) bool { return o.block == block })
	if i < 0 {
		i = len(b.open)
		b.open = append(b.open, &openBlock{block: block})
	}
	for _, part := range parts {
		if o := b.open[i]; !slices.Contains(o.parts, part) {
			o.parts = append(o.parts, part)
		}
	}
}

// program is what the last of some parts runs, and what it tells that to do.
func program(parts []string) string {
	words := strings.Fields(parts[len(parts)-1])
	return strings.Join(words[:min(len(words), 2)], " ")
}

// passed takes something done without an error: what was wrong with it is fixed
// when all of it passed.
func (b *blocking) passed(at Cite, parts []string) {
	b.open = slices.DeleteFunc(b.open, func(o *openBlock) bool {
		o.parts = slices.DeleteFunc(o.parts, func(part string) bool {
			return slices.ContainsFunc(parts, func(pass string) bool { return covers(pass, part) })
		})
		if len(o.parts) == 0 {
			o.block.Fixed = &at
		}
		return len(o.parts) == 0
	})
}

func (b *blocking) list() []Roadblock { return b.blocks.list() }

// errorForms are what a line that names an error looks like, the most telling first.
var errorForms = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`^([\w.]+\.)?\w*(Error|Exception)\b[^=(]*:|(?i)^(error|fatal|panic)(\[\w+\])?: |^--- FAIL|^FAILED |^E   +\S|^(npm|pnpm|yarn) ERR|\berror TS\d+: |^(✕|✗|×|✖) |^AssertionError|: (fatal )?error: `),
		regexp.MustCompile(`^\S+:\d+(:\d+)?:? `),
		regexp.MustCompile(`(?i)\b(fail(ed|ure|ing)?|cannot|could not|not found|no such|denied|refused|undefined|unexpected|timed? ?out|conflict|invalid|missing)\b`),
	}
})

// mostOutput is how many bytes of an output are looked at, half at each end.
const mostOutput = 32 << 10

func ends(output string) string {
	if len(output) <= mostOutput {
		return output
	}
	return output[:mostOutput/2] + "\n" + output[len(output)-mostOutput/2:]
}

// errorLine is the line of an output that says what went wrong, else the last one
// that says anything.
func errorLine(output string) string {
	output = ends(output)
	last := ""
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" {
			last = line
		}
	}
	for _, form := range errorForms() {
		for line := range strings.Lines(output) {
			if line = strings.TrimSpace(line); line != "" && form.MatchString(line) {
				return line
			}
		}
	}
	return last
}

// failure is what an output looks like that reports one.
var failure = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(--- FAIL|FAIL\b|FAILED\b|panic: |Traceback \(most recent call last\)|fatal: |[Ee]rror(\[\w+\])?: |ERROR: |npm ERR!|E   +\w|make(\[\d+\])?: \*\*\* |\S+:\d+:\d+: (error|undefined|cannot|expected)|.*\berror TS\d+: |.*: command not found\r?$|Tests?:? .*\b[1-9]\d* failed|=+ .*\b[1-9]\d* failed|\s*[1-9]\d* failing\b)`)
})

// reports reports whether an output tells of a failure.
func reports(output string) bool { return failure().MatchString(ends(output)) }

// changing is what differs between two times that the same error is met: numbers,
// addresses, texts in quotes, times.
var changing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`0x[0-9a-fA-F]+|[0-9a-f]{7,}|\d+|"[^"]*"|'[^']*'`)
})

// signature is an error without what changes from time to time.
func signature(line string) string {
	return strings.ToLower(strings.Join(strings.Fields(changing().ReplaceAllString(line, "#")), " "))
}
