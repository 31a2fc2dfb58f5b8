package relocate_test

import (
	"testing"

	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/internal/relocate"
)

func there() *relocate.Map {
	return &relocate.Map{
		From: paths.ParseAddress("/home/ada/old tide"), To: paths.ParseAddress("/srv/new"),
		Projects: map[string]string{"home-ada-old-tide": "srv-new"},
		IDs:      map[string]string{"11111111-aaaa": "22222222-bbbb"},
	}
}

func TestJSON(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", `{"text":"/home/ada/old tide/x", "path":"/elsewhere"}`, `{"text":"/home/ada/old tide/x", "path":"/elsewhere"}`},
		{
			"uri", `{ "uri" : {"$mid":1,"fsPath":"/home/ada/old tide/a.go","external":"file:///home/ada/old%20tide/a.go","path":"/home/ada/old tide/a.go","_formatted":"file:///home/ada/old%20tide/a.go"} }`,
			`{ "uri" : {"$mid":1,"fsPath":"/srv/new/a.go","external":"file:///srv/new/a.go","path":"/srv/new/a.go","_formatted":"file:///srv/new/a.go"} }`,
		},
		{"spelling stays", `{"path":"\/home\/ada\/old tide\/\u0061\ud83d.go","x":"\u0041\/"}`, `{"path":"/srv/new\/\u0061\ud83d.go","x":"\u0041\/"}`},
		{"params", `{"params":"{\"targetFile\":\"/home/ada/old tide/a \\\"b\\\".go\",\"n\":1.0}"}`, `{"params":"{\"targetFile\":\"/srv/new/a \\\"b\\\".go\",\"n\":1.0}"}`},
		{
			"embedded twice", `{"rawArgs":"{\"params\":\"{\\\"cwd\\\":\\\"/home/ada/old tide\\\",\\\"e\\\":\\\"\\\\u00e9\\\"}\"}"}`,
			`{"rawArgs":"{\"params\":\"{\\\"cwd\\\":\\\"/srv/new\\\",\\\"e\\\":\\\"\\\\u00e9\\\"}\"}"}`,
		},
		{"file text in arguments", `{"rawArgs":"{\"contents\":\"{\\\"path\\\":\\\"/home/ada/old tide\\\"}\"}"}`, `{"rawArgs":"{\"contents\":\"{\\\"path\\\":\\\"/home/ada/old tide\\\"}\"}"}`},
		{"keys", `{"codeBlockData":{"file:///home/ada/old%20tide/x.go":{"b":{"uri":"file:///home/ada/old%20tide/x.go"}}}}`, `{"codeBlockData":{"file:///srv/new/x.go":{"b":{"uri":"file:///srv/new/x.go"}}}}`},
		{"lists", `{"workspaceUris":["file:///home/ada/old%20tide","file:///other"]}`, `{"workspaceUris":["file:///srv/new","file:///other"]}`},
		{"layouts", `{"projectLayouts":["{\"absPath\":\"/home/ada/old tide\"}"]}`, `{"projectLayouts":["{\"absPath\":\"/srv/new\"}"]}`},
		{"project", `{"workspaceProjectDir":"/home/ada/.cursor/projects/home-ada-old-tide"}`, `{"workspaceProjectDir":"/home/ada/.cursor/projects/srv-new"}`},
		{
			"ids", `{"bubbleId":"11111111-aaaa","text":"11111111-aaaa","serverBubbleId":"11111111-aaaa","m":{"11111111-aaaa":1}}`,
			`{"bubbleId":"22222222-bbbb","text":"11111111-aaaa","serverBubbleId":"11111111-aaaa","m":{"22222222-bbbb":1}}`,
		},
		{"command", `{"command":"/home/ada/old tide/run.sh","output":"/home/ada/old tide"}`, `{"command":"/home/ada/old tide/run.sh","output":"/home/ada/old tide"}`},
		{"cut", `{"path":"/home/ada/old tide/a","uri":"/home/ada/old`, `{"path":"/srv/new/a","uri":"/home/ada/old`},
	} {
		if got := string(there().JSON([]byte(c.in))); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// FuzzBack rewrites there and back: every byte is as it was, unless the document
// already spoke of the place it goes to.
func FuzzBack(f *testing.F) {
	for _, s := range []string{
		`{"path":"/home/ada/old tide/x"}`, `{"params":"{\"path\":\"/home/ada/old tide\"}"}`, `{"uri":["file:///home/ada/old%20tide"]}`, `{"result":"[{\"file\":\"\\/home\""`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		m := there()
		m.IDs = nil
		back := &relocate.Map{From: m.To, To: m.From}
		if string(back.JSON(doc)) != string(doc) {
			return
		}
		one := m.JSON(doc)
		two := m.JSON(back.JSON(one))
		if string(one) != string(two) {
			t.Errorf("%q became %q, and that %q", doc, one, two)
		}
	})
}
