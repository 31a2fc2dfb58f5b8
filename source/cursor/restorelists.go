package cursor

import (
	"bytes"
	"maps"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// lists brings the heads of a conversation back into every list that Cursor
// looks at, as far as the place has these lists.
func (r *restorer) lists(c *returning) error {
	mv := &moving{chat: &chat{id: c.id, kind: bodyGlobal}, to: c.id}
	if c.record != nil {
		mv.record, _ = jscan.Parse(c.record.Cells[1].Value.Bytes) // one that is none has no members
	} else if !c.bubbles && c.table == nil {
		mv.kind = bodyInline
	}
	if err := r.leaveOthers(c); err != nil {
		return err
	}
	if err := r.tableRows(c); err != nil {
		return err
	}
	for _, w := range c.lists {
		if err := r.workspaceList(c, mv, w); err != nil {
			return err
		}
	}
	for _, w := range c.tabs {
		if err := r.restoreTab(c, w); err != nil {
			return err
		}
	}
	if r.global == nil {
		return nil
	}
	if r.g.tables.heads {
		if err := r.tableRow(c, mv); err != nil {
			return err
		}
	}
	if !r.g.tables.items {
		return nil
	}
	if err := r.globalList(c, mv); err != nil {
		return err
	}
	return r.glass(c, mv)
}

// leaveOthers takes a conversation out of the lists of workspaces that did not
// have it: it was moved there since, and would be shown twice.
func (r *restorer) leaveOthers(c *returning) error {
	if c.record == nil || r.home.db == "" {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(r.g.workspaces)) {
		w := r.g.workspaces[id]
		had := slices.ContainsFunc(slices.Concat(c.lists, c.tables), func(l *heldWorkspace) bool { return l.id == id })
		if had || id == r.home.id || !slices.ContainsFunc(w.heads, func(h composer) bool { return h.id == c.id }) {
			continue
		}
		it, err := r.item(r.workspaceDB(w), keyComposers)
		if err != nil {
			return err
		}
		r.leave(it, c.id)
		if row, err := r.rowIn(w.db(), c.id); err != nil {
			return err
		} else if row != nil {
			if err := r.give(change(c.id, w.db(), "composerHeaders", "composerId", c.id, row, nil)); err != nil {
				return err
			}
		}
		if err := r.leavePanes(w, c.id); err != nil {
			return err
		}
	}
	return nil
}

// workspaceList brings the head in a workspace's own list back. A list that newer
// builds have emptied is not made again, unless the conversation lies in the head.
func (r *restorer) workspaceList(c *returning, mv *moving, w *heldWorkspace) error {
	head := headOf(composersOf(w.composers), "composerId", c.id)
	if len(head) > len(mv.head) {
		mv.head = slices.Clone(head)
	}
	inline := head.Get("conversation").Kind() == jscan.Array
	if there, err := isThere(r.targetOf(w.id).db); err != nil || !there && w.id != c.from && !inline {
		return err // another workspace that had it on its list, and is gone
	}
	c.mention(head)
	c.ask(head)
	return r.inHome(w, keyComposers, func(it *item) {
		text := r.rename(slices.Clone(head), w.id)
		list := composersOf(it.now)
		back := returned{
			old: headOf(list, "composerId", c.id), list: list, text: text,
			whole: `{"allComposers":[` + string(text) + `],"selectedComposerIds":[],"lastFocusedComposerIds":[],` +
				`"hasMigratedComposerData":true,"hasMigratedMultipleComposers":true}`,
		}
		if inline {
			back.member = "allComposers"
		}
		if it.putBack(back) {
			mv.placed = true
		}
	})
}

// restoreTab brings a tab of the chat panel back.
func (r *restorer) restoreTab(c *returning, w *heldWorkspace) error {
	tab := w.tab(c.id)
	c.mention(tab)
	return r.inHome(w, keyChatData, func(it *item) {
		chats, err := jscan.Parse(it.now)
		if err != nil && it.now != nil {
			return // a value that is no JSON is left alone
		}
		it.putBack(returned{old: tabIn(it.now, c.id), list: chats.First("tabs", "chatSessions"), text: tab, whole: `{"tabs":[` + string(tab) + `]}`, member: "tabs"})
	})
}

// inHome does something to a value of a workspace's own, wherever that is now.
func (r *restorer) inHome(w *heldWorkspace, key string, do func(*item)) error {
	to, err := r.homeOf(w.id)
	if err != nil || to.db == "" {
		return err
	}
	home := r.home
	r.home = to.target
	defer func() { r.home = home }()
	it, err := r.item(to.db, key)
	if err != nil {
		return err
	}
	do(it)
	return nil
}

// returned is an entry on its way back into a list.
type returned struct {
	old, list jscan.Value // the entry that the list has of it now, and the list
	text      []byte
	whole     string // the value where there is none; "" to make none
	member    string // under which the list is made in a value that has none; "" to make none
}

// putBack puts an entry in the place of the one that is there, else at the end of
// the list. It reports whether the entry is in it now.
func (it *item) putBack(r returned) bool {
	switch {
	case r.old != nil:
		it.replace(r.old, keepKeys(r.text, r.old))
	case it.before == nil && !it.touched && r.whole != "":
		it.set([]byte(r.whole))
	case r.list.Kind() == jscan.Array:
		it.set(appendTo(it.now, r.list, r.text))
	case r.member != "":
		it.set(setMember(it.now, r.member, []byte("["+string(r.text)+"]")))
	default:
		return false
	}
	return true
}

// replace puts a value in the place of one in it.
func (it *item) replace(old jscan.Value, text []byte) {
	if bytes.Equal(old, text) {
		return
	}
	at := jscan.Offset(it.now, old)
	it.set(jscan.Edit(it.now, []jscan.Splice{{Start: at, End: at + len(old), Text: text}}))
}

// tableRow brings the row of composerHeaders back. For a backup of a build that
// had no such table one is made.
func (r *restorer) tableRow(c *returning, mv *moving) error {
	db := globalDB(r.user)
	rows, err := r.rows(db, "composerHeaders", "composerId = ?", c.id)
	if err != nil {
		return err
	}
	var before, after *retold.Row
	if len(rows) > 0 {
		before = &rows[0]
	}
	switch {
	case c.table != nil:
		after = &retold.Row{Cells: slices.Clone(c.table.Cells)}
		for i, cell := range after.Cells {
			switch {
			case cell.Column == "value":
				after.Cells[i].Value.Bytes = r.rename(slices.Clone(cell.Value.Bytes), c.from)
				if before != nil {
					after.Cells[i].Value.Bytes = keepKeys(after.Cells[i].Value.Bytes, before.Cells[i].Value.Bytes)
				}
			case cell.Column == "workspaceId" && string(cell.Value.Bytes) == c.from && r.home.id != "":
				after.Cells[i].Value = retold.TextValue(r.home.id)
			}
		}
	case before != nil && c.record != nil && r.to.Path != "":
		after = r.broughtHome(before)
	case before != nil || c.record == nil || r.to.Path == "" || r.held.tables.heads:
		mv.listed = before != nil
		return nil
	default:
		after = r.newTableRow(mv)
	}
	mv.listed = true
	return r.give(change(c.id, db, "composerHeaders", "composerId", c.id, before, after))
}

// broughtHome is a row that came since the backup was made, for the workspace of
// the backup.
func (r *restorer) broughtHome(before *retold.Row) *retold.Row {
	after := &retold.Row{Rowid: before.Rowid, Cells: slices.Clone(before.Cells)}
	for i, cell := range after.Cells {
		if cell.Column == "workspaceId" {
			if string(cell.Value.Bytes) == r.home.id {
				return before
			}
			after.Cells[i].Value = retold.TextValue(r.home.id)
		}
		if cell.Column == "value" {
			after.Cells[i].Value.Bytes = setMember(slices.Clone(cell.Value.Bytes), "workspaceIdentifier", r.identifier())
		}
	}
	return after
}

// globalList brings the head in the list of 3.0 to 3.11 back.
func (r *restorer) globalList(c *returning, mv *moving) error {
	there, err := r.held.item(keyHeaders)
	if err != nil {
		return err
	}
	it, err := r.item(globalDB(r.user), keyHeaders)
	if err != nil || it.before == nil {
		return err
	}
	list := composersOf(it.now)
	old := headOf(list, "composerId", c.id)
	head := slices.Clone(headOf(composersOf(there), "composerId", c.id))
	switch {
	case head == nil && old != nil && c.record != nil && r.to.Path != "" && old.At("workspaceIdentifier", "id").Str() != r.home.id:
		head = setMember(slices.Clone(old), "workspaceIdentifier", r.identifier())
	case head == nil && (old != nil || mv.listed || mv.placed || c.record == nil || r.to.Path == ""):
		return nil
	case head == nil:
		head = r.assign(r.newHead(mv), &mv.m, true)
	default:
		head = r.rename(head, c.from)
	}
	it.putBack(returned{old: old, list: list, text: head})
	return nil
}

// glass brings a conversation back into its project of the Agents window (formats
// D.2), and the project where it is gone.
func (r *restorer) glass(c *returning, mv *moving) error {
	member, err := r.held.item(keyMembership)
	if err != nil {
		return err
	}
	projects, err := r.held.item(keyProjects)
	if err != nil {
		return err
	}
	id := member.Get(c.id).Str()
	theirs := headOf(projects, "id", id)
	switch {
	case member == nil && r.to.Path != "": // a build without that window
		return r.enterGlass(mv)
	case id == "" || theirs == nil:
		return r.leaveGlass(c)
	}
	members, ours, list, err := r.glassNow()
	if err != nil || list.Kind() != jscan.Array {
		return err
	}
	if headOf(list, "id", id) == nil {
		own := ""
		for p := range list.Items() {
			if p.At("workspace", "id").Str() == r.home.id && r.home.id != "" {
				own = p.Get("id").Str()
			}
		}
		if own == "" {
			ours.set(appendTo(ours.now, list, theirs))
		} else {
			id = own
		}
	}
	if all, err := jscan.Parse(members.now); err == nil && all.Get(c.id).Str() != id {
		members.set(setMember(members.now, c.id, []byte(quoted(id))))
	}
	return nil
}

// glassNow is what the Agents window of this installation has: who belongs to
// which project, and the projects. Without a list there is nothing to change.
func (r *restorer) glassNow() (members, projects *item, list jscan.Value, err error) {
	if members, err = r.item(globalDB(r.user), keyMembership); err != nil {
		return nil, nil, nil, err
	}
	projects, err = r.item(globalDB(r.user), keyProjects)
	if err != nil || members.before == nil || projects.before == nil {
		return nil, nil, nil, err
	}
	list, err = jscan.Parse(projects.now)
	if err != nil {
		return nil, nil, nil, nil //nolint:nilerr // a value that is no JSON is left alone
	}
	return members, projects, list, nil
}

// leaveGlass takes a conversation out of the project of another workspace, into
// which it came since.
func (r *restorer) leaveGlass(c *returning) error {
	members, _, list, err := r.glassNow()
	if err != nil || list == nil || r.home.id == "" {
		return err
	}
	all, err := jscan.Parse(members.now)
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	p := headOf(list, "id", all.Get(c.id).Str())
	if p != nil && p.At("workspace", "id").Str() != r.home.id {
		members.set(dropMember(members.now, func(name string) bool { return name == c.id }))
	}
	return nil
}
