package retold

import (
	"strings"
	"unicode"
)

// ModelName turns a model's identifier into the name people use for it:
// "claude-4.5-opus-high-thinking" is "Claude Opus 4.5 (Thinking)". It works by
// rules, so that models nobody knew when this was written come out well too;
// "" stays "", and "default" is Cursor's Auto.
func ModelName(id string) string {
	if id == "" {
		return ""
	}
	if strings.EqualFold(id, "default") || strings.EqualFold(id, "auto") {
		return "Auto"
	}
	if strings.ContainsFunc(id, unicode.IsSpace) {
		return id // already a display name
	}
	id = id[strings.LastIndexByte(id, '/')+1:] // "anthropic/claude-…"
	m := modelWords(strings.Split(id, "-"))
	name := append(m.family, m.variant...)
	switch {
	case m.version == "":
	case m.glued: // GPT-5.2 Codex
		name = append([]string{strings.Join(m.family, " ") + "-" + m.version}, m.variant...)
	case m.versionLast: // Claude Opus 4.5
		name = append(name, m.version)
	default: // Gemini 3 Pro
		name = append(append(append([]string{}, m.family...), m.version), m.variant...)
	}
	out := strings.Join(name, " ")
	if len(m.notes) > 0 {
		out += " (" + strings.Join(m.notes, ", ") + ")"
	}
	return out
}

type modelParts struct {
	family, variant, notes []string
	version                string
	glued, versionLast     bool
}

// modelWords sorts the dash-separated words of an identifier into family
// ("claude"), version ("4.5", also written "4-5"), variant ("opus") and notes
// in brackets. Effort words ("high") and release dates are left out.
func modelWords(words []string) modelParts {
	var m modelParts
	for _, w := range words {
		lower := strings.ToLower(w)
		switch {
		case lower == "":
		case lower == "thinking" || lower == "fast" || lower == "preview" || lower == "latest" || lower == "beta":
			if lower != "latest" {
				m.notes = append(m.notes, titled(lower))
			}
		case lower == "high" || lower == "low" || lower == "medium" || lower == "xhigh" || lower == "none" || lower == "minimal":
		case isDate(lower):
		case isVersion(lower):
			if m.version == "" {
				m.version = lower
			} else if len(lower) <= 2 {
				m.version += "." + lower
			}
		case len(m.family) == 0:
			m.family = append(m.family, familyName(lower))
			m.glued = lower == "gpt"
			m.versionLast = lower == "claude"
		default:
			m.variant = append(m.variant, titled(lower))
		}
	}
	return m
}

func familyName(w string) string {
	switch w {
	case "gpt", "glm":
		return strings.ToUpper(w)
	case "deepseek":
		return "DeepSeek"
	}
	if len(w) > 1 && w[0] == 'o' && w[1] >= '0' && w[1] <= '9' {
		return w // o3, o4
	}
	return titled(w)
}

func isVersion(w string) bool {
	w = strings.TrimPrefix(strings.TrimPrefix(w, "v"), "k")
	w = strings.TrimSuffix(w, "o") // 4o
	return w != "" && strings.Trim(w, "0123456789.") == ""
}

func isDate(w string) bool {
	return len(w) >= 6 && strings.Trim(w, "0123456789") == "" || len(w) == 4 && strings.Trim(w, "0123456789") == ""
}

func titled(w string) string {
	if w == "" || w[0] >= 0x80 {
		return w
	}
	return strings.ToUpper(w[:1]) + w[1:]
}
