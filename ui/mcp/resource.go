package mcp

import (
	"context"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// Addresses of resources.
const (
	scheme          = "retold://"
	sessionPrefix   = scheme + "session/"
	workspacesURI   = scheme + "workspaces"
	sessionTemplate = sessionPrefix + "{id}"
	messageTemplate = sessionPrefix + "{id}/message/{n}"
)

const markdown = "text/markdown"

func (s *Server) addResources() {
	s.sdk.AddResource(&sdk.Resource{URI: workspacesURI, Name: "workspaces", Title: "Folders", Description: "The folders that conversations were about, the last used first.", MIMEType: markdown}, s.resource)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: sessionTemplate, Name: "session", Title: "A conversation", MIMEType: markdown,
		Description: "The beginning of a conversation; get_session reads on. id is the session's id, a unique beginning of it, or its number.",
	}, s.resource)
	s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: messageTemplate, Name: "message", Title: "One message", MIMEType: markdown,
		Description: "One message of a conversation. n is its index, from 0, or its id.",
	}, s.resource)
}

// resource reads any of the resources.
func (s *Server) resource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	c := &call{Server: s, input: &input{}, who: askerOf(req, req.Params.InputResponses), at: s.now(), max: defaultChars}
	read, ok := c.reader(req.Params.URI)
	if !ok {
		return nil, sdk.ResourceNotFoundError(quote.Line(req.Params.URI))
	}
	a, err := read(ctx)
	if err != nil {
		return nil, protocolError(err)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: markdown, Text: a.text}}}, nil
}

// reader is what reads the resource with this address.
func (c *call) reader(uri string) (func(context.Context) (*answer, error), bool) {
	if uri == workspacesURI {
		limit := 200
		c.limit = &limit
		return c.workspaceList, true
	}
	rest, ok := strings.CutPrefix(uri, sessionPrefix)
	if !ok {
		return nil, false
	}
	parts := strings.Split(rest, "/")
	for i := range parts {
		var err error
		if parts[i], err = url.PathUnescape(parts[i]); err != nil || parts[i] == "" {
			return nil, false
		}
	}
	switch {
	case len(parts) == 1:
		c.session = parts[0]
		return c.excerpt, true
	case len(parts) == 3 && parts[1] == "message":
		c.session, c.message = parts[0], parts[2]
		return c.oneMessage, true
	}
	return nil, false
}

// listedSessions is how many of the newest sessions stand in the list of resources.
const listedSessions = 20

// listed adds the newest sessions to the list of resources, which would else hold
// only what never changes.
func (s *Server) listed(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		res, err := next(ctx, method, req)
		list, ok := res.(*sdk.ListResourcesResult)
		if err != nil || method != "resources/list" || !ok {
			return res, err
		}
		page, err := s.lib.List(ctx, retold.Filter{}, listedSessions, 0)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // no history is no reason to have no resources
			s.log.WarnContext(ctx, "sessions cannot be listed as resources", "error", failureOf(err).Message)
			return list, nil
		}
		for _, found := range page.Data {
			list.Resources = append(list.Resources, s.sessionResource(safeSession(found)))
		}
		return list, nil
	}
}

func (s *Server) sessionResource(found retold.Session) *sdk.Resource {
	r := &sdk.Resource{
		URI: sessionPrefix + escaped(found.ID), Name: "session " + shortID(found.ID), Title: quote.Title(found.Title), MIMEType: markdown,
		Description: found.Agent + " · last touched " + quote.When(found.Touched(), s.now()),
	}
	if found.WorkspaceName != "" {
		r.Description += " · " + quote.Title(found.WorkspaceName)
	}
	if t := found.Touched(); !t.IsZero() {
		r.Annotations = &sdk.Annotations{LastModified: t.UTC().Format(time.RFC3339)}
	}
	return r
}

// escaped is an id as it stands in an address: everything but letters, digits and
// - . _ ~ as bytes in hexadecimal, so that templates match it.
func escaped(id string) string {
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte("0123456789ABCDEF"[c>>4])
		b.WriteByte("0123456789ABCDEF"[c&15])
	}
	return b.String()
}
