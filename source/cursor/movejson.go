package cursor

import (
	"github.com/retold-history/retold/internal/jscan"
)

// setMember gives an object a member, in the place of one of that name or at the
// end.
func setMember(doc []byte, name string, value []byte) []byte {
	obj, err := jscan.Parse(doc)
	if err != nil || obj.Kind() != jscan.Object {
		return doc
	}
	if old := obj.Get(name); old.Kind() != jscan.None {
		at := jscan.Offset(doc, old)
		return jscan.Edit(doc, []jscan.Splice{{Start: at, End: at + len(old), Text: value}})
	}
	text := quoted(name) + ":" + string(value)
	return appendTo(doc, obj, []byte(text))
}

// appendTo adds a member or an element to the end of an object or array.
func appendTo(doc []byte, list jscan.Value, text []byte) []byte {
	end := jscan.Offset(doc, list) + len(list) - 1
	if list.Len() > 0 {
		text = append([]byte(","), text...)
	}
	return jscan.Edit(doc, []jscan.Splice{{Start: end, End: end, Text: text}})
}

// cutOut removes the span of a member or element, with one comma beside it.
func cutOut(doc []byte, start, end int) []byte {
	blank := func(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
	next := end
	for next < len(doc) && blank(doc[next]) {
		next++
	}
	if next < len(doc) && doc[next] == ',' {
		for next++; next < len(doc) && blank(doc[next]); next++ {
		}
		return jscan.Edit(doc, []jscan.Splice{{Start: start, End: next}})
	}
	last := start
	for last > 0 && blank(doc[last-1]) {
		last--
	}
	if last > 0 && doc[last-1] == ',' {
		start = last - 1
	}
	return jscan.Edit(doc, []jscan.Splice{{Start: start, End: end}})
}

// headOf finds the entry of a conversation in a list of heads.
func headOf(list jscan.Value, member, id string) jscan.Value {
	for h := range list.Items() {
		if h.Get(member).Str() == id {
			return h
		}
	}
	return nil
}

// dropString removes every element of an array member that is that string.
func dropString(doc []byte, member, s string) []byte {
	for {
		obj, err := jscan.Parse(doc)
		if err != nil {
			return doc
		}
		var found jscan.Value
		for e := range obj.Get(member).Items() {
			if e.Str() == s && e.Kind() == jscan.String {
				found = e
				break
			}
		}
		if found == nil {
			return doc
		}
		at := jscan.Offset(doc, found)
		doc = cutOut(doc, at, at+len(found))
	}
}

// dropMember removes the members of an object whose names are unwanted.
func dropMember(doc []byte, unwanted func(name string) bool) []byte {
	obj, err := jscan.Parse(doc)
	if err != nil {
		return doc
	}
	from := jscan.Offset(doc, obj) + 1 // behind the bracket, then behind each value
	for key, value := range obj.Members() {
		at := jscan.Offset(doc, value)
		if unwanted(string(key)) {
			start := from
			for start < at && doc[start] != '"' {
				start++
			}
			return dropMember(cutOut(doc, start, at+len(value)), unwanted)
		}
		from = at + len(value)
	}
	return doc
}
