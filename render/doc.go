// Package render turns what was said into what can safely be shown: Markdown to
// HTML or to contained Markdown, unified diffs to coloured lines, and any text to
// something a terminal prints without obeying it. All input is data from
// strangers: it may be hostile, huge or not UTF-8, and no input makes these
// functions fail, hang or use memory out of proportion. Output is always valid
// UTF-8 and free of terminal control characters.
package render

import _ "embed"

// CSS styles what HTML, DiffHTML and CodeHTML produce: token and line classes,
// coloured by custom properties that the page sets for light and dark.
//
//go:embed code.css
var CSS string
