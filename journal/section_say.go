package journal

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/retold-history/retold"
)

const (
	longestIntent = 240
	longestWhole  = 20_000 // characters of a prompt that are kept whole
	longestQuote  = 400
	shortestQuote = 12 // bytes; an answer may be shorter
	mostQuotes    = 8
	mostOfASpeech = 200 // sentences of one message that are looked at
	enoughToQuote = 3   // what has to speak for a quote
)

// intentOf is a prompt: the first sentence that says something, and the whole
// behind it.
func intentOf(at Cite, text string) Quote {
	text = strings.TrimSpace(text)
	q := Quote{Cite: at, Role: retold.RoleUser}
	if utf8.RuneCountInString(text) <= longestIntent && !strings.Contains(text, "\n") {
		q.Text = text
		return q
	}
	for s := range sentences(text) {
		if q.Text == "" {
			q.Text = s
		}
		if len(strings.Fields(s)) > 2 || len(s) > 24 {
			q.Text = s
			break
		}
	}
	if q.Text == "" { // nothing but code or marks
		q.Text, _, _ = strings.Cut(text, "\n")
	}
	q.Text = clip(q.Text, longestIntent)
	if q.Text != text {
		q.More = clip(text, longestWhole)
	}
	return q
}

// routine reports whether a prompt asks for nothing new.
func routine(text string) bool {
	switch strings.ToLower(strings.Trim(text, " \t\r\n.!…")) {
	case "", "continue", "please continue", "go on", "go ahead", "keep going", "proceed", "next", "resume", "carry on",
		"yes", "yes please", "yep", "y", "ok", "okay", "k", "sure", "do it", "lgtm", "thanks", "thank you", "great", "good", "perfect", "nice":
		return true
	}
	return false
}

// A rule finds sentences worth quoting. Decision words are English; questions and
// answers are found in every language.
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
		rule("decision", 4, "", `\b(let's (use|go|keep|do|not)|we('ll| will| should| decided| agreed)|i('ll| will) (keep|go with)|decided|decision|go with|going with|settled on|chose|choose|opted|prefer|stick with|won't use|rejected|ruled out)\b`),
		rule("reason", 3, "", `\b(because|so that|otherwise|the reason|root cause|since (it|we|the|this)|due to|that's why|which is why|turns out|turned out)\b`),
		rule("trade-off", 3, "", `\b(trade-?off|instead of|rather than|downside|drawback|at the cost|alternative|simpler|safer|overkill|on the other hand|versus)\b`),
		rule("limit", 2, "", `\b(must(n't| not)?|never|always|backward|compatib|breaking|race|deadlock|leak|security|invariant|guarantee|edge case)\b`),
	}
})

// undecided is what a sentence with a word of deciding looks like that decides
// nothing: a denial, or what might be or might have been.
var undecided = sync.OnceValue(func() *regexp.Regexp {
	const deciding = `(decid|decision|cho(o|i)?se|chosen|agreed|settled|opted|going with|go with)`
	return regexp.MustCompile(`(?i)[?？؟]["')\s]*$|` +
		`(\bnot|\bnever|n['’]t|\bno)\s+([\w'’]+\s+){0,3}(decid|decision|chosen?\b|agreed|settled)|` +
		`\b(could|would|might|should|may|must)(n['’]t)?\s+([\w'’]+\s+){0,2}have\b|` +
		`\b(if|whether|unless|suppose|imagine|assuming)\s+([\w'’]+\s+){0,5}` + deciding + `|` +
		`\b(before|until|once|yet to|need to|have to|to be|still to|help (me|us|you))\s+([\w'’]+\s+){0,2}` + deciding + `|` +
		`\b(would|could|might)\s+([\w'’]+\s+){0,2}(choose|go with|say)\b|\bundecided\b`)
})

// process is how an agent begins to say what it does next.
var process = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(let me|let's (look|check|see|start|run|read)|now,? (let|i)|i'll (start|look|check|read|search|run|now|first|begin|create|add|update|implement|fix|make|write|use the)|i will now|i need to (look|check|see|read|find)|next,? i|first,? (i|let)|looking at|perfect|great|good|excellent|you're (absolutely )?right)\b`)
})

