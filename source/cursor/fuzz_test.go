package cursor

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// seed adds the values of the goldens whose keys have a prefix.
func seed(f *testing.F, prefix string) {
	f.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("%d goldens (%v)", len(files), err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, section := range a.Files {
			for line := range strings.Lines(string(section.Data)) {
				key, value, ok := strings.Cut(line, "\t")
				if ok && strings.HasPrefix(key, prefix) {
					f.Add(stringified([]byte(strings.TrimSpace(value))))
				}
			}
		}
	}
	for _, odd := range []string{``, `null`, `{`, `[]`, `{"text":"\ud83d"}`, "{\"text\":\"\x00\xff\"}", strings.Repeat(`{"a":`, 2000), `{"text":1,"text":"twice"}`} {
		f.Add([]byte(odd))
	}
}

// stringified turns the goldens' "name!": {…} into the strings of JSON that they
// stand for, as far as one level goes.
func stringified(b []byte) []byte {
	for _, name := range []string{"params", "result", "rawArgs", "error", "richText", "initText", "bubbleDataMap"} {
		mark := []byte(`"` + name + `!":`)
		for {
			before, rest, ok := bytes.Cut(b, mark)
			if !ok {
				break
			}
			value, after, err := jscan.Next(rest)
			if err != nil {
				return b
			}
			quoted, err := json.Marshal(string(value))
			if err != nil {
				return b
			}
			b = bytes.Join([][]byte{before, []byte(`"` + name + `":`), quoted, after}, nil)
		}
	}
	return b
}

// checkMessages wants messages that keep the contract and whose JSON can be
// written.
func checkMessages(t *testing.T, messages []retold.Message) {
	t.Helper()
	for _, m := range messages {
		if (m.Tool != nil) != (m.Role == retold.RoleTool) || m.Role == "" {
			t.Errorf("role %q, tool %v", m.Role, m.Tool)
		}
		if m.Timestamp.IsZero() != (m.TimestampSource == "") {
			t.Errorf("time %v from %q", m.Timestamp, m.TimestampSource)
		}
		if out, err := json.Marshal(m); err != nil || !json.Valid(out) {
			t.Errorf("JSON: %v", err)
		}
	}
}

func FuzzBubble(f *testing.F) {
	seed(f, "bubbleId:")
	f.Fuzz(func(t *testing.T, doc []byte) {
		v, _ := jscan.Parse(doc) // a part of a document is read as far as it goes
		b := decodeBubble(v)
		b.id = "b"
		full := mapper{composer: &composer{id: "c"}, index: &blockIndex{}, read: func(string) ([]byte, bool) { return nil, false }}
		messages := full.messages(&b, time.Time{})
		checkMessages(t, messages)
		light := mapper{counting: true}
		if n := len(light.messages(&b, time.Time{})); n != len(messages) || n != len(b.parts()) {
			t.Errorf("%d messages, counted %d", len(messages), n)
		}
		var p peek
		p.seeUnordered(&b, 1)
	})
}

func FuzzComposer(f *testing.F) {
	seed(f, "composerData:")
	seed(f, "composer.composerHeaders")
	f.Fuzz(func(t *testing.T, doc []byte) {
		c := chat{id: "c"}
		full, ok := c.take("p", row{key: "composerData:c", value: doc})
		if ok == c.tombstone && ok {
			t.Error("read, and deleted")
		}
		o := full.order(true)
		if ok && len(o.slots) > c.headers { // fewer, where one is named twice
			t.Errorf("%d slots, %d headers", len(o.slots), c.headers)
		}
		listed := o.lists()
		for _, s := range o.slots {
			if !listed(s.id) {
				t.Errorf("slot %q is not part of the conversation", s.id)
			}
		}
		earlyTools(&full)
		var x blockIndex
		x.build(&full)
		g := newCatalog("user")
		g.chats["c"] = &c
		h := g.header(&c)
		if out, err := json.Marshal(h.Session); err != nil || !json.Valid(out) {
			t.Errorf("JSON: %v", err)
		}
		if h.UpdatedAt.Before(h.CreatedAt) {
			t.Errorf("ended %v before it began %v", h.UpdatedAt, h.CreatedAt)
		}
	})
}

