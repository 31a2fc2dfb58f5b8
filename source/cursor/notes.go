package cursor

import (
	"cmp"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// notes yields, behind the conversation, what its record says beside the
// messages: the summary that stands for the messages the model no longer sees,
// the to-do list as it was left, and of a chat in which nothing was said the
// draft in its input box (formats C.2, C.3).
func (r *reader) notes() error {
	full := &r.g.full
	if err := r.note("summary", "Summary of the conversation so far:", full.summary.At("summary", "summary").Str()); err != nil {
		return err
	}
	if err := r.note("todos", "To-do list:", todoText(full.todos)); err != nil {
		return err
	}
	if r.detail.MessageCount > 0 {
		return nil
	}
	return r.note("draft", "Draft, never sent:", cmp.Or(lexicalText(full.draft), full.draft.Str()))
}

func (r *reader) note(id, head, text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if err := r.dater.add(retold.Message{ID: id, Role: retold.RoleSystem, Content: head + "\n\n" + text}); err != nil {
		return err
	}
	return r.dater.finish()
}

// todoText is a to-do list as Markdown. Its entries are objects or strings that
// hold them, their status a word or a number (formats C.4).
func todoText(todos jscan.Value) string {
	marks := map[string]string{"completed": "x", "3": "x", "in_progress": "~", "2": "~", "cancelled": "-", "4": "-"}
	var lines []string
	for v := range todos.Items() {
		todo := v.Embedded()
		text := todo.Get("content").Str()
		if text == "" {
			continue
		}
		mark := marks[strings.ToLower(todo.Get("status").Text())]
		if mark == "" {
			mark = " "
		}
		lines = append(lines, "- ["+mark+"] "+text)
	}
	return strings.Join(lines, "\n")
}
