package mcp

import (
	"cmp"
	"fmt"
	"strings"
)

// atMost is the beginning of a list.
func atMost[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// tell writes a change for a reader; all is the same one with nothing cut.
func (x *changed) tell(p *page, all *changed, tool string) {
	plan := &x.Plan
	sizes := fmt.Sprintf("%s, %s, %s", counted(len(all.Plan.Sessions), "session"), counted(plan.Rows, "row"), counted(plan.Files, "file"))
	switch {
	case x.Result != nil:
		p.say("Done: %s.", sizes)
	case len(all.Plan.Steps) == 0:
		p.say("Dry run: nothing has to be changed.")
	default:
		p.say("Dry run, nothing was written. The plan has %s:", sizes)
	}
	p.quote(plan.Title)
	var lines []string
	for _, d := range plan.Databases {
		lines = append(lines, fmt.Sprintf("%s in %s: %d added, %d changed, %d removed", d.Table, d.Path, d.Added, d.Changed, d.Removed))
	}
	for _, s := range plan.Steps {
		if s.Table == "" {
			lines = append(lines, strings.TrimSpace(s.Do+" "+s.Path))
		}
	}
	p.lines(lines)
	lines = nil
	for _, f := range plan.Errors {
		lines = append(lines, f.Session+": "+f.Reason)
	}
	if len(lines) > 0 {
		p.say("Left out, %s:", counted(len(all.Plan.Errors), "session"))
		p.lines(lines)
	}
	if x.Result != nil {
		x.Result.tell(p)
		return
	}
	if len(all.Plan.Steps) > 0 {
		p.say("%s", goAhead(tool, x.Fingerprint))
		p.say("Cursor has to be closed then. What is done can be undone.")
	}
}

// goAhead says how a plan is confirmed.
func goAhead(tool, fingerprint string) string {
	return fmt.Sprintf("When the person agrees: %s again with the same parameters and confirm=true fingerprint=%s", tool, fingerprint)
}

func (r *result) tell(p *page) {
	if len(r.Left) > 0 {
		p.say("Left in place:")
		p.lines(r.Left)
	}
	for _, s := range r.Settled {
		p.say("A change that had been interrupted is %s now: %s", s.State, ident(s.ID))
	}
	if r.UndoID != nil {
		p.say("To take it back: undo_change id=%s", ident(cmp.Or(*r.UndoID, "?")))
	}
}

// lines quotes what is one thing a line.
func (p *page) lines(list []string) {
	if len(list) > 0 {
		p.quote(strings.Join(list, "\n"))
	}
}

// planSchema is what a change is going to do.
func planSchema() object {
	return record(object{
		"title": str("what it does"), "sessions": list(object{"type": "string"}, "ids"), "rows": integer("of databases"), "files": integer("and folders"), "bytes": integer("of values"),
		"databases": list(record(object{"path": str("database"), "table": str("table"), "added": integer("rows"), "changed": integer("rows"), "removed": integer("rows")}), "rows by table"),
		"steps": list(record(object{
			"session": str("id"), "do": str("what"), "path": str("database or file"), "table": str("table"), "key": str("row"), "from": str("where it comes from"),
		}, "session", "table", "key", "from"), "one by one"),
		"errors": failuresSchema(),
	})
}

func failuresSchema() object {
	return list(record(object{"session": str("id"), "reason": str("why it is left out")}), "what is left out")
}

// migratedSchema is what became of a change; null in a dry run.
func migratedSchema() object {
	s := record(object{
		"successCount": integer("sessions"), "failedCount": integer("left out"), "errors": failuresSchema(), "undoId": maybe("for undo_change"), "rows": integer("rows"), "files": integer("files"),
		"left": list(object{"type": "string"}, "what an undo left"), "settled": list(object{"type": "object"}, "changes that had been interrupted"),
	}, "left", "settled")
	s["type"] = []string{"object", "null"}
	s["description"] = "what was done; null in a dry run"
	return s
}

// changedSchema is the answer of a tool that changes what agents keep.
func changedSchema() object {
	return deedSchema(object{
		"written": boolean("it was done; false in a dry run"), "fingerprint": str("for confirm"), "plan": planSchema(), "result": migratedSchema(),
	})
}

// changedElsewhere is changedSchema where it need not be told once more.
func changedElsewhere() object {
	return deedSchema(object{
		"written": boolean("it was done; false in a dry run"), "fingerprint": str("for confirm"),
		"plan": elsewhere("as migrate_session has it"), "result": object{"type": []string{"object", "null"}, "description": "as migrate_session has it; null in a dry run"},
	})
}
