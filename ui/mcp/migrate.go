package mcp

import (
	"context"
	"strings"

	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/migrate"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func migrateSessionTool() *tool {
	return &tool{
		name: "migrate_session", title: "Move or copy conversations",
		description: "Make single conversations be about another folder, so that Cursor lists them there. First a dry run: the plan and a fingerprint; then again with confirm and that fingerprint. Refused while Cursor runs; undo_change takes it back.\n" +
			"Example: {\"sessions\": [\"1a2b3c4d\"], \"to\": \"/home/ada/projects/tidepool\"}; the same with \"confirm\": true, \"fingerprint\": \"…\".",
		params:   []string{"sessions", "to", "copy", "confirm", "fingerprint", "max_chars"},
		required: []string{"sessions", "to"},
		output:   changedSchema(),
		writes:   true, kind: changing,
		run: (*call).migrateSession,
	}
}

func migrateWorkspaceTool() *tool {
	return &tool{
		name: "migrate_workspace", title: "Move or copy a folder's conversations",
		description: "Make all conversations about one folder be about another, after it was renamed or moved. Dry run first, as migrate_session.\n" +
			"Example: {\"workspace\": \"/home/ada/old-name\", \"to\": \"/home/ada/new-name\"}.",
		params:   []string{"workspace", "to", "copy", "confirm", "fingerprint", "max_chars"},
		required: []string{"workspace", "to"},
		describe: map[string]string{"workspace": "the folder that they are about: an absolute path, an address, or a name that only one has"},
		output:   changedElsewhere(),
		writes:   true, kind: changing,
		run: (*call).migrateWorkspace,
	}
}

func (c *call) migrateSession(ctx context.Context) (*answer, error) {
	if len(c.picked) == 0 {
		return nil, usage("call list_sessions for their ids", "migrate_session needs sessions")
	}
	return c.migrate(ctx, "migrate_session", library.MigrateOptions{Sessions: c.picked})
}

func (c *call) migrateWorkspace(ctx context.Context) (*answer, error) {
	from, err := c.here(ctx, c.workspaces)
	if err != nil {
		return nil, err
	}
	if len(from) != 1 {
		return nil, usage("call list_workspaces for their paths", "migrate_workspace wants one workspace, not %d", len(from))
	}
	return c.migrate(ctx, "migrate_workspace", library.MigrateOptions{From: from[0]})
}

func (c *call) migrate(ctx context.Context, tool string, o library.MigrateOptions) (*answer, error) {
	if err := c.mayBeAbout(ctx, c.to); err != nil {
		return nil, err
	}
	o.To, o.Copy = c.to, c.copies
	return c.propose(ctx, tool, func(ctx context.Context) (*migrate.Change, error) { return c.lib.PlanMigrate(ctx, o) })
}

// mayBeAbout returns why a folder is none that conversations can be about.
func (s *Server) mayBeAbout(ctx context.Context, folder string) error {
	refuse := refusing("move to", folder)
	if strings.Contains(folder, "://") || paths.ParseAddress(folder).IsWindows() {
		if quote.Line(folder) != folder {
			return refuse("write the address without control characters", "the address is not written plainly")
		}
		return nil
	}
	if err := s.plainPath(folder, refuse); err != nil {
		return err
	}
	return s.unowned(ctx, folder, refuse)
}
