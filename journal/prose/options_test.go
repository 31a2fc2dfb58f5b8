package prose_test

import (
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal/prose"
	"github.com/retold-history/retold/redact"
)

func TestOptions(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*prose.Options)
		want   string
	}{
		"kind":             {func(o *prose.Options) { o.Kind = "oracle" }, `kind is "oracle"`},
		"no kind":          {func(o *prose.Options) { o.Kind = "" }, "not one of anthropic, ollama, openai"},
		"no model":         {func(o *prose.Options) { o.Model = " " }, "model names no model"},
		"model":            {func(o *prose.Options) { o.Model = "a\x1bb" }, "model names no model"},
		"no mask":          {func(o *prose.Options) { o.Mask = nil }, "nothing would mask"},
		"the key itself":   {func(o *prose.Options) { o.KeyEnv = "sk_live_k3y" }, "key_env wants the name"},
		"timeout":          {func(o *prose.Options) { o.Timeout = -1 }, "timeout is"},
		"long timeout":     {func(o *prose.Options) { o.Timeout = 2 * time.Hour }, "timeout is"},
		"not http":         {func(o *prose.Options) { o.URL = "file:///etc/passwd" }, "is not http"},
		"no host":          {func(o *prose.Options) { o.URL = "https://" }, "is not http"},
		"no address":       {func(o *prose.Options) { o.URL = "https://k3y@\x7f" }, "is no address"},
		"password":         {func(o *prose.Options) { o.URL = "https://ada:k3y@models.example" }, "holds a name or password"},
		"query":            {func(o *prose.Options) { o.URL = "https://models.example/v1?key=k3y" }, "holds a query"},
		"plain http":       {func(o *prose.Options) { o.URL = "http://models.example/v1" }, "plain http to models.example"},
		"nearly localhost": {func(o *prose.Options) { o.URL = "http://localhost.example" }, "plain http"},
		"nearly loopback":  {func(o *prose.Options) { o.URL = "http://127.0.0.1.example" }, "plain http"},
	} {
		o := prose.Options{Kind: "openai", Model: "tiny-1", Mask: redact.JSON}
		c.change(&o)
		_, err := prose.New(o)
		if retold.CodeOf(err) != retold.CodeUsage || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "k3y") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for _, c := range []struct {
		kind, url, want string
		insecure        bool
	}{
		{kind: "openai", want: "https://api.openai.com/v1/chat/completions"},
		{kind: "anthropic", want: "https://api.anthropic.com/v1/messages"},
		{kind: "ollama", want: "http://127.0.0.1:11434/api/chat"},
		{kind: "openai", url: "http://localhost:8080", want: "http://localhost:8080/v1/chat/completions"},
		{kind: "openai", url: "http://[::1]:8080/", want: "http://[::1]:8080/v1/chat/completions"},
		{kind: "openai", url: "https://models.example/api/paas/v4/", want: "https://models.example/api/paas/v4/chat/completions"},
		{kind: "openai", url: "https://models.example/v1/chat/completions", want: "https://models.example/v1/chat/completions"},
		{kind: "anthropic", url: "https://models.example/anthropic", want: "https://models.example/anthropic/v1/messages"},
		{kind: "anthropic", url: "https://models.example/v1", want: "https://models.example/v1/messages"},
		{kind: "ollama", url: "http://box.example:11434", want: "http://box.example:11434/api/chat", insecure: true},
		{kind: "ollama", url: "http://localhost:11434/api", want: "http://localhost:11434/api/chat"},
	} {
		w, err := prose.New(prose.Options{Kind: c.kind, URL: c.url, Model: "tiny-1", Mask: redact.JSON, Insecure: c.insecure})
		if err != nil || w.URL() != c.want || w.Model() != "tiny-1" {
			t.Errorf("%s %s: %v, wanted %s", c.kind, c.url, err, c.want)
		}
	}
}
