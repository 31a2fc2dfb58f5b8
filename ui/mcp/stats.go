package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func statsTool() *tool {
	return &tool{
		name: "get_stats", title: "Count activity",
		description: "Count messages, days, models, tools, folders and tokens of the conversations that fit. Times are UTC.\n" +
			"Examples: {}; {\"workspace\": \".\", \"since\": \"30d\"}; {\"agent\": \"cursor\"}.",
		params: append(slices.Clone(filters), "max_chars"),
		output: statsSchema(),
		run:    (*call).stats,
	}
}

// Most entries of the lists of get_stats.
const (
	mostUses = 20
	mostDays = 60
)

func (c *call) stats(ctx context.Context) (*answer, error) {
	f, err := c.filter(ctx)
	if err != nil {
		return nil, err
	}
	r, err := c.lib.Stats(ctx, f, time.UTC)
	if err != nil {
		return nil, err
	}
	s := r.Stats
	foot := footing{Notice: notice, Problems: safeProblems(r.Problems)}
	days := len(s.Days)
	for uses, dayCount := mostUses, mostDays; ; uses, dayCount = uses/2, dayCount/2 {
		cut := shortStats(s, uses, dayCount)
		var short []string
		if len(cut.Days) < days {
			short = append(short, fmt.Sprintf("the last %d of %d days", len(cut.Days), days))
		}
		if len(cut.Tools) < len(s.Tools) || len(cut.Workspaces) < len(s.Workspaces) || len(cut.Models) < len(s.Models) {
			short = append(short, fmt.Sprintf("the first %d names of each list", uses))
		}
		if foot.Shortened = strings.Join(short, " and "); len(short) > 0 {
			foot.Shortened += "; narrow it with since, until or workspace"
		}
		a, err := c.writeStats(&cut, foot)
		if err != nil || uses <= 2 || a.fits(c.max) {
			return a, err
		}
	}
}

// shortStats are counts with lists of at most so many entries, safe to show.
func shortStats(s retold.Stats, uses, days int) retold.Stats {
	s.Days = s.Days[max(0, len(s.Days)-days):]
	for _, list := range []*[]retold.UseCount{&s.Agents, &s.Workspaces, &s.Models} {
		*list = slices.Clone((*list)[:min(uses, len(*list))])
		for i := range *list {
			(*list)[i].Name = quote.Title((*list)[i].Name)
		}
	}
	s.Tools = slices.Clone(s.Tools[:min(uses, len(s.Tools))])
	for i := range s.Tools {
		s.Tools[i].Name = quote.Title(s.Tools[i].Name)
	}
	return s
}

func (c *call) writeStats(s *retold.Stats, foot footing) (*answer, error) {
	p := &page{}
	p.say(notice)
	p.say("%s in %s.", counted(s.Messages, "message"), counted(s.Sessions, "conversation"))
	if s.First != nil && s.Last != nil {
		p.say("From %s to %s.", quote.When(*s.First, c.at), quote.When(*s.Last, c.at))
	}
	var told []string
	add := func(what string, names []string) {
		if len(names) > 0 {
			told = append(told, what+": "+strings.Join(names, ", "))
		}
	}
	uses := func(list []retold.UseCount) (out []string) {
		for _, u := range list[:min(10, len(list))] {
			out = append(out, fmt.Sprintf("%s %s", u.Name, quote.Number(u.Messages)))
		}
		return out
	}
	add("messages by agent", uses(s.Agents))
	add("by folder", uses(s.Workspaces))
	add("by model", uses(s.Models))
	var tools, roles []string
	for _, t := range s.Tools[:min(10, len(s.Tools))] {
		failed := ""
		if t.Failed > 0 {
			failed = fmt.Sprintf(" (%d failed)", t.Failed)
		}
		tools = append(tools, fmt.Sprintf("%s %s%s", t.Name, quote.Number(t.Calls), failed))
	}
	for _, r := range s.Roles {
		roles = append(roles, fmt.Sprintf("%s %s", r.Name, quote.Number(r.Count)))
	}
	add("by tool", tools)
	add("by role", roles)
	if s.Tokens != nil {
		told = append(told, fmt.Sprintf("tokens recorded: %s in, %s out", quote.Number(int(s.Tokens.Input)), quote.Number(int(s.Tokens.Output))))
	}
	told = append(told, fmt.Sprintf("lines as recorded: +%s −%s", quote.Number(s.Lines.Added), quote.Number(s.Lines.Removed)))
	p.quote(strings.Join(told, "\n"))
	foot.tell(p)
	body, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return foot.answer(p, inlined(body))
}
