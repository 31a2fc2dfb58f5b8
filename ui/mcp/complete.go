package mcp

import (
	"context"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// mostCompletions is how many values one answer may have, by the protocol.
const mostCompletions = 100

// complete offers values for the arguments of prompts and templates.
func (s *Server) complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	typed := req.Params.Argument.Value
	var values []string
	var err error
	switch req.Params.Argument.Name {
	case "id", "session":
		values, err = s.ids(ctx, typed)
	case "n", "message":
		values, err = s.numbers(ctx, req, typed)
	case "workspace":
		if values, err = s.lib.WorkspaceNames(ctx); err == nil {
			values = beginning(values, typed)
		}
	case "agent":
		values = beginning(s.lib.Agents(), typed)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, protocolError(err)
	}
	out := sdk.CompletionResultDetails{Values: []string{}, Total: len(values), HasMore: len(values) > mostCompletions}
	for _, v := range values[:min(mostCompletions, len(values))] {
		if quote.Safe(v) == v { // what is not safe to show is not offered
			out.Values = append(out.Values, v)
		}
	}
	return &sdk.CompleteResult{Completion: out}, nil
}

// ids are the ids that begin as was typed, those of the newest sessions first.
func (s *Server) ids(ctx context.Context, typed string) (out []string, err error) {
	all, err := s.lib.Headers(ctx, retold.Filter{})
	if err != nil {
		return nil, err
	}
	for _, h := range all {
		if len(h.ID) >= len(typed) && strings.EqualFold(h.ID[:len(typed)], typed) {
			out = append(out, h.ID)
		}
	}
	return out, nil
}

// numbers are the indexes of the messages of the session that was chosen before.
func (s *Server) numbers(ctx context.Context, req *sdk.CompleteRequest, typed string) (out []string, err error) {
	if req.Params.Context == nil || req.Params.Context.Arguments["id"] == "" {
		return nil, nil
	}
	x, err := s.lib.Read(ctx, req.Params.Context.Arguments["id"], library.Window{Limit: 1})
	if retold.CodeOf(err) != "" {
		return nil, nil //nolint:nilerr // nothing to offer
	}
	if err != nil {
		return nil, err
	}
	for i := range x.MessageCount {
		if n := strconv.Itoa(i); strings.HasPrefix(n, typed) {
			out = append(out, n)
		}
	}
	return out, nil
}

// beginning are the values that begin as was typed, and then those that hold it.
func beginning(values []string, typed string) (out []string) {
	typed = strings.ToLower(typed)
	for _, v := range values {
		if strings.HasPrefix(strings.ToLower(v), typed) {
			out = append(out, v)
		}
	}
	for _, v := range values {
		if lower := strings.ToLower(v); strings.Contains(lower, typed) && !strings.HasPrefix(lower, typed) {
			out = append(out, v)
		}
	}
	return out
}
