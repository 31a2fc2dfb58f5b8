package agentstate

import (
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// contextTags are the blocks that Cursor puts around what the user typed. They
// are recognised at the start of a message even when it has no <user_query>.
var contextTags = map[string]bool{
	"user_info": true, "project_layout": true, "rules": true, "user_rules": true, "workspace_rules": true,
	"always_applied_workspace_rules": true, "always_applied_workspace_rule": true, "agent_requestable_workspace_rules": true,
	"cursor_rules_context": true, "attached_files": true, "system_reminder": true, "system-reminder": true,
	"open_and_recently_viewed_files": true, "recently_viewed_files": true, "git_status": true, "agent_transcripts": true,
	"agent_skills": true, "available_skills": true, "manually_attached_skills": true, "mcp_file_system": true, "mcp_instructions": true,
	"additional_data": true, "current_file": true, "linter_errors": true, "timestamp": true, "system_notification": true,
	"task_notification": true, "external_links": true, "image_files": true, "terminal_files_information": true,
	"file_contents": true, "manually_added_selection": true, "code_selection": true, "attached_code": true, "notepads": true,
	"edit_file_history": true, "cursor_commands": true, "conversation_summary": true,
}

const (
	openQuery  = "<user_query>"
	closeQuery = "</user_query>"
)

// Unwrap takes Cursor's own wrapping off the text of a user message: what stands
// in <user_query> was said, the blocks around it are context. spoken is false
// when the text holds nothing but context. Text without any wrapping is returned
// as it is.
func Unwrap(s string) (said string, spoken bool, context []retold.Attachment) {
	var queries []string
	rest, last := s, strings.LastIndex(s, openQuery)
	for {
		trimmed := strings.TrimLeft(rest, " \t\r\n")
		if trimmed == "" {
			break
		}
		if strings.HasPrefix(trimmed, openQuery) {
			var q string
			q, rest = cutQuery(trimmed)
			queries = append(queries, q)
			continue
		}
		name, block, after, ok := cutBlock(trimmed)
		queried := len(queries) > 0 || len(s)-len(after) <= last
		if ok && (contextTags[name] || queried) {
			context = append(context, blockAttachment(name, block))
			rest = after
			continue
		}
		free := rest
		if len(context) > 0 || len(queries) > 0 {
			free = trimmed
		}
		rest = ""
		if at := strings.Index(free, "\n"+openQuery); at >= 0 {
			free, rest = free[:at], free[at+1:]
		} else if len(queries) == 0 {
			return free, true, context
		}
		context = append(context, looseAttachments(free)...)
	}
	return strings.Join(queries, "\n\n"), len(queries) > 0 || strings.TrimSpace(s) == "" && s != "", context
}

// cutQuery takes the first query off. A closing tag inside what the user typed
// is told from the real one by what follows: another closing tag before any new
// query means that the first was typed.
func cutQuery(s string) (query, rest string) {
	s = s[len(openQuery):]
	end := strings.Index(s, closeQuery)
	if end < 0 {
		return trimLine(s), ""
	}
	for {
		next := s[end+len(closeQuery):]
		again := strings.Index(next, closeQuery)
		if again < 0 || strings.Contains(next[:again], openQuery) {
			return trimLine(s[:end]), next
		}
		end += len(closeQuery) + again
	}
}

// trimLine removes the one line break that Cursor writes inside each tag.
func trimLine(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "\r"), "\n")
	s = strings.TrimSuffix(s, "\n")
	return strings.TrimSuffix(s, "\r")
}

// cutBlock takes <name …>…</name> off the front of s.
func cutBlock(s string) (name, body, rest string, ok bool) {
	if len(s) < 3 || s[0] != '<' {
		return "", "", "", false
	}
	end := strings.IndexByte(s[:min(len(s), 500)], '>')
	if end < 0 {
		return "", "", "", false
	}
	name, _, _ = strings.Cut(s[1:end], " ")
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return "", "", "", false
	}
	closing := "</" + name + ">"
	at := strings.Index(s[end+1:], closing)
	if at < 0 {
		return "", "", "", false
	}
	return name, s[end+1 : end+1+at], s[end+1+at+len(closing):], true
}

func blockAttachment(name, body string) retold.Attachment {
	kind := "context"
	if strings.Contains(name, "rule") {
		kind = "rule"
	}
	return retold.Attachment{Kind: kind, Name: name, Text: trimLine(body)}
}

// looseAttachments reads what stands outside every tag: the placeholders of the
// transcript writer, or text that something put there.
func looseAttachments(s string) []retold.Attachment {
	var out []retold.Attachment
	var other []string
	for line := range strings.Lines(s) {
		text := strings.TrimSpace(line)
		name, isFile := strings.CutPrefix(text, "[File: ")
		switch {
		case text == "[Image]":
			out = append(out, retold.Attachment{Kind: "image", Name: "image"})
		case isFile && strings.HasSuffix(name, "]"):
			out = append(out, retold.Attachment{Kind: "file", Name: strings.TrimSuffix(name, "]")})
		default:
			other = append(other, line)
		}
	}
	if text := strings.Join(other, ""); strings.TrimSpace(text) != "" {
		out = append(out, retold.Attachment{Kind: "context", Name: "text", Text: text})
	}
	return out
}

// TimeOf reads the <timestamp> block that some builds put into user messages,
// e.g. "Thursday, Feb 12, 2026, 3:04 PM (UTC-5)". Zero when there is none, or
// none with a zone.
func TimeOf(context []retold.Attachment) time.Time {
	for _, a := range context {
		if a.Name != "timestamp" {
			continue
		}
		text := strings.TrimSpace(a.Text)
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
			return t.UTC()
		}
		clock, zone, ok := strings.Cut(strings.TrimSuffix(text, ")"), " (UTC")
		if !ok {
			continue
		}
		offset, ok := zoneOffset(zone)
		if t, err := time.Parse("Monday, Jan 2, 2006, 3:04 PM", clock); err == nil && ok {
			return t.Add(-offset).UTC()
		}
	}
	return time.Time{}
}

// zoneOffset reads "-5", "+5:30" or "".
func zoneOffset(s string) (time.Duration, bool) {
	if s == "" {
		return 0, true
	}
	h, m, ok := strings.Cut(s[1:], ":")
	if !ok {
		m = "0"
	}
	d, err := time.ParseDuration(h + "h" + m + "m")
	if err != nil || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	if s[0] == '-' {
		d = -d
	}
	return d, true
}