// polite is a question that asks for leave to go on.
var polite = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(would you like|shall i|want me to|do you want me|should i (proceed|continue|go ahead)|anything else|let me know|does that (look|sound)|ready to)`)
})

// wondering is a question of a person whose answer is worth keeping.
var wondering = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(why|should|which|what if|is it|are we|do we|can we|could we|how come|would|safe|better)\b`)
})

// quoting chooses what to quote.
type quoting struct {
	found []scored
	asked *scored // the question that the last message ended with
}

type scored struct {
	Quote
	score, order int
	question     *scored // that it answers
}

func (q *quoting) begin() { q.asked = nil }

// take looks at what one speaker said.
func (q *quoting) take(at Cite, m *retold.Message) {
	question := q.asked
	q.asked = nil
	if question != nil && question.Role == m.Role {
		question = nil
	}
	n, last := 0, ""
	for s := range sentences(m.Content) {
		if n++; n > mostOfASpeech {
			break
		}
		last = s
		score, why := weigh(s, m.Role)
		found := scored{Quote: Quote{Cite: at, Role: m.Role, Text: s, Why: why}, score: score}
		if n == 1 && question != nil && answers(question, &found) {
			found.question, found.score, found.Why = question, max(score+2, enoughToQuote+3), "answer"
		}
		if found.score < enoughToQuote || len(s) < shortestQuote && found.question == nil {
			continue
		}
		if m.Role == retold.RoleUser {
			found.score++ // the person decides
		}
		q.add(found)
	}
	if strings.HasSuffix(last, "?") || strings.HasSuffix(last, "？") || strings.HasSuffix(last, "؟") {
		q.asked = &scored{Quote: Quote{Cite: at, Role: m.Role, Text: last, Why: "question"}}
	}
}

// add takes a quote in, behind the question that it answers.
func (q *quoting) add(s scored) {
	if s.question != nil {
		s.question.order = 2 * len(q.found)
	}
	s.order = 2*len(q.found) + 1
	q.found = append(q.found, s)
}

// answers reports whether a first sentence is an answer worth keeping.
func answers(question, answer *scored) bool {
	if answer.Role == retold.RoleUser {
		return !polite().MatchString(question.Text) || len(strings.Fields(answer.Text)) > 3 && !routine(answer.Text)
	}
	if !strings.ContainsFunc(question.Text, func(r rune) bool { return r < unicode.MaxASCII && unicode.IsLetter(r) }) {
		return true // in a language that the rules do not know
	}
	return answer.score >= enoughToQuote && wondering().MatchString(question.Text)
}

// weigh is how much speaks for quoting a sentence, and the rule that says the most.
func weigh(s string, role retold.Role) (score int, why string) {
	best, reason := 0, false
	for _, r := range quoteRules() {
		if r.role != "" && r.role != role || !r.form.MatchString(s) || r.why == "decision" && undecided().MatchString(s) {
			continue
		}
		reason = reason || r.why == "reason"
		if score += r.weight; r.weight > best {
			best, why = r.weight, r.why
		}
	}
	if role != retold.RoleUser && !reason && process().MatchString(s) {
		return 0, ""
	}
	return score, why
}

// best are the quotes that say the most, no two alike, in the order they were
// said, an answer together with its question. Where both spoke both are heard.
func (q *quoting) best() []Quote {
	list := slices.Clone(q.found)
	slices.SortFunc(list, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.order, b.order)) })
	seen := map[string]bool{}
	count := map[retold.Role]int{}
	chosen := make([]scored, 0, mostQuotes)
	for _, s := range list {
		pair := []scored{s}
		if s.question != nil {
			pair = []scored{*s.question, s}
		}
		name := lettersOf(s.Text)
		if s.question != nil {
			name = lettersOf(s.question.Text) + "?" + name
		}
		if len(chosen)+len(pair) > mostQuotes || seen[name] || count[s.Role] > mostQuotes-3 {
			continue
		}
		seen[name] = true
		for _, s := range pair {
			count[s.Role]++
			chosen = append(chosen, s)
		}
	}
	slices.SortFunc(chosen, func(a, b scored) int { return cmp.Compare(a.order, b.order) })
	chosen = slices.CompactFunc(chosen, func(a, b scored) bool { return a.Cite == b.Cite && a.Text == b.Text })
	out := make([]Quote, 0, len(chosen))
	for _, s := range chosen {
		out = append(out, s.Quote)
	}
	return out
}

// lettersOf is a text's letters and digits, for telling what is said twice.
func lettersOf(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}
