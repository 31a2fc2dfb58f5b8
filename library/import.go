package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/migrate"
)

// ImportOptions say which conversations are taken into which agent's files.
type ImportOptions struct {
	Sessions  []string                // selectors, as Find takes them
	Details   []*retold.SessionDetail // and conversations of elsewhere (see ReadExport)
	To        string                  // the agent, "cursor" or "cursor-cli"
	Workspace string                  // the folder they are to be about: an absolute path or an address; "" for their own
	Again     bool                    // take in once more what was taken in before
}

// PlanImport plans to write conversations into an agent's files, so that it shows
// them, and writes nothing. One that the agent itself has lost comes back under
// its own id; what comes from elsewhere gets another. Paths below the folder that a
// conversation was about come to be below the one it is to be about, where they
// stand as paths. What it returns is carried out with Apply and taken back with
// PlanUndo. Close it. Besides the usual errors
// and those of Find it returns a *retold.Error with CodeUsage when the agent has
// the conversation or cannot take any, and CodeWorkspaceNotFound for a folder that
// is not there.
func (l *Library) PlanImport(ctx context.Context, o ImportOptions) (c *migrate.Change, err error) {
	defer l.call(&ctx, &err)()
	headers, err := l.Headers(ctx, retold.Filter{Empty: true})
	if err != nil && (!errors.Is(err, ErrNothing) || len(o.Sessions) > 0) {
		return nil, err
	}
	place, w, err := l.importer(o.To)
	if err != nil {
		return nil, err
	}
	details := o.Details
	for _, s := range o.Sessions {
		d, err := l.Show(ctx, s)
		if err != nil {
			return nil, err
		}
		details = append(slices.Clip(details), d)
	}
	m := retold.Import{Place: place, To: o.Workspace}
	there, kept := map[string]bool{}, map[string]bool{}
	for _, h := range headers {
		kept[h.ID] = true
		if h.Agent == o.To && !h.Gone {
			there[h.ID] = true
		}
	}
	for _, d := range details {
		if o.Workspace == "" {
			if d.WorkspacePath == "" || m.To != "" && m.To != d.WorkspacePath {
				return nil, &retold.Error{Code: retold.CodeUsage, Err: errors.New("it is not known which folder the conversation is to be about"), Hint: "name it with --workspace"}
			}
			m.To = d.WorkspacePath
		}
		id, err := arrivalID(d, o, there)
		if err != nil {
			return nil, err
		}
		there[id] = true
		m.Sessions = append(m.Sessions, retold.Arrival{Session: rehoused(d, m.To), ID: id})
	}
	return migrate.PlanImport(ctx, l.desk(), w, m, kept)
}

// importer is the place of an agent that conversations can be written to.
func (l *Library) importer(agent string) (string, retold.Importer, error) {
	var can []string
	for _, p := range l.located() {
		w, ok := p.source.(retold.Importer)
		if !ok {
			continue
		}
		if !slices.Contains(can, p.source.Agent()) {
			can = append(can, p.source.Agent())
		}
		if p.source.Agent() == agent && p.Used {
			return p.Path, w, nil
		}
	}
	if slices.Contains(can, agent) {
		return "", nil, &retold.Error{Code: retold.CodeDatabaseNotFound, Op: "import", Err: fmt.Errorf("%s has no files on this machine", agent), Hint: "start it once, and quit it; see `retold doctor`"}
	}
	return "", nil, &retold.Error{Code: retold.CodeUsage, Err: fmt.Errorf("nothing can be imported to %q", agent), Hint: "retold can write conversations to " + strings.Join(can, " and ")}
}

// arrivalID is the id that a conversation gets: its own when its agent gets it
// back, else one that follows from it.
func arrivalID(d *retold.SessionDetail, o ImportOptions, there map[string]bool) (string, error) {
	own := d.Agent == o.To && len(d.ID) == 36 && strings.Count(d.ID, "-") == 4
	if own && !o.Again { // the source refuses when it has more of it than a name in a list
		return d.ID, nil
	}
	from := d.Agent
	if o.To != "cursor" { // the editor and the command line share their ids: one in both is one conversation
		from = o.To + " " + from
	}
	for n := 0; ; n++ {
		id := migrate.ImportID(from, d.ID, n)
		if !there[id] {
			return id, nil
		}
		if !o.Again {
			return "", &retold.Error{
				Code: retold.CodeUsage, Err: fmt.Errorf("the conversation %s was imported already, as %s", d.ID, id),
				Hint: "see `retold show " + id + "`; --again imports it once more",
			}
		}
	}
}
