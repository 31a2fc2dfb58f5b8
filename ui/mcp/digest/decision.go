package digest

import (
	"regexp"
	"strings"
	"sync"

	"github.com/retold-history/retold"
)

// decides are words with which people and agents decide, in English.
var decides = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(decid(e|ed|es|ing)|decision|let'?s (use|go|keep|not|do|make|drop|stick|call|leave|store|move)|we('ll| will| should) (use|go|keep|not|do|make|drop|stick|store|leave|move)|(i|we)('ll| will)? (chose|choose|prefer|picked|pick|went with|go with|agreed|settled)|going with|go with|stick with|instead of|rather than|in favou?r of|agreed|settled on|the reason|trade-?offs?|must not|do not use|don'?t use|no longer use)\b`)
})

// Decisions are the sentences in which something is decided, in order, each with
// the message it stands in: those of the user and the agent, not what tools
// printed. Words decide, so that some will be missed and some not be decisions; a
// conversation in another language than English mostly has none. Plans, and
// questions with what was chosen and what was not, are decisions in any language.
func Decisions(messages []retold.Message) (out []Finding) {
	for _, m := range live(messages) {
		if m.Tool != nil {
			if told := Tell(m.Tool); told.Decides && told.Asked != "" {
				out = append(out, Finding{m, strings.TrimSpace(told.Asked + "\n" + told.Came)})
			}
			continue
		}
		if m.Role != retold.RoleUser && m.Role != retold.RoleAssistant {
			continue
		}
		for _, s := range sentences(m.Content) {
			if first, _, _ := strings.Cut(s, "\n"); decides().MatchString(first) {
				out = append(out, Finding{m, s})
			}
		}
	}
	return out
}

// mostSentence is the longest sentence that is quoted, in bytes: longer ones are
// no sentences. mostLed is how much of what follows a colon goes with it.
const (
	mostSentence = 600
	mostLed      = 500
)

// sentences are those of a text outside code blocks. One that only leads in to
// what follows, with a colon at the end of its line, has that on lines of its own.
func sentences(text string) (out []string) {
	code := false
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if fenced(line) {
			code = !code
			continue
		}
		if code || line == "" {
			continue
		}
		for line != "" {
			end := sentenceEnd(line)
			s := strings.TrimSpace(line[:end])
			if line = strings.TrimSpace(line[end:]); s == "" || len(s) > mostSentence {
				continue
			}
			if line == "" && strings.HasSuffix(s, ":") {
				s = strings.TrimSpace(s + "\n" + led(lines[i+1:]))
			}
			out = append(out, s)
		}
	}
	return out
}

func fenced(line string) bool {
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// led is the paragraph, list, table or block of code that lines begin with.
func led(lines []string) string {
	var out []string
	size, code := 0, false
	for _, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case fenced(strings.TrimSpace(line)):
			if code {
				return strings.Join(append(out, line), "\n")
			}
			code = true
		case line == "" && len(out) == 0:
			continue
		case line == "" && !code:
			return strings.Join(out, "\n")
		}
		if size += len(line) + 1; size > mostLed && len(out) > 0 {
			out = append(out, "…")
			break
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// sentenceEnd is where the first sentence of a line ends: after a full stop,
// question or exclamation mark with a space and then no small letter behind it.
func sentenceEnd(line string) int {
	for i := 0; i+2 < len(line); i++ {
		if (line[i] == '.' || line[i] == '!' || line[i] == '?') && line[i+1] == ' ' && (line[i+2] < 'a' || line[i+2] > 'z') {
			return i + 1
		}
	}
	return len(line)
}