func FuzzChatTabs(f *testing.F) {
	seed(f, keyChatData)
	seed(f, keyPrompts)
	seed(f, keyComposers)
	f.Fuzz(func(t *testing.T, doc []byte) {
		w := &workspace{id: "w", inline: map[string]jscan.Value{}}
		w.digest(map[string]row{
			keyChatData: {key: keyChatData, value: doc}, keyPrompts: {key: keyPrompts, value: doc},
			keyGenerations: {key: keyGenerations, value: doc}, keyComposers: {key: keyComposers, value: doc},
			panePrefix + "x": {key: panePrefix + "x", value: doc},
		})
		g := newCatalog("user")
		g.workspaces["w"] = w
		g.mergeWorkspaces()
		for _, c := range g.chats {
			var out []retold.Message
			r := &reader{g: g, chat: c, ids: unique{}, detail: &retold.SessionDetail{}, yield: func(m retold.Message) error { out = append(out, m); return nil }}
			r.dater = dater{yield: r.emit}
			if err := r.run(); err != nil {
				t.Fatal(err)
			}
			checkMessages(t, out)
			ids := map[string]bool{}
			for _, m := range out {
				if m.ID == "" || ids[m.ID] {
					t.Errorf("id %q empty or twice", m.ID)
				}
				ids[m.ID] = true
			}
		}
	})
}

func FuzzTool(f *testing.F) {
	f.Add([]byte(`{"tool":38,"name":"write","status":"completed","params":"{}","result":"{}"}`), []byte("a\nb\n"), []byte("a\nc\n"))
	f.Add([]byte(`{"tool":38,"rawArgs":"*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"}`), []byte(""), []byte("x"))
	f.Add([]byte(`{"tool":7,"result":"{\"diff\":{\"chunks\":[{\"diffString\":\"+x\"}]}}"}`), []byte("x"), []byte(""))
	f.Add([]byte(`{"tool":19,"params":"{\"tools\":[{\"name\":\"a\",\"parameters\":\"{}\"}]}","toolCallBinary":"CgA="}`), []byte("\xff\n"), []byte("\x00\r\n"))
	f.Fuzz(func(t *testing.T, doc, before, after []byte) {
		v, _ := jscan.Parse(doc)
		texts := map[string][]byte{"composer.content.b": before, "composer.content.a": after}
		read := func(key string) ([]byte, bool) { b, ok := texts[key]; return b, ok }
		b := bubble{id: "b", kind: 2, tool: v}
		m := mapper{composer: &composer{id: "c"}, index: &blockIndex{}, read: read}
		checkMessages(t, m.messages(&b, time.Time{}))

		data := toolData{result: jscan.Value(`{"beforeContentId":"composer.content.b","afterContentId":"composer.content.a"}`)}
		diff, same := data.storedDiff("f", read)
		if same != bytes.Equal(before, after) {
			t.Errorf("same %v for %q and %q", same, before, after)
		}
		if got := patched(t, string(before), diff); !same && got != string(after) {
			t.Errorf("the diff of %q and %q gives %q\n%s", before, after, got, diff)
		}
	})
}

// patched applies a unified diff whose positions are right.
func patched(t *testing.T, text, diff string) string {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out strings.Builder
	at := 0
	for i, line := range strings.SplitAfter(diff, "\n") {
		if i < 2 || line == "" {
			continue
		}
		switch line[0] {
		case '@':
			from := 0
			for _, c := range strings.TrimPrefix(line, "@@ -") {
				if c < '0' || c > '9' {
					break
				}
				from = from*10 + int(c-'0')
			}
			for ; at < from-1; at++ {
				out.WriteString(lines[at])
			}
		case '-':
			at++
		case '+':
			out.WriteString(line[1:])
		case ' ':
			out.WriteString(lines[at])
			at++
		case '\\':
			s := strings.TrimSuffix(out.String(), "\n")
			if next := strings.SplitAfter(diff, "\n"); i > 0 && next[i-1][0] == '-' {
				continue
			}
			out.Reset()
			out.WriteString(s)
		}
	}
	for ; at < len(lines); at++ {
		out.WriteString(lines[at])
	}
	return out.String()
}

