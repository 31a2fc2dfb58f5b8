package mcp

import (
	"context"
	"log/slog"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold/ui/mcp/quote"
)

// A clientLog is a slog.Handler that logs to every connected client, which gets
// what it asked for with logging/setLevel.
type clientLog struct {
	server *sdk.Server
	attrs  []slog.Attr // their keys with the names of their groups
	prefix string
}

// Enabled reports whether anybody is there to read it.
func (c *clientLog) Enabled(context.Context, slog.Level) bool {
	for range c.server.Sessions() {
		return true
	}
	return false
}

// Handle sends one record. A client that is gone is no error.
func (c *clientLog) Handle(ctx context.Context, r slog.Record) error {
	data := map[string]any{"message": quote.Safe(r.Message)}
	for _, a := range c.attrs {
		data[a.Key] = quote.Safe(a.Value.Resolve().String())
	}
	r.Attrs(func(a slog.Attr) bool {
		data[c.prefix+a.Key] = quote.Safe(a.Value.Resolve().String())
		return true
	})
	p := &sdk.LoggingMessageParams{Logger: "retold", Level: levelOf(r.Level), Data: data}
	for client := range c.server.Sessions() {
		_ = client.Log(ctx, p) // a client that went away misses nothing
	}
	return nil
}

// WithAttrs returns a handler that adds attributes to every record.
func (c *clientLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	all := slices.Clone(c.attrs)
	for _, a := range attrs {
		a.Key = c.prefix + a.Key
		all = append(all, a)
	}
	return &clientLog{server: c.server, attrs: all, prefix: c.prefix}
}

// WithGroup returns a handler that puts the group's name before the names.
func (c *clientLog) WithGroup(name string) slog.Handler {
	return &clientLog{server: c.server, attrs: c.attrs, prefix: c.prefix + name + "."}
}

func levelOf(l slog.Level) sdk.LoggingLevel {
	switch {
	case l < slog.LevelInfo:
		return "debug"
	case l < slog.LevelWarn:
		return "info"
	case l < slog.LevelError:
		return "warning"
	}
	return "error"
}
