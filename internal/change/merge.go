package change

import (
	"slices"
	"strings"

	"github.com/retold-history/retold/internal/jscan"
)

// sharedLists are the rows of ItemTable in which Cursor keeps lists of all its
// conversations or windows, and which it writes anew all the time. Those ending in
// a dot stand for all that begin so.
var sharedLists = []string{
	"composer.composerHeaders", "composer.composerData", "glass.localAgentProjects.v1", "glass.localAgentProjectMembership.v1",
	"workbench.panel.composerChatViewPane.",
}

func isSharedList(r *rowStep) bool {
	if r.Table != "ItemTable" || len(r.Key) != 1 || r.Key[0].Column != "key" {
		return false
	}
	key := string(r.Key[0].Value.Bytes)
	return slices.ContainsFunc(sharedLists, func(name string) bool {
		return key == name || strings.HasSuffix(name, ".") && strings.HasPrefix(key, name)
	})
}

// merge takes a change to a list back of which the list as it is now is a later
// state: wrote is what the change left, was what it found. Entries that the change
// added go, those that it removed come back, those that it changed are as they
// were unless somebody changed them since; everything else stays as it is now.
// Nothing is left of an absent value. Entries of what is spared stay as they are now.
func merge(wrote, was, now jscan.Value, spare map[string]bool) []byte {
	switch {
	case string(now) == string(wrote) && (len(spare) == 0 || now.Kind() != jscan.Object && now.Kind() != jscan.Array):
		return was
	case string(was) == string(wrote):
		return now
	}
	kind := now.Kind()
	fits := func(v jscan.Value) bool { return v.Kind() == kind || v.Kind() == jscan.None }
	switch {
	case kind == jscan.Object && fits(wrote) && fits(was):
		return mergeObject(wrote, was, now, spare)
	case kind == jscan.Array && fits(wrote) && fits(was):
		return mergeArray(wrote, was, now, spare)
	}
	return now
}

func mergeObject(wrote, was, now jscan.Value, spare map[string]bool) []byte {
	var parts [][]byte
	add := func(name, value []byte) {
		parts = append(parts, append([]byte(`"`+string(jscan.Quote(name))+`":`), value...))
	}
	there := map[string]bool{}
	for key, n := range now.Members() {
		name := string(key)
		if there[name] { // of duplicates the last counts
			continue
		}
		there[name] = true
		n = now.Get(name)
		if spare[name] {
			add(key, n)
			continue
		}
		w, b := wrote.Get(name), was.Get(name)
		if w.Kind() == jscan.None || b.Kind() == jscan.None && n.Kind() != jscan.Array {
			if w.Kind() == jscan.None {
				add(key, n)
			}
			continue
		}
		if b.Kind() == jscan.None {
			b = jscan.Value("[]")
		}
		add(key, merge(w, b, n, spare))
	}
	for key, b := range was.Members() {
		if !there[string(key)] && !spare[string(key)] && wrote.Get(string(key)).Kind() == jscan.None {
			add(key, b)
		}
	}
	return wrapped('{', parts, '}')
}

func mergeArray(wrote, was, now jscan.Value, spare map[string]bool) []byte {
	w, b := entries(wrote), entries(was)
	var parts [][]byte
	there := map[string]bool{}
	for n := range now.Items() {
		id := identity(n)
		there[id] = true
		switch {
		case w[id] == nil || spare[bareID(n)]:
			parts = append(parts, n)
		case b[id] != nil:
			parts = append(parts, merge(w[id], b[id], n, spare))
		}
	}
	at := 0
	for e := range was.Items() {
		if id := identity(e); w[id] == nil && !there[id] && !spare[bareID(e)] {
			parts = slices.Insert(parts, min(at, len(parts)), []byte(e))
		}
		at++
	}
	return wrapped('[', parts, ']')
}

// entries are the elements of a list by what they are known by.
func entries(list jscan.Value) map[string]jscan.Value {
	all := map[string]jscan.Value{}
	for e := range list.Items() {
		all[identity(e)] = e
	}
	return all
}

// identity tells an entry from the others: its id where it has one.
func identity(e jscan.Value) string {
	if id := e.First("composerId", "id", "tabId").Str(); id != "" {
		return "id " + id
	}
	return string(e)
}

// bareID is the id of an entry, or the entry itself when it is one.
func bareID(e jscan.Value) string {
	if id := e.First("composerId", "id", "tabId").Str(); id != "" {
		return id
	}
	return e.Str()
}

func wrapped(open byte, parts [][]byte, end byte) []byte {
	doc := []byte{open}
	for i, p := range parts {
		if i > 0 {
			doc = append(doc, ',')
		}
		doc = append(doc, p...)
	}
	return append(doc, end)
}
