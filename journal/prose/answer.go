package prose

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/retold-history/retold/journal"
)

// Bounds of what is kept of an answer.
const (
	mostSentences = 40
	longest       = 800 // bytes of a sentence
	mostCites     = 12  // of a sentence
)

// answered is a sentence as a model writes it. Other members are not kept.
type answered struct {
	Section string   `json:"section"`
	Text    string   `json:"text"`
	Cites   []string `json:"cites"`
}

// read makes an answer prose: the sentences that hold, in the order of their
// sections.
func read(text string, s *source) (*journal.Prose, error) {
	var a struct {
		Sentences []answered `json:"sentences"`
	}
	d := json.NewDecoder(strings.NewReader(unfenced(text)))
	if err := d.Decode(&a); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errCutOff
		}
		return nil, fmt.Errorf("it is not the JSON that was asked for: %w", withoutText(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows its JSON")
	}
	if a.Sentences == nil {
		return nil, errors.New("no sentences in it")
	}
	p := &journal.Prose{Sentences: []journal.Sentence{}}
	for _, raw := range a.Sentences {
		sentence, ok := s.check(raw)
		if !ok || len(p.Sentences) == mostSentences {
			p.Dropped++
			continue
		}
		p.Sentences = append(p.Sentences, sentence)
	}
	order := Sections()
	slices.SortStableFunc(p.Sentences, func(a, b journal.Sentence) int {
		return slices.Index(order, a.Section) - slices.Index(order, b.Section)
	})
	return p, nil
}

// withoutText is an error of JSON that repeats nothing of it but a character.
func withoutText(err error) error {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("byte %d", e.Offset)
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("byte %d: a %s", e.Offset, e.Value)
	}
	return err
}

// unfenced takes the fence off that some models put around JSON.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	inner, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	first, rest, _ := strings.Cut(inner, "\n")
	if name := strings.TrimSpace(first); name != "" && !strings.EqualFold(name, "json") {
		return text
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
}

// check reports whether a sentence holds, and makes it one of the journal's.
func (s *source) check(raw answered) (out journal.Sentence, ok bool) {
	for _, section := range Sections() {
		if strings.EqualFold(section, strings.TrimSpace(raw.Section)) {
			out.Section = section
		}
	}
	out.Text = clean(raw.Text)
	if out.Section == "" || out.Text == "" || len(out.Text) > longest || len(raw.Cites) > mostCites {
		return out, false
	}
	var keys []string
	for _, key := range raw.Cites {
		key = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(key), "["), "]")
		cite, known := s.cites[key]
		if !known {
			return out, false
		}
		if !slices.Contains(keys, key) {
			keys, out.Cites = append(keys, key), append(out.Cites, cite)
		}
	}
	if len(keys) == 0 {
		return out, false
	}
	return out, s.quotes(out, keys) && s.times(out.Text) && s.addresses(out.Text) && s.felt(out.Section, keys)
}

// quotes reports whether what a sentence quotes was said where it says. A sentence
// about a discussion has to quote.
func (s *source) quotes(sentence journal.Sentence, keys []string) bool {
	list, ok := passages(sentence.Text)
	if !ok {
		return false
	}
	words := false
	for _, p := range list {
		words = words || !p.code
		if !s.holds(p.text, keys) {
			return false
		}
	}
	return words || sentence.Section != Discussion
}

// felt reports whether a sentence about what was hard rests on an error that was
// met or on somebody's words.
func (s *source) felt(section string, keys []string) bool {
	return section != Frustrations || slices.ContainsFunc(keys, func(key string) bool { return s.hard[key] })
}

// spans are what durations look like.
var spans = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:\d[\d.,]*[ -]?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?)|` +
		`(?:an?|half an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|several|many|some|few|couple of|hundreds of) (?:minutes?|hours?|days?|weeks?|months?|years?)|` +
		`(?:two|three|four|five|six|seven|eight|nine|ten|several|many|some|few|couple of|for) seconds)\b`)
})

// times reports whether every duration in a sentence stands in the entry: none is
// to be estimated.
func (s *source) times(text string) bool {
	for _, span := range spans().FindAllString(text, -1) {
		if !s.everywhere(span) {
			return false
		}
	}
	return true
}

// addresses reports whether every address in a sentence stands in the entry.
func (s *source) addresses(text string) bool {
	for field := range strings.FieldsSeq(text) {
		lower := strings.ToLower(field)
		if !strings.Contains(lower, "://") && !strings.Contains(lower, "www.") {
			continue
		}
		if !s.everywhere(strings.Trim(field, "`\"'“”‘’()<>[].,;:!?")) {
			return false
		}
	}
	return true
}

// clean is a text on one line without characters that nobody sees.
func clean(s string) string {
	s = string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD")))
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
