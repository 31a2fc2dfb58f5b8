package journal

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/retold-history/retold"
)

const (
	longestIntent = 240
	longestQuote  = 400
	mostQuotes    = 8
	mostOfASpeech = 200 // sentences of one message that are looked at
)

// intentOf is a prompt: its first sentence, and the whole behind it.
func intentOf(at Cite, text string) Quote {
	text = strings.TrimSpace(text)
	q := Quote{Cite: at, Role: retold.RoleUser}
	for s := range sentences(text) {
		q.Text = s
		break
	}
	if q.Text == "" { // nothing but code or marks
		q.Text, _, _ = strings.Cut(text, "\n")
	}
	q.Text = clip(q.Text, longestIntent)
	if q.Text != text {
		q.More = text
	}
	return q
}

// A rule finds sentences worth quoting. Decision words are English; a correction
// is known by how it begins.
type quoteRule struct {
	why    string
	weight int
	role   retold.Role // "": both speakers
	form   *regexp.Regexp
}

var quoteRules = sync.OnceValue(func() []quoteRule {
	rule := func(why string, weight int, role retold.Role, form string) quoteRule {
		return quoteRule{why, weight, role, regexp.MustCompile(`(?i)` + form)}
	}
	return []quoteRule{
		rule("correction", 5, retold.RoleUser, `^(no|nope|not|actually|wait|stop|don't|do not|revert|undo|instead|rather|wrong|that's wrong|that is wrong)\b`),
		rule("decision", 4, "", `\b(let's (use|go|keep|do|not)|we('ll| will| should| decided| agreed)|i('ll| will) (use|keep|go with)|decided|decision|go with|going with|settled on|chose|choose|opted|prefer|stick with|won't use|rejected|ruled out)\b`),
		rule("reason", 3, "", `\b(because|so that|otherwise|the reason|root cause|since (it|we|the|this)|due to|that's why|which is why|turns out)\b`),
		rule("trade-off", 3, "", `\b(trade-?off|instead of|rather than|downside|drawback|at the cost|alternative|simpler|safer|overkill|on the other hand|versus)\b`),
		rule("limit", 2, "", `\b(must(n't| not)?|never|always|backward|compatib|breaking|race|deadlock|leak|security|invariant|guarantee|edge case)\b`),
	}
})

// quoting chooses what to quote.
type quoting struct {
	found []scored
	asked bool // the last sentence of the other speaker was a question
	last  retold.Role
}

type scored struct {
	Quote
	score, order int
}

func (q *quoting) begin() { q.asked, q.last = false, "" }

// take looks at what one speaker said. The first sentence of an answer to a
// question counts for more.
func (q *quoting) take(at Cite, m *retold.Message) {
	answer := q.asked && q.last != m.Role
	q.asked, q.last = false, m.Role
	n := 0
	for s := range sentences(m.Content) {
		if n++; n > mostOfASpeech {
			break
		}
		q.asked = strings.HasSuffix(s, "?")
		score, why := weigh(s, m.Role)
		if answer && n == 1 && m.Role == retold.RoleUser {
			score, why = score+3, cmp.Or(why, "answer")
		}
		if score < 3 || len(s) < 12 {
			continue
		}
		if m.Role == retold.RoleUser {
			score++ // the person decides
		}
		q.found = append(q.found, scored{Quote{Cite: at, Role: m.Role, Text: s, Why: why}, score, len(q.found)})
	}
}

// weigh is how much speaks for quoting a sentence, and the rule that says the most.
func weigh(s string, role retold.Role) (score int, why string) {
	best := 0
	for _, r := range quoteRules() {
		if r.role != "" && r.role != role || !r.form.MatchString(s) {
			continue
		}
		if score += r.weight; r.weight > best {
			best, why = r.weight, r.why
		}
	}
	return score, why
}

// best are the quotes that say the most, no two alike, in the order they were
// said. Where both spoke both are heard.
func (q *quoting) best() []Quote {
	list := slices.Clone(q.found)
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.order, b.order)) })
	seen := map[string]bool{}
	count := map[retold.Role]int{}
	chosen := make([]scored, 0, mostQuotes)
	for _, s := range list {
		plain := strings.Join(strings.FieldsFunc(strings.ToLower(s.Text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
		if len(chosen) == mostQuotes || seen[plain] || count[s.Role] > mostQuotes-3 {
			continue
		}
		seen[plain] = true
		count[s.Role]++
		chosen = append(chosen, s)
	}
	slices.SortFunc(chosen, func(a, b scored) int { return cmp.Compare(a.order, b.order) })
	out := make([]Quote, 0, len(chosen))
	for _, s := range chosen {
		out = append(out, s.Quote)
	}
	return out
}

// sentences yields the sentences of a text, each a part of it as it stands there.
// Code, tables, headings and quotations are no sentences; one longer than a
// quote may be is left out, never cut.
func sentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		code := false
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
				code = !code
				continue
			}
			if code || line == "" || strings.ContainsRune("#|>", rune(line[0])) {
				continue
			}
			line = unlisted(line)
			for line != "" {
				end := sentenceEnd(line)
				s := strings.TrimSpace(line[:end])
				line = line[end:]
				if s != "" && len([]rune(s)) <= longestQuote && !yield(s) {
					return
				}
			}
		}
	}
}

// sentenceEnd is where the first sentence of a line ends: behind a mark that a
// blank follows, or one that needs none (。！？).
func sentenceEnd(line string) int {
	for i, r := range line {
		switch r {
		case '。', '！', '？':
			return i + len(string(r))
		case '.', '!', '?':
			rest := line[i+1:]
			if rest == "" || strings.HasPrefix(rest, " ") && !shortened(line[:i]) {
				return i + 1
			}
		}
	}
	return len(line)
}

// shortened reports whether a text ends in a word whose full stop ends no sentence.
func shortened(s string) bool {
	word := s[strings.LastIndexByte(s, ' ')+1:]
	switch strings.ToLower(word) {
	case "e.g", "i.e", "etc", "vs", "cf", "dr", "mr", "mrs", "approx":
		return true
	}
	return len(word) == 1 && unicode.IsUpper(rune(word[0]))
}

// unlisted is a line without the mark of a list.
func unlisted(line string) string {
	for _, mark := range []string{"- [ ] ", "- [x] ", "- ", "* ", "+ ", "• "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(rest)
		}
	}
	rest := strings.TrimLeft(line, "0123456789")
	if len(rest) < len(line) && len(rest) > 1 && (rest[0] == '.' || rest[0] == ')') && rest[1] == ' ' {
		return strings.TrimSpace(rest[1:])
	}
	return line
}
