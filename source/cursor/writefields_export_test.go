package cursor

import (
	"fmt"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// CheckWritten writes a call and says what Cursor's parser would not take of it.
func CheckWritten(c *retold.ToolCall) (tool int64, why string) {
	doc, err := (&penman{}).former(c, "call")
	if err != nil {
		return 0, err.Error()
	}
	v, err := jscan.Parse(doc)
	if err != nil {
		return 0, err.Error()
	}
	tool, _ = v.Get("tool").Int()
	all := toolShapes()
	shape := all.tools[tool]
	if params := v.Get("params").Embedded(); shape.params == "" || !all.fits(shape.params, params) {
		return tool, fmt.Sprintf("params %s", params)
	}
	if result := v.Get("result"); result.Kind() != jscan.None && !all.fits(shape.result, result.Embedded()) {
		return tool, fmt.Sprintf("result %s", result.Embedded())
	}
	if s := v.Get("status").Str(); s != "completed" && s != "cancelled" && s != "error" {
		return tool, "status " + s
	}
	return tool, ""
}