func FuzzLines(f *testing.F) {
	f.Add("a\nb\nc", []byte(`[{"original":{"startLineNumber":2,"endLineNumberExclusive":3},"modified":["x"]}]`))
	f.Add("", []byte(`[{"original":{"startLineNumber":1,"endLineNumberExclusive":1},"modified":["x","y"]}]`))
	f.Add("a", []byte(`[{"original":{"startLineNumber":-9223372036854775808,"endLineNumberExclusive":9}}]`))
	f.Fuzz(func(t *testing.T, text string, changes []byte) {
		v, _ := jscan.Parse(changes)
		lines := strings.Split(text, "\n")
		kept := strings.Join(lines, "\n")
		if _, ok := applyLines(lines, v); ok && v.Empty() {
			got, _ := applyLines(lines, v)
			if diff := cmp.Diff(lines, got); diff != "" {
				t.Error(diff)
			}
		}
		if strings.Join(lines, "\n") != kept {
			t.Error("the lines given were changed")
		}
		patchDiff(text)
		patchFiles(text)
	})
}

func FuzzLexical(f *testing.F) {
	seed(f, "bubbleId:")
	f.Add([]byte(`{"root":{"children":[{"type":"paragraph","children":[{"type":"text","text":"x"}]}]}}`))
	f.Add([]byte(`"{\"root\":{\"children\":[{\"type\":\"mention\",\"mentionName\":\"a\"}]}}"`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		v, _ := jscan.Parse(doc)
		if text := lexicalText(v); len(text) > len(doc)*3 { // U+FFFD for a lone byte of an escape
			t.Errorf("%d bytes of text out of %d", len(text), len(doc))
		}
		unwrapQuery(string(doc))
		isNotice(string(doc))
	})
}

func FuzzClock(f *testing.F) {
	for _, s := range []string{`"2026-03-01T10:00:00Z"`, `1772359200`, `1.7e12`, `"1772359200000"`, `1772359200000000`, `-1`, `9e99`, `"x"`} {
		f.Add([]byte(s), int64(1772359200000), int64(1772359300000))
	}
	f.Fuzz(func(t *testing.T, doc []byte, start, end int64) {
		v, _ := jscan.Parse(doc)
		at := parseTime(v)
		if out, err := at.MarshalJSON(); err != nil || !at.IsZero() && at.Location() != time.UTC {
			t.Errorf("%v: %v %s", at, err, out)
		}
		var got []retold.Message
		d := dater{start: clamp(time.UnixMilli(start)), end: clamp(time.UnixMilli(end)), yield: func(m retold.Message) error { got = append(got, m); return nil }}
		for i := range 5 {
			m := retold.Message{}
			if i == 2 && !at.IsZero() {
				m.Timestamp, m.TimestampSource = at, retold.TimeStored
			}
			if err := d.add(m); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.finish(); err != nil || len(got) != 5 {
			t.Fatalf("%d messages, %v", len(got), err)
		}
		for _, m := range got {
			if m.Timestamp.IsZero() != (m.TimestampSource == "") {
				t.Errorf("%v from %q", m.Timestamp, m.TimestampSource)
			}
		}
	})
}

func FuzzPlace(f *testing.F) {
	for _, s := range []string{
		`"file:///home/ada/my%20shop"`, `{"scheme":"vscode-remote","authority":"wsl+Ubuntu","path":"/home/ada/shop"}`,
		`{"external":"vscode-remote://ssh-remote%2B7b22686f73744e616d65223a2262227d/x"}`, `{"fsPath":"C:\\Users\\lin\\shop"}`, `"\\\\srv\\share"`,
	} {
		f.Add([]byte(s), "/home/ada/shop/a.py", "home-ada-shop")
	}
	f.Fuzz(func(t *testing.T, doc []byte, file, slug string) {
		v, _ := jscan.Parse(doc)
		l := location(v)
		if l.Path == "" && l.Name != "" {
			t.Errorf("a name without a path: %+v", l)
		}
		g := newCatalog("user")
		g.workspaces["w"] = &workspace{id: "w", location: l}
		c := &chat{id: "c", projectDir: slug, files: []string{file, file + "/x"}}
		if g.place(c).Path == "" && commonFolder(c.files) != "" {
			t.Errorf("no place for %q", c.files)
		}
		layoutRoot(v)
		commonFolder([]string{file, string(doc)})
		_, _ = attachment("file", v)
		if out, err := json.Marshal(paths.Slug(file)); err != nil || len(out) < 2 {
			t.Error(err)
		}
	})
}
