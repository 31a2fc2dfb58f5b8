package cursor_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"google.golang.org/protobuf/encoding/protowire"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// The schema of every state.vscdb, and the table that builds since 3.10 add.
const schema = `PRAGMA user_version = 1;
CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE IF NOT EXISTS cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);`

const headsSchema = `CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER, lastUpdatedAt INTEGER,
isArchived INTEGER, isSubagent INTEGER, recency INTEGER, checkpointAt INTEGER, value TEXT);`

// A home is a User folder in the making.
type home struct {
	t    testing.TB
	dir  string
	dbs  map[string]*sqlite.Conn
	vars map[string][]byte // states by name
}

func newHome(t testing.TB) *home {
	t.Helper()
	return &home{t: t, dir: filepath.Join(t.TempDir(), "User"), dbs: map[string]*sqlite.Conn{}, vars: map[string][]byte{}}
}

// db is the database of a folder below User, made with the journal that files of
// 2025 have.
func (h *home) db(folder string) *sqlite.Conn {
	h.t.Helper()
	if conn := h.dbs[folder]; conn != nil {
		return conn
	}
	path := filepath.Join(h.dir, folder, "state.vscdb")
	h.check(os.MkdirAll(filepath.Dir(path), 0o755))
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	h.check(err)
	h.check(sqlitex.ExecuteScript(conn, schema, nil))
	h.dbs[folder] = conn
	return conn
}

