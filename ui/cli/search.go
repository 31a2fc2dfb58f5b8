package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

type searchOptions struct {
	filterFlags
	limit, offset           int
	count, sessions, facets bool
}

const searchLong = `Search everything that was said and done: prompts, replies, thinking, tool calls
with their parameters and results, paths, diffs, and the titles of sessions. The
best hit comes first.

  deadlock            a word, also inside others
  "null pointer"      a phrase             useEff*      the beginning of words
  go -race            go without race      a OR b       one of them
  /panic: .*nil/      a regular expression
  role:user since:7d  fields: agent workspace role tool file model branch since
                      until has title, with values like those of the flags below

Code is searched as it is pasted: foo_bar( and json.Unmar find what they say. Put
the query in single quotes to keep the shell from reading it, and behind -- when
it begins with a minus sign. All of the language: docs/query.md.

In a pipe every line holds, separated by tabs: session number, session id, agent,
message number, message id, role, tool, time (ISO, UTC), workspace name, title,
snippet. Message number and id are empty when the title is the hit. With --facets
a line holds kind (agent, workspace, role, tool, month), name and hits.`

func (a *app) searchCommand() *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use: "search QUERY…", Short: "full text over everything, best first", Long: searchLong,
		Example: `  retold search deadlock
  retold search '"null pointer" OR segfault -test' --since 30d
  retold search 'json.Unmar role:assistant' -w tidepool
  retold search --count -- '-test panic'`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.search(cmd, o, strings.Join(args, " ")) },
	}
	o.add(a, cmd)
	f := cmd.Flags()
	f.IntVarP(&o.limit, "limit", "n", retold.DefaultLimit, "at most `N` hits")
	f.IntVar(&o.offset, "offset", 0, "skip the first `N` hits")
	f.BoolVar(&o.count, "count", false, "only how many hits there are")
	f.BoolVar(&o.facets, "facets", false, "only how many hits there are by agent, workspace, role, tool and month")
	f.BoolVar(&o.sessions, "sessions", false, "each session once, with its best hit")
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		e := usage(cmd, err.Error())
		e.Hint = "to leave out what follows a minus sign, put the query in quotes behind --: retold search -- '…'; for flags " + e.Hint
		return e
	})
	return cmd
}

func (a *app) search(cmd *cobra.Command, o searchOptions, text string) error {
	switch {
	case strings.TrimSpace(text) == "" && !o.given():
		return usage(cmd, "search wants a query, or filters")
	case o.count && o.facets || o.count && o.sessions || o.facets && o.sessions:
		return usage(cmd, "--count, --facets and --sessions exclude each other")
	case o.limit < 1 || o.limit > retold.MaxLimit:
		return usage(cmd, fmt.Sprintf("--limit is 1 to %d", retold.MaxLimit))
	case o.offset < 0:
		return usage(cmd, "--offset is 0 or more")
	}
	ctx := cmd.Context()
	q, err := retold.ParseQuery(text, now())
	if err != nil {
		return err
	}
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	f, err := o.filter(ctx, l)
	if err != nil {
		return err
	}
	if q, err = narrowed(q, f); err != nil {
		return err
	}
	page, err := o.ask(ctx, l, q)
	if err != nil {
		return err
	}
	a.problems += len(page.Problems)
	a.veil.found(page)
	if err := a.found(o, page); err != nil {
		return err
	}
	if page.Pagination.Total == 0 {
		a.notFound(l, q)
	}
	a.behind(page.Behind && page.Pending == 0)
	if page.Pending > 0 {
		a.note("the messages of %s are still being read and not searched yet", counted(page.Pending, "session"))
	}
	a.mention(page.Problems)
	return nil
}

// ask asks the library for what the options want to see.
func (o *searchOptions) ask(ctx context.Context, l *library.Library, q retold.Query) (*library.SearchPage, error) {
	switch {
	case o.count || o.facets:
		return l.Count(ctx, q)
	case o.sessions:
		return bySession(ctx, l, q, o.limit, o.offset)
	}
	return l.Search(ctx, q, o.limit, o.offset)
}

// found prints what was found in the way that was asked for.
func (a *app) found(o searchOptions, page *library.SearchPage) error {
	p := page.Pagination
	switch {
	case o.count && a.json:
		return a.printJSON(struct {
			Total     int  `json:"total"`
			Estimated bool `json:"estimated"`
		}{p.Total, page.Estimated})
	case o.count && a.tty:
		a.line("%s", total(page, "hit"))
	case o.count:
		a.line("%d", p.Total)
	case o.facets && a.json:
		return a.printJSON(page.Facets)
	case o.facets:
		a.facets(page.Facets)
	case a.json:
		return a.printJSON(page)
	default:
		a.hits(page.Data)
		a.summary(o, page)
	}
	return nil
}

// narrowed is a query that also asks for what the flags say.
func narrowed(q retold.Query, f retold.Filter) (retold.Query, error) {
	var err error
	for i, w := range q.Filter.Workspaces {
		if q.Filter.Workspaces[i], err = here(w); err != nil {
			return q, err
		}
	}
	q = q.Within(f)
	q.Filter.Empty = f.Empty
	return q, nil
}

// gathered is how many hits are looked at in one go, and at most in all, for a
// list of sessions.
const (
	gatheredAtOnce = 250
	gatheredAtMost = 10_000
)

// bySession is a page of the best hit of each session. How many there are is
// known when all hits were looked at, and else at least this many.
func bySession(ctx context.Context, l *library.Library, q retold.Query, limit, offset int) (*library.SearchPage, error) {
	type key struct{ agent, id string }
	seen := map[key]bool{}
	var best []retold.Hit
	for at := 0; ; {
		page, err := l.Search(ctx, q, gatheredAtOnce, at)
		if err != nil {
			return nil, err
		}
		for _, h := range page.Data {
			if k := (key{h.Agent, h.SessionID}); !seen[k] {
				seen[k] = true
				best = append(best, h)
			}
		}
		at += len(page.Data)
		more := page.Pagination.HasMore && len(page.Data) > 0
		if more && len(best) <= offset+limit && at < gatheredAtMost {
			continue
		}
		from := min(offset, len(best))
		to := min(from+limit, len(best))
		page.Data = slices.Clip(best[from:to])
		page.Pagination = retold.Pagination{Total: len(best), Limit: limit, Offset: offset, HasMore: to < len(best)}
		page.Estimated = more
		return page, nil
	}
}

// notFound says what else to try.
func (a *app) notFound(l *library.Library, q retold.Query) {
	for _, agent := range q.Filter.Agents {
		if !slices.Contains(l.Agents(), agent) {
			a.note("nothing found; no agent is called %q: there are %s", agent, strings.Join(l.Agents(), ", "))
			return
		}
	}
	hint := "try fewer or shorter words; see `retold search --help`"
	if q.Match == nil || len(q.String()) > len(retold.Query{Match: q.Match}.String()) {
		hint = "try it with fewer filters"
	}
	a.note("nothing found; %s", hint)
}
