package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func doctorTool() *tool {
	return &tool{
		name: "doctor", title: "What was found where",
		description: "Say where conversations were looked for, what was found, what could not be read and why, and how large the library is. Use it when something that should be there is not found.\nExample: {}.",
		params:      []string{"max_chars"},
		output:      doctorSchema(),
		run:         (*call).doctor,
	}
}

// A diagnosis is a library's report in few words: families of records are left
// to the command line.
type diagnosis struct {
	Healthy  bool                  `json:"healthy"`
	Library  *library.Info         `json:"library"`
	Places   []retold.Place        `json:"places"`
	Sessions library.SessionCounts `json:"sessions"`
	Files    []diagnosedFile       `json:"files"`
	Drift    []library.Drift       `json:"drift"`
	Found    []retold.Problem      `json:"problems"`
	Totals   diagnosisTotals       `json:"totals"`
}

type diagnosedFile struct {
	Agent     string `json:"agent"`
	Path      string `json:"path"`
	FileBytes int64  `json:"fileBytes"`
	Access    string `json:"access"`
	Problems  int    `json:"problemCount"`
}

type diagnosisTotals struct {
	Files    int   `json:"files"`
	Bytes    int64 `json:"bytes"`
	Problems int   `json:"problems"`
	Drift    int   `json:"drift"`
}

func doctorSchema() object {
	s := answerSchema(object{
		"healthy": boolean("everything that was found was also understood"),
		"library": object{"type": []string{"object", "null"}, "description": "retold's own library file", "properties": object{
			"path": str("file"), "bytes": integer("its size"), "kept": boolean("it could be written"), "note": maybe("why not"),
			"sessions": integer("sessions in it"), "synced": object{"type": []string{"string", "null"}, "format": "date-time", "description": "when anything new was read into it"},
		}, "required": []string{"bytes", "kept", "note", "path", "sessions", "synced"}, "additionalProperties": false},
		"places": list(record(object{"agent": str("agent"), "path": str("folder"), "kind": str("what it is"), "used": boolean("history is read from it"), "reason": str("why, or why not")}), "where history was looked for"),
		"sessions": record(object{
			"total": integer("listed"), "empty": integer("drafts and empty ones, not in total"), "subAgents": integer("of them sub-agents"), "archived": integer("of them archived"),
			"merged": integer("of them held by more than one store"), "gone": integer("of them kept here only"),
			"byAgent": object{"type": "object", "additionalProperties": object{"type": "integer"}, "description": "by agent"},
		}),
		"files": list(record(object{
			"agent": str("agent"), "path": str("file"), "fileBytes": integer("size"), "access": str("how it was opened"), "problemCount": integer("what of it could not be read"),
		}), "the largest files"),
		"drift":    list(record(object{"path": str("file"), "family": str("kind of record"), "v": maybe("its version"), "rows": integer("how many")}), "records of kinds this version has never seen"),
		"problems": list(problemSchema, "what could not be read"),
		"totals":   record(object{"files": integer("files"), "bytes": integer("their size"), "problems": integer("all problems"), "drift": integer("all kinds of unknown records")}),
	})
	return s
}

func (c *call) doctor(ctx context.Context) (*answer, error) {
	r, err := c.lib.Doctor(ctx)
	if err != nil && !errors.Is(err, library.ErrNothing) {
		return nil, err
	}
	if r == nil {
		r = &library.Report{Places: c.lib.Places()}
	}
	for most := 20; ; most /= 2 {
		d := diagnose(r, most)
		foot := footing{Notice: notice}
		foot.Shortened = d.cut(r)
		a, err := c.writeDiagnosis(d, foot)
		if err != nil || most <= 1 || a.fits(c.max) {
			return a, err
		}
	}
}

