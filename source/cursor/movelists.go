package cursor

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// leaveLists takes a conversation out of the lists of every workspace but the
// new one, and keeps the richest head it meets. A copy leaves nothing.
func (v *mover) leaveLists(mv *moving) error {
	for _, id := range slices.Sorted(maps.Keys(v.g.workspaces)) {
		w := v.g.workspaces[id]
		listed := slices.ContainsFunc(w.heads, func(c composer) bool { return c.id == mv.id })
		if !listed && !slices.Contains(w.named, mv.id) {
			continue
		}
		it, err := v.item(v.workspaceDB(w), keyComposers)
		if err != nil {
			return err
		}
		list := composersOf(it.now)
		if h := headOf(list, "composerId", mv.id); len(h) > len(mv.head) {
			mv.head = slices.Clone(h)
		}
		if v.copying() || w.id == v.home.id {
			continue
		}
		v.leave(it, mv.id)
		if err := v.leavePanes(w, mv.id); err != nil {
			return err
		}
	}
	return nil
}

// composersOf is the list in a composer.composerData: a member, or all of it.
func composersOf(doc []byte) jscan.Value {
	lists, err := jscan.Parse(doc)
	if err != nil {
		return nil
	}
	if lists.Kind() == jscan.Array {
		return lists
	}
	return lists.Get("allComposers")
}

// leave takes a conversation out of one workspace's composer.composerData.
func (v *mover) leave(it *item, id string) {
	doc := it.now
	if h := headOf(composersOf(doc), "composerId", id); h != nil {
		at := jscan.Offset(doc, h)
		doc = cutOut(doc, at, at+len(h))
	}
	for _, member := range []string{"selectedComposerIds", "lastFocusedComposerIds"} {
		doc = dropString(doc, member, id)
	}
	if lists, err := jscan.Parse(doc); err == nil && lists.Get("selectedComposerId").Str() == id {
		doc = setMember(doc, "selectedComposerId", []byte(`""`))
	}
	if string(doc) != string(it.now) {
		it.set(doc)
	}
}

// leavePanes takes a conversation out of the panes of a workspace, which name it
// in the last part of a member (formats B.3).
func (v *mover) leavePanes(w *workspace, id string) error {
	db := v.workspaceDB(w)
	panes, err := v.rows(db, "ItemTable", "key >= ? AND key < ?", panePrefix, end(panePrefix))
	if err != nil {
		return err
	}
	for _, p := range panes {
		if !strings.Contains(string(p.Cells[1].Value.Bytes), id) {
			continue
		}
		it, err := v.item(db, string(p.Cells[0].Value.Bytes))
		if err != nil {
			return err
		}
		now := dropMember(it.now, func(name string) bool {
			name = strings.TrimSuffix(name, ".hidden")
			return name[strings.LastIndexByte(name, '.')+1:] == id
		})
		if string(now) != string(it.now) {
			it.set(now)
		}
	}
	return nil
}

// enterLists puts a conversation into the lists in which Cursor looks for it:
// the new workspace's own, as long as that keeps one, and those of the whole
// installation, as far as they exist.
func (v *mover) enterLists(mv *moving) error {
	if err := v.enterWorkspace(mv); err != nil {
		return err
	}
	if err := v.moveTables(mv); err != nil {
		return err
	}
	if mv.head == nil {
		mv.head = mv.spare
	}
	if err := v.moveProfiles(mv); err != nil {
		return err
	}
	if v.global == nil {
		return nil
	}
	if v.g.tables.heads {
		if err := v.enterTable(mv); err != nil {
			return err
		}
	}
	if v.g.tables.items {
		if err := v.enterGlobalList(mv); err != nil {
			return err
		}
		return v.enterGlass(mv)
	}
	return nil
}

// enterWorkspace adds the head to the new workspace's list. A list that newer
// builds have emptied is not made again (formats F.1), unless the conversation
// lies in the head itself.
func (v *mover) enterWorkspace(mv *moving) error {
	if mv.head == nil {
		return nil
	}
	it, err := v.item(v.home.db, keyComposers)
	if err != nil {
		return err
	}
	head := mv.m.JSON(mv.head)
	if it.before == nil && !it.touched {
		id := quoted(mv.to)
		it.set([]byte(`{"allComposers":[` + string(head) + `],"selectedComposerIds":[` + id + `],"lastFocusedComposerIds":[` + id +
			`],"hasMigratedComposerData":true,"hasMigratedMultipleComposers":true}`))
		mv.placed = true
		return nil
	}
	list := composersOf(it.now)
	switch old := headOf(list, "composerId", mv.to); {
	case old != nil:
		at := jscan.Offset(it.now, old)
		it.set(jscan.Edit(it.now, []jscan.Splice{{Start: at, End: at + len(old), Text: mv.m.JSON(old)}}))
	case list.Kind() == jscan.Array:
		it.set(appendTo(it.now, list, head))
	case mv.kind == bodyInline:
		it.set(setMember(it.now, "allComposers", []byte("["+string(head)+"]")))
	default:
		return nil
	}
	mv.placed = true
	return nil
}

