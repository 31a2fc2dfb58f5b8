package prose

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/retold-history/retold/journal"
)

// A source is what sentences about an entry may rest on. Keys are "session#index".
type source struct {
	cites  map[string]journal.Cite
	texts  map[string][]string // what the entry has of a message
	hard   map[string]bool     // messages that are somebody's words, or an error
	common []string            // what no message has said: the commit, paths, titles, reflections
}

func sourceOf(e *journal.Entry) *source {
	s := &source{cites: map[string]journal.Cite{}, texts: map[string][]string{}, hard: map[string]bool{}}
	s.tell(e.Repo.Name, e.Commit.Subject, e.Commit.Body, e.Commit.Branch, e.Commit.Author, e.Commit.ID)
	for _, session := range e.Sessions {
		s.tell(session.Title, session.Agent)
	}
	for _, quotes := range [][]journal.Quote{e.Intent, e.Tasks, e.Discussion} {
		for _, q := range quotes {
			s.hard[s.add(q.Cite, q.Text, q.More)] = true
		}
	}
	for _, t := range e.Todos {
		s.add(t.Cite, t.Text)
	}
	for _, f := range e.Files {
		s.tell(f.Path, f.OldPath)
		for _, part := range f.Wrote {
			s.add(part.Cite)
		}
	}
	for _, b := range e.Roadblocks {
		for _, at := range []*journal.Cite{&b.Cite, &b.LastSeen, b.Fixed} {
			if at != nil {
				s.hard[s.add(*at, b.Text, b.Command)] = true
			}
		}
	}
	for _, c := range e.Commands {
		s.add(c.Cite, c.Text, c.Cwd)
	}
	for _, names := range [][]journal.Named{e.Read, e.Searched} {
		for _, n := range names {
			s.add(n.Cite, n.Name)
		}
	}
	for _, m := range e.Models {
		s.tell(m.Model)
	}
	for _, r := range e.Reflections {
		s.tell(r.Text)
	}
	return s
}

// add takes what a message is cited for and returns its key.
func (s *source) add(c journal.Cite, texts ...string) string {
	if c.SessionID == "" {
		return ""
	}
	key := fmt.Sprintf("%s#%d", c.SessionID, c.MessageIndex)
	if _, known := s.cites[key]; !known {
		s.cites[key] = c
	}
	for _, text := range texts {
		s.texts[key] = append(s.texts[key], clean(text))
	}
	return key
}

func (s *source) tell(texts ...string) {
	for _, text := range texts {
		s.common = append(s.common, clean(text))
	}
}

// holds reports whether a passage stands in one of the messages, or in what is
// nobody's. A full stop or comma before the closing mark may be the sentence's own.
func (s *source) holds(passage string, keys []string) bool {
	bare := strings.TrimRight(passage, ".,;:!?")
	for _, key := range keys {
		if stands(passage, s.texts[key]) || stands(bare, s.texts[key]) {
			return true
		}
	}
	return stands(passage, s.common) || stands(bare, s.common)
}

// everywhere reports whether a passage stands anywhere in the entry, in any letter
// case.
func (s *source) everywhere(passage string) bool {
	passage = strings.ToLower(passage)
	lower := func(texts []string) bool {
		for _, text := range texts {
			if within(passage, strings.ToLower(text)) {
				return true
			}
		}
		return false
	}
	for _, texts := range s.texts {
		if lower(texts) {
			return true
		}
	}
	return lower(s.common)
}

func stands(passage string, texts []string) bool {
	for _, text := range texts {
		if within(passage, text) {
			return true
		}
	}
	return false
}

// within reports whether a passage stands in a text and begins and ends with whole
// words there.
func within(passage, text string) bool {
	if passage == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], passage)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(passage):])
		first, size := utf8.DecodeRuneInString(passage)
		last, _ := utf8.DecodeLastRuneInString(passage)
		cut := spaced(before) && spaced(first) || spaced(last) && spaced(after)
		if !cut {
			return true
		}
		from = i + size
	}
}

// spaced reports whether a character is part of a word in a script that parts
// words with spaces.
func spaced(r rune) bool {
	return r != utf8.RuneError && (unicode.IsDigit(r) || unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Arabic, unicode.Hebrew, unicode.Hangul, unicode.Devanagari))
}