// cut says which lists hold less than there is; "" when none does.
func (d *diagnosis) cut(r *library.Report) string {
	var out []string
	for _, list := range []struct {
		name      string
		some, all int
	}{
		{"places", len(d.Places), len(r.Places)}, {"files", len(d.Files), len(r.Files)}, {"kinds of unknown records", len(d.Drift), len(r.Drift)}, {"problems", len(d.Found), len(r.Problems)},
	} {
		if list.some < list.all {
			out = append(out, fmt.Sprintf("%d of %s %s", list.some, quote.Number(list.all), list.name))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return strings.Join(out, ", ") + "; `retold doctor` at a terminal shows all"
}

// diagnose picks what of a report is worth telling, at most so many of a kind.
func diagnose(r *library.Report, most int) *diagnosis {
	d := &diagnosis{
		Healthy: r.Healthy(), Places: []retold.Place{}, Sessions: r.Sessions, Files: []diagnosedFile{}, Drift: []library.Drift{}, Found: []retold.Problem{},
		Totals: diagnosisTotals{Files: len(r.Files), Problems: len(r.Problems), Drift: len(r.Drift)},
	}
	d.Sessions.ByAgent = map[string]int{}
	maps.Copy(d.Sessions.ByAgent, r.Sessions.ByAgent)
	if r.Library != nil {
		info := *r.Library
		info.Path = quote.Line(info.Path)
		if info.Note != nil {
			note := quote.Line(*info.Note)
			info.Note = &note
		}
		d.Library = &info
	}
	for _, p := range r.Places[:min(most*2, len(r.Places))] {
		p.Path, p.Reason = quote.Line(p.Path), quote.Line(p.Reason)
		d.Places = append(d.Places, p)
	}
	files := slices.SortedStableFunc(slices.Values(r.Files), func(a, b library.FileReport) int { return cmp.Compare(b.FileBytes, a.FileBytes) })
	for i, f := range files {
		d.Totals.Bytes += f.FileBytes
		if i < most {
			d.Files = append(d.Files, diagnosedFile{f.Agent, quote.Line(f.Path), f.FileBytes, f.Access, len(f.Problems)})
		}
	}
	for _, x := range r.Drift[:min(most, len(r.Drift))] {
		x.Path, x.Family = quote.Line(x.Path), quote.Line(x.Family)
		if x.V != nil {
			v := quote.Line(*x.V)
			x.V = &v
		}
		d.Drift = append(d.Drift, x)
	}
	for _, p := range r.Problems[:min(most, len(r.Problems))] {
		d.Found = append(d.Found, safeProblems([]retold.Problem{p})...)
	}
	return d
}

func (c *call) writeDiagnosis(d *diagnosis, foot footing) (*answer, error) {
	p := &page{}
	p.say(notice)
	if d.Healthy {
		p.say("Everything found was understood.")
	} else {
		p.say("Not everything found was understood: %s, %s of records never seen before.", counted(d.Totals.Problems, "problem"), counted(d.Totals.Drift, "kind"))
	}
	p.say("%s (%d of them sub-agents, %d kept here only), %d more empty; %d files, %s bytes.",
		counted(d.Sessions.Total, "conversation"), d.Sessions.SubAgents, d.Sessions.Gone, d.Sessions.Empty, d.Totals.Files, quote.Number(int(d.Totals.Bytes)))
	var told []string
	for _, x := range d.Places {
		mark := "-"
		if x.Used {
			mark = "used"
		}
		told = append(told, fmt.Sprintf("%s  %s  %s: %s", mark, x.Agent, x.Path, x.Reason))
	}
	if d.Library != nil {
		told = append(told, fmt.Sprintf("library  %s, %s bytes", d.Library.Path, quote.Number(int(d.Library.Bytes))))
		if d.Library.Note != nil {
			told = append(told, *d.Library.Note)
		}
	}
	for _, f := range d.Found {
		told = append(told, fmt.Sprintf("%s  %s %s: %s", f.Kind, f.Path, f.Key, f.Reason))
	}
	for _, x := range d.Drift {
		told = append(told, fmt.Sprintf("never seen before  %s in %s, %d rows", x.Family, x.Path, x.Rows))
	}
	p.quote(strings.Join(told, "\n"))
	foot.tell(p)
	body, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	return foot.answer(p, inlined(body))
}
