// Package export writes conversations for people and programs: Markdown, HTML
// and plain text to read, JSON and JSONL after the public contract, CSV for
// tables. The same sessions and options always give the same bytes: nothing
// here looks at a clock, at the environment or at this machine's time zone, and
// nothing is fetched. Secrets are masked unless Options say otherwise. Output is
// written message by message, so memory follows the longest message, not the
// session.
package export

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// Format names a way of writing sessions; it is also the file extension,
// except for [Text] (".txt").
type Format string

// The formats.
const (
	Markdown Format = "md"
	JSON     Format = "json"
	JSONL    Format = "jsonl"
	HTML     Format = "html"
	CSV      Format = "csv"
	Text     Format = "text"
)

// Formats lists every format.
var Formats = []Format{Markdown, JSON, JSONL, Text, HTML, CSV}

// ParseFormat reads a format as a person writes it: the name in any letter
// case, "markdown" for "md", "txt" for "text", "ndjson" for "jsonl", "htm" for
// "html". Anything else is a *retold.Error with CodeUsage.
func ParseFormat(s string) (Format, error) {
	switch f := Format(strings.ToLower(strings.TrimSpace(s))); f {
	case Markdown, JSON, JSONL, HTML, CSV, Text:
		return f, nil
	case "markdown":
		return Markdown, nil
	case "txt":
		return Text, nil
	case "ndjson":
		return JSONL, nil
	case "htm":
		return HTML, nil
	}
	return "", &retold.Error{
		Code: retold.CodeUsage, Err: fmt.Errorf("unknown format %q", s),
		Hint: "choose one of md, json, jsonl, text, html, csv",
	}
}

// Tools says how much of a tool call is shown to a person. The formats for
// programs (JSON, JSONL, CSV) always hold all of it.
type Tools string

// The amounts. The zero value means ToolsShort.
const (
	ToolsShort Tools = "short" // one line with the outcome, and the diff of an edit
	ToolsFull  Tools = "full"  // also parameters and result
	ToolsNone  Tools = "none"  // tool calls are left out, except that a turn says how many there were
)

// ParseTools reads "short", "full" or "none"; anything else is a *retold.Error
// with CodeUsage.
func ParseTools(s string) (Tools, error) {
	switch t := Tools(strings.ToLower(strings.TrimSpace(s))); t {
	case ToolsShort, ToolsFull, ToolsNone:
		return t, nil
	}
	return "", &retold.Error{
		Code: retold.CodeUsage, Err: fmt.Errorf("unknown amount of tools %q", s),
		Hint: "choose one of short, full, none",
	}
}

// Options say what is written. The zero value writes everything but secrets,
// tools short, times in UTC.
type Options struct {
	Tools    Tools
	Roles    []retold.Role  // only messages of these roles; empty means all
	Location *time.Location // zone of times shown to people; nil means UTC

	// Secrets are masked (see package redact) unless Reveal is set. Masked is told
	// how many were masked in each session that held some; nil for nobody.
	Reveal bool
	Masked func(secrets int)
}

// Session writes one session to w. JSON is a SessionDetail object; to get an
// array, or several sessions of any format in one stream, use [NewWriter]. Errors
// are those of w, and a *retold.Error with CodeUsage for an unknown format.
func Session(w io.Writer, f Format, d *retold.SessionDetail, o Options) error {
	e := NewWriter(w, f, o)
	e.single = true
	if err := e.Add(d); err != nil {
		return err
	}
	return e.Close()
}