func (h *home) check(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// close finishes the databases.
func (h *home) close() {
	h.t.Helper()
	for folder, conn := range h.dbs {
		h.check(conn.Close())
		delete(h.dbs, folder)
	}
}

// put writes a row; value is a string (TEXT), bytes (BLOB) or nil (NULL).
func (h *home) put(folder, table, key string, value any) {
	h.t.Helper()
	h.check(sqlitex.Execute(h.db(folder), "INSERT INTO "+table+" (key, value) VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{key, value}}))
}

// kv writes a record of the global database.
func (h *home) kv(key string, value any) {
	h.t.Helper()
	h.put("globalStorage", "cursorDiskKV", key, value)
}

// fromArchive makes the home that a golden describes (see testdata/README.md).
func (h *home) fromArchive(a *txtar.Archive) {
	h.t.Helper()
	for _, f := range a.Files {
		if f.Name == "states" {
			h.states(string(f.Data))
		}
	}
	h.db("globalStorage")
	for _, f := range a.Files {
		text := h.fill(string(f.Data))
		folder, kind := "globalStorage", strings.TrimPrefix(f.Name, "global.")
		if dir, base := filepath.Split(f.Name); strings.HasPrefix(f.Name, "workspace/") || strings.HasPrefix(f.Name, "profiles/") {
			folder, kind = strings.Replace(strings.TrimSuffix(dir, "/"), "workspace/", "workspaceStorage/", 1), base
		}
		switch kind {
		case "states", "want.json":
		case "kv":
			h.records(folder, "cursorDiskKV", text)
		case "items":
			h.records(folder, "ItemTable", text)
		case "heads":
			h.heads(folder, text)
		default:
			path := filepath.Join(h.dir, folder, kind)
			h.check(os.MkdirAll(filepath.Dir(path), 0o755))
			h.check(os.WriteFile(path, []byte(text), 0o644))
		}
	}
	h.close()
}

// fill puts states into a text: {{id x}} is the sha256 of state x, {{base64 x}}
// and {{hex x}} its bytes.
func (h *home) fill(text string) string {
	h.t.Helper()
	for {
		before, rest, ok := strings.Cut(text, "{{")
		if !ok {
			return text
		}
		call, after, _ := strings.Cut(rest, "}}")
		verb, name, _ := strings.Cut(call, " ")
		b, known := h.vars[name]
		if !known {
			h.t.Fatalf("no state %q", name)
		}
		switch verb {
		case "id":
			sum := sha256.Sum256(b)
			call = hex.EncodeToString(sum[:])
		case "base64":
			call = base64.StdEncoding.EncodeToString(b)
		case "hex":
			call = hex.EncodeToString(b)
		default:
			h.t.Fatalf("no verb %q", verb)
		}
		text = before + call + after
	}
}

// records writes rows: a key at the start of a line, white space, a value that
// goes on over the lines that are indented.
func (h *home) records(folder, table, text string) {
	h.t.Helper()
	var key, value string
	done := func() {
		if key != "" {
			h.put(folder, table, unquote(h.t, key), stored(h.t, strings.TrimSpace(value)))
		}
	}
	for line := range strings.Lines(text) {
		if line[0] == ' ' || line[0] == '\t' || line[0] == '\n' {
			value += line
			continue
		}
		done()
		key, value, _ = strings.Cut(line, "\t")
	}
	done()
}

func unquote(t testing.TB, s string) string {
	if s[0] != '"' {
		return s
	}
	out, err := strconv.Unquote(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return out
}

// stored is the value that a golden spells: NULL, BLOB …, HEX … (a BLOB), QUOTED
// "…" (a TEXT with escapes), or the text itself.
func stored(t testing.TB, s string) any {
	t.Helper()
	if s == "NULL" {
		return nil
	}
	if rest, ok := strings.CutPrefix(s, "BLOB "); ok {
		return inline(t, rest)
	}
	if rest, ok := strings.CutPrefix(s, "HEX "); ok {
		b, err := hex.DecodeString(rest)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if rest, ok := strings.CutPrefix(s, "QUOTED "); ok {
		return unquote(t, rest)
	}
	return string(inline(t, s))
}

// inline makes one line of JSON written for reading: a member whose name ends in
// "!" holds a string of JSON. What is no JSON stays as it is.
func inline(t testing.TB, s string) []byte {
	t.Helper()
	if !json.Valid([]byte(s)) {
		return []byte(s)
	}
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var out bytes.Buffer
	inlineValue(t, dec, &out)
	return out.Bytes()
}

func inlineValue(t testing.TB, dec *json.Decoder, out *bytes.Buffer) {
	t.Helper()
	tok, err := dec.Token()
	if err != nil {
		t.Fatal(err)
	}
	d, nested := tok.(json.Delim)
	if !nested {
		out.Write(encode(t, tok))
		return
	}
	out.WriteString(d.String())
	for n := 0; dec.More(); n++ {
		if n > 0 {
			out.WriteByte(',')
		}
		quoted := false
		if d == '{' {
			key, err := dec.Token()
			if err != nil {
				t.Fatal(err)
			}
			var name string
			name, quoted = strings.CutSuffix(key.(string), "!")
			out.Write(encode(t, name))
			out.WriteByte(':')
		}
		var v bytes.Buffer
		inlineValue(t, dec, &v)
		if quoted {
			out.Write(encode(t, v.String()))
		} else {
			out.Write(v.Bytes())
		}
	}
	tok, err = dec.Token()
	if err != nil {
		t.Fatal(err)
	}
	out.WriteString(tok.(json.Delim).String())
}

func encode(t testing.TB, v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// heads writes rows of the composerHeaders table, one JSON object a row.
func (h *home) heads(folder, text string) {
	h.t.Helper()
	conn := h.db(folder)
	h.check(sqlitex.ExecuteScript(conn, headsSchema, nil))
	dec := json.NewDecoder(strings.NewReader(text))
	for dec.More() {
		var row map[string]json.RawMessage
		h.check(dec.Decode(&row))
		var names, marks []string
		var args []any
		for name, raw := range row {
			names, marks = append(names, name), append(marks, "?")
			var v any = string(inline(h.t, string(raw)))
			if name != "value" {
				h.check(json.Unmarshal(raw, &v))
			}
			args = append(args, v)
		}
		sql := fmt.Sprintf("INSERT INTO composerHeaders (%s) VALUES (%s)", strings.Join(names, ","), strings.Join(marks, ","))
		h.check(sqlitex.ExecuteTransient(conn, sql, &sqlitex.ExecOptions{Args: args}))
	}
}

// states reads protobuf messages written for reading and stores them as blobs:
//
//	name = {1:"text", 2:7, 8:@other, 9:{…}}
//
// where @other is the id of another. "name absent" is not stored, "name hextext"
// is stored as TEXT as older builds did, "name inline" is only for {{base64}}.
func (h *home) states(text string) {
	h.t.Helper()
	for line := range strings.Lines(text) {
		left, right, ok := strings.Cut(line, " = ")
		if !ok {
			continue
		}
		name, how, _ := strings.Cut(left, " ")
		p := proto{h: h, s: strings.TrimSpace(right)}
		b := p.value()
		h.vars[name] = b
		sum := sha256.Sum256(b)
		key := "agentKv:blob:" + hex.EncodeToString(sum[:])
		switch how {
		case "":
			h.kv(key, b)
		case "hextext":
			h.kv(key, hex.EncodeToString(b))
		}
	}
}

// proto reads the notation of states.
type proto struct {
	h *home
	s string
}

func (p *proto) skip(c byte) bool {
	p.s = strings.TrimLeft(p.s, " ,")
	if p.s == "" || p.s[0] != c {
		return false
	}
	p.s = p.s[1:]
	return true
}

// value is the bytes of a message or of a quoted text.
func (p *proto) value() []byte {
	switch {
	case p.skip('{'):
		var out []byte
		for !p.skip('}') {
			num, rest, _ := strings.Cut(p.s, ":")
			n, err := strconv.Atoi(num)
			p.h.check(err)
			p.s = rest
			if c := p.s[0]; c >= '0' && c <= '9' {
				digits := p.s[:len(p.s)-len(strings.TrimLeft(p.s, "0123456789"))]
				v, err := strconv.ParseUint(digits, 10, 64)
				p.h.check(err)
				p.s = p.s[len(digits):]
				out = protowire.AppendVarint(protowire.AppendTag(out, protowire.Number(n), protowire.VarintType), v)
				continue
			}
			out = protowire.AppendBytes(protowire.AppendTag(out, protowire.Number(n), protowire.BytesType), p.value())
		}
		return out
	case p.skip('@'):
		name := p.s[:len(p.s)-len(strings.TrimLeft(p.s, "abcdefghijklmnopqrstuvwxyz0123456789"))]
		p.s = p.s[len(name):]
		b, ok := p.h.vars[name]
		if !ok {
			p.h.t.Fatalf("no state %q", name)
		}
		sum := sha256.Sum256(b)
		return sum[:]
	}
	p.s = strings.TrimLeft(p.s, " ")
	quoted, err := strconv.QuotedPrefix(p.s)
	if err != nil {
		p.h.t.Fatalf("%q: %v", p.s, err)
	}
	p.s = p.s[len(quoted):]
	text, err := strconv.Unquote(quoted)
	p.h.check(err)
	return []byte(text)
}
