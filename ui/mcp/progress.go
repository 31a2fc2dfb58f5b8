package mcp

import (
	"context"
	"fmt"
	"reflect"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// tokened is a request that may carry a progress token.
type tokened interface{ GetProgressToken() any }

// A stage is how far a piece of work has come.
type stage struct {
	at, total float64
	note      string
}

// stageKey is the key of the channel of stages in the context of a request.
type stageKey struct{}

// progress forwards what the library tells to the client that asks, until the
// function it returns is called. A job of the request itself tells of its stages
// through the context (see backing).
func (s *Server) progress(ctx context.Context, req sdk.Request) (inner context.Context, stop func()) {
	p, ok := req.GetParams().(tokened)
	if v := reflect.ValueOf(p); !ok || v.Kind() == reflect.Pointer && v.IsNil() { // a request without parameters
		return ctx, func() {}
	}
	token := p.GetProgressToken()
	client, ok := req.GetSession().(*sdk.ServerSession)
	if token == nil || !ok {
		return ctx, func() {}
	}
	told, leave := s.o.Feed.listen()
	own, quit, done := make(chan stage, 1), make(chan struct{}), make(chan struct{})
	last := -1.0
	send := func(x stage) {
		if x.at > last { // the protocol wants it to grow
			last = x.at
			note := &sdk.ProgressNotificationParams{ProgressToken: token, Progress: x.at, Total: x.total, Message: x.note}
			_ = client.NotifyProgress(ctx, note) // a client that went away misses nothing
		}
	}
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case p := <-told:
				send(stage{float64(p.Sessions), float64(p.SessionsTotal), fmt.Sprintf("%s: %d of %d sessions, %d messages", p.Stage, p.Sessions, p.SessionsTotal, p.Messages)})
			case x := <-own:
				send(x)
			case <-quit:
				select {
				case x := <-own:
					send(x)
				default:
				}
				return
			}
		}
	}()
	return context.WithValue(ctx, stageKey{}, own), func() {
		leave()
		close(quit)
		<-done
	}
}

// backing returns what tells of a backup, or of reading one, to the client that
// made the request: a hundred times at most for each stage. It never waits. nil
// when nobody wants to know.
func backing(ctx context.Context) func(library.BackupProgress) {
	own, ok := ctx.Value(stageKey{}).(chan stage)
	if !ok {
		return nil
	}
	var last stage
	told, counting, before := false, false, 0.0
	return func(p library.BackupProgress) {
		x := stage{at: float64(p.Bytes), total: float64(p.Total), note: fmt.Sprintf("%s: %s of %s bytes", p.Stage, quote.Number(int(p.Bytes)), quote.Number(int(p.Total)))}
		begins := p.OfSessions > 0 && !counting
		if begins { // it counts anew, and goes on behind what was
			counting, before = true, last.at
		}
		if counting {
			x = stage{at: before + float64(p.Sessions), total: before + float64(p.OfSessions), note: fmt.Sprintf("%s: %d of %d sessions", p.Stage, p.Sessions, p.OfSessions)}
		}
		if told && !begins && x.at-last.at < (x.total-before)/100 {
			return
		}
		told, last = true, x
		select {
		case own <- x:
		default:
		}
	}
}
