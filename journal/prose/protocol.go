package prose

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// A protocol is a way to ask a model.
type protocol struct {
	home      string // where its maker serves it
	version   string // the first part of its paths
	path      string // what follows the version
	versioned bool   // the version stands behind any path, not only behind none

	auth func(h http.Header, key string)
	body func(model string, m *material) ([]byte, error)
	text func(answer []byte) (string, error) // what the model wrote
}

func protocols() map[string]protocol {
	bearer := func(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }
	return map[string]protocol{
		"openai": {
			home: "https://api.openai.com/v1", version: "/v1", path: "/chat/completions",
			auth: bearer, body: openAIBody, text: openAIText,
		},
		"anthropic": {
			home: "https://api.anthropic.com", version: "/v1", path: "/messages", versioned: true,
			auth: func(h http.Header, key string) { h.Set("X-Api-Key", key) }, body: anthropicBody, text: anthropicText,
		},
		"ollama": {
			home: "http://127.0.0.1:11434", version: "/api", path: "/chat", versioned: true,
			auth: bearer, body: ollamaBody, text: ollamaText,
		},
	}
}

// headers are those of a request; key "" is no key.
func (w *Writer) headers(key string) http.Header {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	h.Set("User-Agent", "retold")
	if w.o.Kind == "anthropic" {
		h.Set("Anthropic-Version", "2023-06-01")
	}
	if key != "" {
		w.protocol.auth(h, key)
	}
	return h
}

// mostTokens is how long an answer may be, where a protocol wants to be told.
const mostTokens = 4096

type said struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func (m *material) said() said { return said{"user", "The entry:\n\n" + string(m.json)} }

var errCutOff = errors.New("it was cut off")

func openAIBody(model string, m *material) ([]byte, error) {
	return encode(map[string]any{
		"model":    model,
		"messages": []said{{"system", instructions}, m.said()},
		"response_format": map[string]any{
			"type":        "json_schema",
			"json_schema": map[string]any{"name": "journal_prose", "strict": true, "schema": schema()},
		},
	})
}

func openAIText(answer []byte) (string, error) {
	var a struct {
		Choices []struct {
			Message struct {
				Content *string `json:"content"`
				Refusal string  `json:"refusal"`
			} `json:"message"`
			FinishReason string `json:"finish_reason"`
		} `json:"choices"`
	}
	if err := decode(answer, &a); err != nil {
		return "", err
	}
	if len(a.Choices) == 0 {
		return "", errors.New("no choices in it")
	}
	c := a.Choices[0]
	switch {
	case c.Message.Refusal != "" || c.FinishReason == "content_filter":
		return "", errors.New("the model refused")
	case c.FinishReason == "length":
		return "", errCutOff
	case c.Message.Content == nil:
		return "", errors.New("no content in it")
	}
	return *c.Message.Content, nil
}

func anthropicBody(model string, m *material) ([]byte, error) {
	return encode(map[string]any{
		"model": model, "max_tokens": mostTokens, "system": instructions,
		"messages":      []said{m.said()},
		"output_config": map[string]any{"format": map[string]any{"type": "json_schema", "schema": schema()}},
	})
}

func anthropicText(answer []byte) (string, error) {
	var a struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		StopReason string `json:"stop_reason"`
	}
	if err := decode(answer, &a); err != nil {
		return "", err
	}
	switch a.StopReason {
	case "max_tokens", "model_context_window_exceeded":
		return "", errCutOff
	case "refusal":
		return "", errors.New("the model refused")
	}
	var text strings.Builder
	for _, c := range a.Content {
		if c.Type == "text" {
			text.WriteString(c.Text)
		}
	}
	if text.Len() == 0 {
		return "", errors.New("no text in it")
	}
	return text.String(), nil
}

func ollamaBody(model string, m *material) ([]byte, error) {
	// A server cuts off, without a word, what does not fit in the context; a token
	// is hardly ever less than two bytes of JSON.
	context := (len(instructions)+len(m.json))/2 + mostTokens
	return encode(map[string]any{
		"model": model, "stream": false, "format": schema(),
		"messages": []said{{"system", instructions}, m.said()},
		"options":  map[string]any{"temperature": 0, "num_ctx": context, "num_predict": mostTokens},
	})
}

func ollamaText(answer []byte) (string, error) {
	var a struct {
		Message *struct {
			Content string `json:"content"`
		} `json:"message"`
		DoneReason string `json:"done_reason"`
	}
	if err := decode(answer, &a); err != nil {
		return "", err
	}
	switch {
	case a.Message == nil:
		return "", errors.New("no message in it")
	case a.DoneReason == "length":
		return "", errCutOff
	}
	return a.Message.Content, nil
}

// decode reads what a server says.
func decode(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("the server's JSON: %w", err)
	}
	return nil
}
