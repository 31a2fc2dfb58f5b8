// Package jscan reads the JSON that other programs left behind, however odd:
// invalid UTF-8, raw control characters, lone surrogates, duplicate keys,
// numbers as strings, truncated documents. A Value is a slice of the document
// itself; nothing is copied or decoded until it is asked for, and nothing here
// recurses, so depth costs no stack.
package jscan

import (
	"bytes"
	"errors"
	"iter"
)

// Value is the bytes of one JSON value. The zero Value is "not there": every
// method answers it with the zero of its result.
type Value []byte

// Kind is what a Value's first byte says it is.
type Kind byte

// The kinds. None is an absent or unreadable value.
const (
	None Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Errors of Parse.
var (
	ErrEmpty     = errors.New("empty document")
	ErrTruncated = errors.New("document ends inside a value")
	ErrSyntax    = errors.New("not JSON")
	ErrTrailing  = errors.New("text after the value")
)

// Parse finds the one value of a document, after white space and a byte order
// mark. It checks that the value ends where it should, not everything inside it.
// With ErrTruncated and ErrTrailing the value is usable as far as it goes.
func Parse(doc []byte) (Value, error) {
	doc = bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
	start := space(doc, 0)
	if start == len(doc) {
		return nil, ErrEmpty
	}
	end, ok := skip(doc, start)
	v := Value(doc[start:end])
	switch {
	case v.Kind() == None:
		return nil, ErrSyntax
	case !ok:
		return v, ErrTruncated
	case space(doc, end) != len(doc):
		return v, ErrTrailing
	}
	return v, nil
}

// Next splits the first value off a document, for streams of values; rest is
// what follows it.
func Next(doc []byte) (v Value, rest []byte, err error) {
	start := space(doc, 0)
	if start == len(doc) {
		return nil, nil, ErrEmpty
	}
	end, ok := skip(doc, start)
	v = Value(doc[start:end])
	if v.Kind() == None {
		return nil, doc[start:], ErrSyntax
	}
	if !ok {
		return v, nil, ErrTruncated
	}
	return v, doc[end:], nil
}

// Kind tells what the value is.
func (v Value) Kind() Kind {
	if len(v) == 0 {
		return None
	}
	switch c := v[0]; {
	case c == '"':
		return String
	case c == '{':
		return Object
	case c == '[':
		return Array
	case c == 't' && string(v) == "true", c == 'f' && string(v) == "false":
		return Bool
	case c == 'n' && string(v) == "null":
		return Null
	case c == '-' || c >= '0' && c <= '9':
		return Number
	}
	return None
}

// Members yields an object's members in order, keys unescaped. A key is only
// valid until the next one. Other kinds yield nothing; a truncated object yields
// what is there.
func (v Value) Members() iter.Seq2[[]byte, Value] {
	return func(yield func([]byte, Value) bool) {
		if len(v) == 0 || v[0] != '{' {
			return
		}
		for i := separator(v, 1, '{'); i < len(v) && v[i] == '"'; {
			end, ok := skipString(v, i)
			if !ok {
				return
			}
			key := v[i+1 : end-1]
			if bytes.IndexByte(key, '\\') >= 0 {
				key = unescape(key)
			}
			i = space(v, end)
			if i >= len(v) || v[i] != ':' {
				return
			}
			i = space(v, i+1)
			end, _ = skip(v, i)
			if end == i || !yield(key, v[i:end]) {
				return
			}
			i = separator(v, end, ',')
		}
	}
}

// Items yields an array's elements. Other kinds yield nothing.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if len(v) == 0 || v[0] != '[' {
			return
		}
		for i := separator(v, 1, '['); i < len(v) && v[i] != ']'; {
			end, _ := skip(v, i)
			if end == i || !yield(v[i:end]) {
				return
			}
			i = separator(v, end, ',')
		}
	}
}

// separator steps over white space and at most one comma from i. After an
// opening bracket there is no comma to step over.
func separator(v []byte, i int, after byte) int {
	i = space(v, i)
	if after == ',' {
		if i >= len(v) || v[i] != ',' {
			return len(v)
		}
		i = space(v, i+1)
	}
	return i
}

// Get returns the member of that exact name; of duplicates the last, as
// JavaScript reads them.
func (v Value) Get(key string) Value {
	var found Value
	for k, m := range v.Members() {
		if string(k) == key {
			found = m
		}
	}
	return found
}

// At follows a path of member names.
func (v Value) At(path ...string) Value {
	for _, key := range path {
		v = v.Get(key)
	}
	return v
}

// First returns the first of the named members that is neither absent nor null.
func (v Value) First(keys ...string) Value {
	for _, key := range keys {
		if m := v.Get(key); m.Kind() > Null {
			return m
		}
	}
	return nil
}

// Len counts the members of an object or the elements of an array.
func (v Value) Len() int {
	n := 0
	for range v.Members() {
		n++
	}
	for range v.Items() {
		n++
	}
	return n
}

// Empty reports whether nothing is said: absent, null, "", {} or [].
func (v Value) Empty() bool {
	switch v.Kind() {
	case None, Null:
		return true
	case String:
		return len(v) <= 2
	case Object:
		for range v.Members() {
			return false
		}
		return true
	case Array:
		for range v.Items() {
			return false
		}
		return true
	}
	return false
}
