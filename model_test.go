package retold_test

import (
	"testing"

	"github.com/retold-history/retold"
)

func TestModelName(t *testing.T) {
	for id, want := range map[string]string{
		"":                              "",
		"default":                       "Auto",
		"claude-4.5-opus-high-thinking": "Claude Opus 4.5 (Thinking)",
		"claude-4-sonnet":               "Claude Sonnet 4",
		"claude-3-7-sonnet-20250219":    "Claude Sonnet 3.7",
		"claude-opus-4-1-20250805":      "Claude Opus 4.1",
		"anthropic/claude-haiku-4.5":    "Claude Haiku 4.5",
		"gpt-4":                         "GPT-4",
		"gpt-4o-mini":                   "GPT-4o Mini",
		"gpt-5.2-codex-high":            "GPT-5.2 Codex",
		"gpt-5.1-codex-max-xhigh-fast":  "GPT-5.1 Codex Max (Fast)",
		"gemini-3-pro-preview":          "Gemini 3 Pro (Preview)",
		"gemini-2.5-flash":              "Gemini 2.5 Flash",
		"grok-code-fast-1":              "Grok 1 Code (Fast)",
		"composer-1":                    "Composer 1",
		"cursor-small":                  "Cursor Small",
		"deepseek-v3.1":                 "DeepSeek v3.1",
		"kimi-k2-instruct":              "Kimi k2 Instruct",
		"o3":                            "o3",
		"Some Custom Model":             "Some Custom Model",
	} {
		if got := retold.ModelName(id); got != want {
			t.Errorf("ModelName(%q) = %q, want %q", id, got, want)
		}
	}
}