// enterTable changes or adds the row of composerHeaders.
func (v *mover) enterTable(mv *moving) error {
	db := globalDB(v.user)
	rows, err := v.rows(db, "composerHeaders", "composerId = ?", mv.id)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		if mv.kind == bodyInline {
			return nil
		}
		mv.listed = true
		return v.give(change(mv.id, db, "composerHeaders", "composerId", mv.to, nil, v.newTableRow(mv)))
	}
	mv.listed = true
	if mv.head == nil {
		mv.head = cellOf(&rows[0], "value")
	}
	return v.giveAssigned(mv, db, &rows[0])
}

// newTableRow is the row of a conversation that the table does not know yet.
func (v *mover) newTableRow(mv *moving) *retold.Row {
	flag := func(b bool) retold.Value {
		if b {
			return retold.IntValue(1)
		}
		return retold.IntValue(0)
	}
	updated := cmp.Or(millis(mv.record.Get("lastUpdatedAt")), millis(mv.record.Get("createdAt")))
	checkpoint := retold.Value{}
	if at := millis(mv.record.Get("conversationCheckpointLastUpdatedAt")); at != 0 {
		checkpoint = retold.IntValue(at)
	}
	archived := mv.record.Get("isArchived").Bool()
	values := []retold.Value{
		retold.TextValue(mv.to), retold.TextValue(v.home.id), retold.IntValue(millis(mv.record.Get("createdAt"))), retold.IntValue(updated),
		flag(archived), flag(!mv.record.Get("subagentInfo").Empty()), retold.IntValue(updated), checkpoint,
		{Class: retold.ClassText, Bytes: v.assign(v.newHead(mv), &mv.m, true)},
	}
	r := &retold.Row{}
	for i, c := range headColumns {
		r.Cells = append(r.Cells, retold.Cell{Column: c, Value: values[i]})
	}
	return r
}

func millis(v jscan.Value) int64 {
	n, _ := v.Float()
	return int64(n)
}

// headMembers are what a head repeats of the record (formats D.1).
var headMembers = []string{
	"composerId", "name", "createdAt", "lastUpdatedAt", "conversationCheckpointLastUpdatedAt", "unifiedMode", "forceMode",
	"hasUnreadMessages", "contextUsagePercent", "totalLinesAdded", "totalLinesRemoved", "filesChangedCount", "subtitle",
	"isArchived", "isDraft", "isWorktree", "worktreeStartedReadOnly", "isSpec", "isProject", "isBestOfNSubcomposer",
	"trackedGitRepos", "createdOnBranch", "activeBranch", "branches", "unfinishedRunAt", "agentLocation", "subagentInfo",
	"createdFromBackgroundAgent", "workspaceIdentifier",
}

// newHead is the head that some list has, else one made from the record.
func (v *mover) newHead(mv *moving) []byte {
	if mv.head != nil && mv.kind != bodyInline {
		return mv.head
	}
	head := []byte(`{"type":"head"}`)
	for _, name := range headMembers {
		if m := mv.record.Get(name); m.Kind() != jscan.None {
			head = setMember(head, name, m)
		}
	}
	if rec, err := jscan.Parse(head); err == nil && rec.Get("composerId").Kind() == jscan.None {
		head = setMember(head, "composerId", []byte(quoted(mv.id)))
	}
	return setMember(head, "hasBlockingPendingActions", []byte("false"))
}

// enterGlobalList changes the head in the list of 3.0 to 3.11, or adds it where
// no other list has the conversation, or where the original stands there.
func (v *mover) enterGlobalList(mv *moving) error {
	return v.globalListIn(mv, globalDB(v.user), !mv.listed && !mv.placed)
}

// globalListIn changes the head in such a list of one database; add it where it
// is missing.
func (v *mover) globalListIn(mv *moving, db string, add bool) error {
	it, err := v.item(db, keyHeaders)
	if err != nil || it.before == nil {
		return err
	}
	list := composersOf(it.now)
	old := headOf(list, "composerId", mv.id)
	switch {
	case old != nil && !v.copying():
		at := jscan.Offset(it.now, old)
		it.set(jscan.Edit(it.now, []jscan.Splice{{Start: at, End: at + len(old), Text: v.assign(slices.Clone(old), &mv.m, true)}}))
	case old != nil:
		it.set(appendTo(it.now, list, v.assign(slices.Clone(old), &mv.m, true)))
	case list.Kind() == jscan.Array && add:
		it.set(appendTo(it.now, list, v.assign(v.newHead(mv), &mv.m, true)))
	}
	return nil
}

// enterGlass puts a conversation into the Agents window's project of the new
// workspace (formats D.2), which is made where there is none.
func (v *mover) enterGlass(mv *moving) error { return v.glassIn(mv, globalDB(v.user), mv.listed) }

