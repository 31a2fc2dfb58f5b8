package cursorcli_test

import (
	"crypto/sha256"
	"encoding/hex"
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

// build writes the files of a golden below home. A name is a path, except:
//
//	DIR/store.db            makes the store; the text is the JSON of its meta row
//	                        ("hex" behind it is Cursor's own spelling, "raw" plain JSON)
//	DIR/store.db#NAME       a blob of that store, named for references
//	DIR/index.db            SQL that fills an SDK index
//
// A blob is JSON when it starts with {"; raw text when it starts with raw:; else
// protobuf: a field per line, "N: VALUE" or "N {" … "}". A value is "a string",
// a whole number (varint), @NAME (the id of a blob), ?NAME (the id of a blob that
// is not stored), =NAME (the blob itself, inline) or hex:….
func build(t *testing.T, home string, a *txtar.Archive) {
	t.Helper()
	stores := map[string]map[string]string{}
	for _, f := range a.Files {
		if path, name, ok := strings.Cut(f.Name, "#"); ok {
			if stores[path] == nil {
				stores[path] = map[string]string{}
			}
			stores[path][name] = string(f.Data)
		}
	}
	for _, f := range a.Files {
		path := filepath.Join(home, filepath.FromSlash(f.Name))
		switch {
		case f.Name == "want.json" || strings.Contains(f.Name, "#"):
			continue
		case strings.HasSuffix(f.Name, "store.db"):
			writeStore(t, path, string(f.Data), stores[f.Name])
		case strings.HasSuffix(f.Name, "index.db"):
			writeDB(t, path, func(conn *sqlite.Conn) error { return sqlitex.ExecuteScript(conn, string(f.Data), nil) })
		default:
			writeFile(t, path, f.Data)
		}
	}
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeDB(t *testing.T, path string, fill func(*sqlite.Conn) error) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(conn); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
}

// writeStore makes a store.db as formats E.1 describes it. Blobs are written in
// the order in which they are named.
func writeStore(t *testing.T, path, meta string, sources map[string]string) {
	t.Helper()
	w := &blobWriter{t: t, sources: sources, done: map[string][]byte{}}
	writeDB(t, path, func(conn *sqlite.Conn) error {
		err := sqlitex.ExecuteScript(conn, `CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);`, nil)
		if err != nil {
			return err
		}
		for name := range sources {
			meta = strings.ReplaceAll(meta, "@"+name+`"`, w.id(name)+`"`)
		}
		meta = strings.TrimSpace(meta)
		if plain, ok := strings.CutSuffix(meta, "raw"); ok {
			meta = strings.TrimSpace(plain)
		} else {
			meta = hex.EncodeToString([]byte(meta))
		}
		if err := sqlitex.Execute(conn, "INSERT INTO meta VALUES ('0', ?)", &sqlitex.ExecOptions{Args: []any{meta}}); err != nil {
			return err
		}
		for name := range sources {
			w.bytes(name)
		}
		for _, name := range w.order {
			err := sqlitex.Execute(conn, "INSERT OR IGNORE INTO blobs VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{w.id(name), w.done[name]}})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

type blobWriter struct {
	t       *testing.T
	sources map[string]string
	done    map[string][]byte
	order   []string
}

func (w *blobWriter) id(name string) string {
	sum := sha256.Sum256(w.bytes(name))
	return hex.EncodeToString(sum[:])
}

func (w *blobWriter) bytes(name string) []byte {
	if b, ok := w.done[name]; ok {
		return b
	}
	text, ok := w.sources[name]
	if !ok {
		w.t.Fatalf("no blob named %q", name)
	}
	var b []byte
	switch raw, isRaw := strings.CutPrefix(text, "raw:"); {
	case isRaw:
		b = []byte(strings.TrimSuffix(raw, "\n"))
	case strings.HasPrefix(text, `{"`):
		b = []byte(strings.TrimSpace(text))
	default:
		lines := strings.Split(strings.TrimSpace(text), "\n")
		b, _ = w.message(lines)
	}
	w.done[name] = b
	w.order = append(w.order, name)
	return b
}

// message encodes lines up to the closing brace and returns the rest.
func (w *blobWriter) message(lines []string) (out []byte, rest []string) {
	for len(lines) > 0 {
		line := strings.TrimSpace(lines[0])
		lines = lines[1:]
		if line == "}" {
			return out, lines
		}
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		number, value, _ := strings.Cut(line, ":")
		number = strings.TrimSuffix(strings.TrimSpace(number), " {")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil {
			w.t.Fatalf("%q is no field", line)
		}
		num := protowire.Number(n)
		if strings.HasSuffix(line, "{") {
			var inner []byte
			inner, lines = w.message(lines)
			out = protowire.AppendBytes(protowire.AppendTag(out, num, protowire.BytesType), inner)
			continue
		}
		out = w.value(out, num, strings.TrimSpace(value))
	}
	return out, nil
}

func (w *blobWriter) value(out []byte, num protowire.Number, v string) []byte {
	var b []byte
	switch {
	case strings.HasPrefix(v, `"`):
		s, err := strconv.Unquote(v)
		if err != nil {
			w.t.Fatalf("%s: %v", v, err)
		}
		b = []byte(s)
	case strings.HasPrefix(v, "@"):
		sum := sha256.Sum256(w.bytes(v[1:]))
		b = sum[:]
	case strings.HasPrefix(v, "?"):
		sum := sha256.Sum256([]byte("missing " + v[1:]))
		b = sum[:]
	case strings.HasPrefix(v, "="):
		b = w.bytes(v[1:])
	case strings.HasPrefix(v, "hex:"):
		var err error
		if b, err = hex.DecodeString(v[4:]); err != nil {
			w.t.Fatalf("%s: %v", v, err)
		}
	case strings.HasPrefix(v, "x"):
		count, err := strconv.Atoi(v[1:])
		if err != nil {
			w.t.Fatalf("%s: %v", v, err)
		}
		b = []byte(strings.Repeat("x", count))
	default:
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			w.t.Fatalf("%s: %v", v, err)
		}
		return protowire.AppendVarint(protowire.AppendTag(out, num, protowire.VarintType), uint64(n))
	}
	return protowire.AppendBytes(protowire.AppendTag(out, num, protowire.BytesType), b)
}
