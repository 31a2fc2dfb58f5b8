package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// guard is around every request: a panic in one answer ends that answer and not
// the server, and while a client waits that wants to know, it is told how far a
// long reading has come.
func (s *Server) guard(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		start := time.Now()
		defer func() {
			if r := recover(); r != nil {
				s.log.ErrorContext(ctx, "a request made retold stumble", "method", method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
				res, err = s.stumbled(method)
			}
			if s.o.Answered != nil {
				s.o.Answered()
			}
			s.log.DebugContext(ctx, "answered", "method", method, "ms", time.Since(start).Milliseconds())
		}()
		ctx, stop := s.progress(ctx, req)
		defer stop()
		res, err = next(ctx, method, req)
		return res, coded(err)
	}
}

// coded gives an error a code of JSON-RPC where it has none: the SDK sends 0 then.
func coded(err error) error {
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok || err == nil {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: failureOf(err).Message}
}

// errStumbled is what a client is told of a panic.
var errStumbled = errors.New("retold stumbled over this request; this is a mistake in retold, and the server goes on")

func (s *Server) stumbled(method string) (sdk.Result, error) {
	if method == "tools/call" {
		return failed(errStumbled), nil
	}
	return nil, protocolError(errStumbled)
}
