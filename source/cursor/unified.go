package cursor

import (
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/lcs"
)

// unified compares two texts. Texts too large to compare give no diff.
func unified(path, before, after string) string {
	return compare(path, before, after, udiff.DefaultContextLines)
}

func compare(path, before, after string, context int) string {
	if before == after || len(before)+len(after) > diffLimit {
		return ""
	}
	from, to := "a/"+strings.TrimPrefix(path, "/"), "b/"+strings.TrimPrefix(path, "/")
	if before == "" {
		from = "/dev/null"
	}
	if after == "" {
		to = "/dev/null"
	}
	w := around(before, after, context)
	d, ok := w.differ(context)
	if ok && !d.framed(w, context) {
		w = window{before: before, after: after}
		d, ok = w.differ(context)
	}
	if ok {
		return d.write(from, to, w.lines)
	}
	text, err := udiff.ToUnified(from, to, before, udiff.Lines(before, after), context)
	if err != nil { // its own edits contradict each other: no diff is better than a wrong one
		return ""
	}
	return text
}

// A difference is how the lines of two texts differ, and the hunks that tell it.
type difference struct {
	before, after []string
	edits         []lcs.Diff
	hunks         []hunkSpan
}

// A hunkSpan is a run of edits that are told together: before[start:end] becomes
// after[newStart:newEnd].
type hunkSpan struct {
	edits            []lcs.Diff
	start, end       int
	newStart, newEnd int
}

// differ compares the lines of a window. It fails where the edits do not fit
// together: in order, with the same lines of both texts between them.
func (w window) differ(context int) (d difference, ok bool) {
	d.before, d.after = splitLines(w.before), splitLines(w.after)
	if len(d.before) == 0 || len(d.after) == 0 {
		d.edits = []lcs.Diff{{Start: 0, End: len(d.before), ReplStart: 0, ReplEnd: len(d.after)}}
	} else {
		d.edits = lcs.DiffLines(d.before, d.after)
	}
	var last lcs.Diff
	for i, e := range d.edits {
		kept := e.Start - last.End
		if kept < min(i, 1) || kept != e.ReplStart-last.ReplEnd || e.End < e.Start || e.ReplEnd < e.ReplStart {
			return d, false
		}
		last = e
	}
	if kept := len(d.before) - last.End; kept < 0 || kept != len(d.after)-last.ReplEnd {
		return d, false
	}
	d.gather(context)
	return d, true
}

// gather makes hunks: edits whose context would touch are told together.
func (d *difference) gather(context int) {
	for i, e := range d.edits {
		if n := len(d.hunks) - 1; n >= 0 && e.Start <= d.edits[i-1].End+2*context {
			d.hunks[n].edits = d.edits[i-len(d.hunks[n].edits) : i+1]
			continue
		}
		lead := min(context, e.Start)
		d.hunks = append(d.hunks, hunkSpan{edits: d.edits[i : i+1], start: e.Start - lead, newStart: e.ReplStart - lead})
	}
	for i := range d.hunks {
		h := &d.hunks[i]
		e := h.edits[len(h.edits)-1]
		tail := min(context, len(d.before)-e.End)
		h.end, h.newEnd = e.End+tail, e.ReplEnd+tail
	}
}

// framed reports whether a difference in a window has all its context at the
// edges where the texts go on. Among repeated lines a change can be laid right
// against an edge; a patch program then takes the edge for the end of the file.
func (d *difference) framed(w window, context int) bool {
	first, last := d.edits[0], d.edits[len(d.edits)-1]
	return (w.lines == 0 || first.Start >= context) && (!w.cut || len(d.before)-last.End >= context)
}

// write spells a difference as a unified diff, of texts that go on for so many
// lines above.
func (d *difference) write(from, to string, above int) string {
	size := len(from) + len(to) + 16
	for _, h := range d.hunks {
		size += 48
		for _, line := range d.before[h.start:h.end] {
			size += len(line) + 1
		}
		for _, e := range h.edits {
			for _, line := range d.after[e.ReplStart:e.ReplEnd] {
				size += len(line) + 1
			}
		}
	}
	var b strings.Builder
	b.Grow(size)
	for _, s := range []string{"--- ", from, "\n+++ ", to, "\n"} {
		b.WriteString(s)
	}
	for _, h := range d.hunks {
		b.WriteString("@@ -")
		writeRange(&b, h.start, h.end-h.start, above)
		b.WriteString(" +")
		writeRange(&b, h.newStart, h.newEnd-h.newStart, above)
		b.WriteString(" @@\n")
		at := h.start
		for _, e := range h.edits {
			writeLines(&b, ' ', d.before[at:e.Start])
			writeLines(&b, '-', d.before[e.Start:e.End])
			writeLines(&b, '+', d.after[e.ReplStart:e.ReplEnd])
			at = e.End
		}
		writeLines(&b, ' ', d.before[at:h.end])
	}
	return b.String()
}

// writeRange writes the lines that a hunk covers as GNU diff does: an empty range
// at the top of a file starts at line 0, and one line goes without saying.
func writeRange(b *strings.Builder, start, count, above int) {
	line := start + 1
	if line == 1 && count == 0 {
		line = 0
	}
	b.WriteString(strconv.Itoa(line + above))
	if count > 1 || line == 0 {
		b.WriteByte(',')
		b.WriteString(strconv.Itoa(count))
	}
}

func writeLines(b *strings.Builder, mark byte, lines []string) {
	for _, line := range lines {
		b.WriteByte(mark)
		b.WriteString(line)
		if line[len(line)-1] != '\n' {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// splitLines cuts a text behind its line ends.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := make([]string, 0, strings.Count(text, "\n")+1)
	for {
		i := strings.IndexByte(text, '\n') + 1
		if i == 0 || i == len(text) {
			return append(lines, text)
		}
		lines, text = append(lines, text[:i]), text[i:]
	}
}
