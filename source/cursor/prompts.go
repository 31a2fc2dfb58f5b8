package cursor

import (
	"fmt"
	"time"

	"github.com/retold-history/retold"
)

// addPrompts makes a chat of a workspace's prompt history where nothing better
// exists: no conversation belongs to that workspace (formats B.2). Only the
// person's side is kept there.
func (g *catalog) addPrompts(w *workspace) {
	texts := w.promptTexts()
	if len(texts) == 0 {
		return
	}
	for _, c := range g.chats {
		if !c.empty() && (c.ownID == w.id || c.listID == w.id || c.home == w) {
			return
		}
	}
	c := g.chat("prompts-" + w.id)
	c.kind, c.home, c.listID, c.inline, c.count = bodyPrompts, w, w.id, len(texts), len(texts)
	c.sum = checksum(w.prompts) ^ checksum(w.generations)
	for _, p := range texts {
		if c.preview == "" {
			c.preview = retold.Preview(p.text)
		}
		if c.meta.created.IsZero() {
			c.meta.created = p.at
		}
		if p.at.After(c.meta.updated) {
			c.meta.updated = p.at
		}
	}
}

type prompt struct {
	id, text string
	at       time.Time
}

// promptTexts are the prompts in their order. Generations of type "composer"
// repeat a prompt's text and know its time and id; what else they describe
// (applied files) is no prompt.
func (w *workspace) promptTexts() (all []prompt) {
	dated := map[string][]prompt{}
	for v := range w.generations.Items() {
		p := prompt{id: v.Get("generationUUID").Str(), text: v.Get("textDescription").Str(), at: parseTime(v.Get("unixMs"))}
		if v.Get("type").Str() == "composer" && p.text != "" {
			dated[p.text] = append(dated[p.text], p)
		}
	}
	for v := range w.prompts.Items() {
		p := prompt{text: v.Get("text").Str()}
		if p.text == "" {
			continue
		}
		if known := dated[p.text]; len(known) > 0 {
			p, dated[p.text] = known[0], known[1:]
		}
		all = append(all, p)
	}
	for v := range w.generations.Items() { // prompts that have fallen out of the other list
		text := v.Get("textDescription").Str()
		if known := dated[text]; len(known) > 0 && v.Get("type").Str() == "composer" {
			all = append(all, known[0])
			dated[text] = known[1:]
		}
	}
	return all
}

func (r *reader) prompts() error {
	for i, p := range r.chat.home.promptTexts() {
		m := retold.Message{ID: p.id, Role: retold.RoleUser, Content: p.text, Timestamp: p.at}
		if m.ID == "" {
			m.ID = fmt.Sprintf("prompt-%d", i)
		}
		if !p.at.IsZero() {
			m.TimestampSource = retold.TimeStored
		}
		if err := r.dater.add(m); err != nil {
			return err
		}
	}
	return nil
}

// A requestTime is when a request was made; it dates one message.
type requestTime struct {
	at   time.Time
	used bool
}

// dateByRequest gives the first message of a request the time at which the
// workspace's list of generations says it was made (formats B.2, C.9).
func (r *reader) dateByRequest(m *retold.Message) {
	if r.asked == nil {
		r.asked = map[string]requestTime{}
		for _, w := range r.g.workspaces {
			for v := range w.generations.Items() {
				if id, at := v.Get("generationUUID").Str(), parseTime(v.Get("unixMs")); id != "" && !at.IsZero() {
					r.asked[id] = requestTime{at: at}
				}
			}
		}
	}
	if t, ok := r.asked[m.RequestID]; ok && !t.used {
		m.Timestamp, m.TimestampSource = t.at, retold.TimeTiming
		r.asked[m.RequestID] = requestTime{at: t.at, used: true}
	}
}