// glassIn is enterGlass for the lists of one database; add it where it is in none
// of their projects.
func (v *mover) glassIn(mv *moving, db string, add bool) error {
	members, err := v.item(db, keyMembership)
	if err != nil {
		return err
	}
	projects, err := v.item(db, keyProjects)
	if err != nil || members.before == nil || projects.before == nil {
		return err
	}
	all, err := jscan.Parse(members.now)
	if err != nil || all.Get(mv.id).Kind() == jscan.None && !add {
		return nil //nolint:nilerr // a value that is no JSON is left alone
	}
	id, err := v.glassProject(mv, projects)
	if err != nil || id == "" {
		return err
	}
	members.set(setMember(members.now, mv.to, []byte(quoted(id))))
	return nil
}

func (v *mover) glassProject(mv *moving, projects *item) (id string, err error) {
	list, err := jscan.Parse(projects.now)
	if err != nil || list.Kind() != jscan.Array {
		return "", nil //nolint:nilerr // as above
	}
	for _, same := range []func(p jscan.Value) bool{
		func(p jscan.Value) bool { return p.At("workspace", "id").Str() == v.home.id },
		func(p jscan.Value) bool {
			w := p.Get("workspace").First("uri", "configPath")
			return w.Get("external").Str() == v.to.URI()
		},
	} {
		for p := range list.Items() {
			if same(p) && p.Get("id").Str() != "" {
				return p.Get("id").Str(), nil
			}
		}
	}
	id = derivedID("glass", v.home.id)
	name := v.to.Path[strings.LastIndexByte(v.to.Path, '/')+1:]
	at := string(mv.record.Get("lastUpdatedAt"))
	if millis(mv.record.Get("lastUpdatedAt")) == 0 {
		at = cmp.Or(string(mv.record.Get("createdAt")), "0")
	}
	projects.set(appendTo(projects.now, list, []byte(`{"id":`+quoted(id)+`,"name":`+quoted(name)+`,"workspace":`+string(v.identifier())+
		`,"createdAt":`+at+`,"lastUpdatedAt":`+at+`,"isArchived":false}`)))
	return id, nil
}

// tab moves or copies a tab of the chat panel (formats B.1).
func (v *mover) tab(mv *moving) error {
	from, err := v.item(v.workspaceDB(mv.home), keyChatData)
	if err != nil {
		return err
	}
	chats, err := jscan.Parse(from.now)
	if err != nil {
		return nil //nolint:nilerr // what is no JSON holds no tab
	}
	var found jscan.Value
	for tab := range chats.First("tabs", "chatSessions").Items() {
		if tab.First("tabId", "id").Text() == mv.id {
			found = tab
		}
	}
	if found == nil || mv.home.id == v.home.id && !v.copying() {
		return nil
	}
	tab := mv.m.JSON(slices.Clone(found))
	if !v.copying() {
		at := jscan.Offset(from.now, found)
		doc := cutOut(from.now, at, at+len(found))
		if chats.Get("selectedTabId").Str() == mv.id {
			doc = setMember(doc, "selectedTabId", []byte(`""`))
		}
		from.set(doc)
	}
	to, err := v.item(v.home.db, keyChatData)
	if err != nil {
		return err
	}
	there, err := jscan.Parse(to.now)
	list := there.First("tabs", "chatSessions")
	switch {
	case to.before == nil && !to.touched:
		to.set([]byte(`{"tabs":[` + string(tab) + `],"selectedTabId":` + quoted(mv.to) + `}`))
	case err != nil:
		return nil //nolint:nilerr // left alone, as above
	case list.Kind() == jscan.Array:
		to.set(appendTo(to.now, list, tab))
	default:
		to.set(setMember(to.now, "tabs", append(append([]byte{'['}, tab...), ']')))
	}
	return nil
}

// movePrompts lets the lists of what was asked lately go along when all of a
// folder's conversations go: without these they would look like conversations
// that were lost.
func (v *mover) movePrompts() error {
	if v.move.From == "" || v.copying() {
		return nil
	}
	left := paths.ParseAddress(v.move.From)
	for _, id := range slices.Sorted(maps.Keys(v.g.workspaces)) {
		w := v.g.workspaces[id]
		if a, ok := addressOf(w.dir); !ok || !a.Same(left) || id == v.home.id {
			continue
		}
		for key, has := range map[string]bool{keyPrompts: w.prompts.Len() > 0, keyGenerations: w.generations.Len() > 0} {
			if !has {
				continue
			}
			if err := v.moveArray(w, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// moveArray puts the elements of an array behind those that the new workspace
// has under the same key.
func (v *mover) moveArray(w *workspace, key string) error {
	from, err := v.item(v.workspaceDB(w), key)
	if err != nil {
		return err
	}
	to, err := v.item(v.home.db, key)
	if err != nil {
		return err
	}
	gone, err := jscan.Parse(from.now)
	if err != nil || gone.Kind() != jscan.Array {
		return nil //nolint:nilerr // a value that is no JSON is left alone
	}
	list, err := jscan.Parse(to.now)
	switch {
	case to.before == nil && !to.touched:
		to.set(slices.Clone(gone))
	case err == nil && list.Kind() == jscan.Array:
		for e := range gone.Items() {
			now, err := jscan.Parse(to.now)
			if err != nil {
				return err
			}
			to.set(appendTo(to.now, now, e))
		}
	default:
		return nil
	}
	from.set([]byte("[]"))
	return nil
}
