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
// the message it stands in: those of the user and the agent, not those of tools.
// Words decide, so that some will be missed and some not be decisions; a
// conversation in another language than English mostly has none.
func Decisions(messages []retold.Message) (out []Finding) {
	for _, m := range live(messages) {
		if m.Role != retold.RoleUser && m.Role != retold.RoleAssistant {
			continue
		}
		for _, s := range sentences(m.Content) {
			if decides().MatchString(s) {
				out = append(out, Finding{m, s})
			}
		}
	}
	return out
}

// mostSentence is the longest sentence that is quoted, in bytes: longer ones are
// no sentences.
const mostSentence = 600

// sentences are those of a text outside code blocks.
func sentences(text string) (out []string) {
	code := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			code = !code
			continue
		}
		if code || line == "" {
			continue
		}
		for line != "" {
			end := sentenceEnd(line)
			s := strings.TrimSpace(line[:end])
			if line = strings.TrimSpace(line[end:]); s != "" && len(s) <= mostSentence {
				out = append(out, s)
			}
		}
	}
	return out
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
