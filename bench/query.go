package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A Class is queries of one kind, as a person would type them.
type Class struct {
	Name    string
	Queries []string
}

// Classes takes n queries of every kind from the texts of a made history: the
// same history and n give the same queries. Each finds something.
func Classes(ctx context.Context, made *Made, n int) ([]Class, error) {
	p := &picker{rng: rand.New(rand.NewPCG(made.Seed, 0x7175657279)), words: map[string]int{}, n: n} //nolint:gosec // the queries have to be the same every time
	if err := p.sample(ctx, made.Database); err != nil {
		return nil, fmt.Errorf("take queries from %s: %w", made.Database, err)
	}
	classes := []Class{
		{"rare word", p.rare(made.Markers)},
		{"phrase", p.draw(p.prose, phrase)},
		{"prefix", p.draw(p.prose, prefix)},
		{"code substring", p.draw(p.code, substring)},
		{"2 CJK characters", p.draw(p.prose, pair)},
		{"very common word", p.common()},
	}
	for _, c := range classes {
		if len(c.Queries) < min(n, 5) {
			return nil, fmt.Errorf("the history has only %d queries of the kind %q", len(c.Queries), c.Name)
		}
	}
	return classes, nil
}

type picker struct {
	rng         *rand.Rand
	n           int
	prose, code []string
	words       map[string]int // in how many texts of the sample each occurs
}

// sampled is the number of messages that are looked at.
const sampled = 3000

// sample reads some messages from all over the history. It opens the file as
// one that nobody writes to, which leaves no trace beside it.
func (p *picker) sample(ctx context.Context, path string) (err error) {
	conn, err := sqlite.OpenConn("file:"+path+"?immutable=1", sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(ctx.Done())
	seen := map[string]bool{}
	const query = "SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < 'bubbleId;' AND value IS NOT NULL LIMIT 100"
	for range sampled / 100 {
		from := fmt.Sprintf("bubbleId:%08x", p.rng.Uint32())
		err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{
			Args: []any{from},
			ResultFunc: func(stmt *sqlite.Stmt) error {
				if key := stmt.ColumnText(0); !seen[key] {
					seen[key] = true
					return p.add([]byte(stmt.ColumnText(1)))
				}
				return nil
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *picker) add(bubble []byte) error {
	var b struct {
		Text           string
		Thinking       struct{ Text string }
		ToolFormerData struct{ RawArgs, Result string }
	}
	if err := json.Unmarshal(bubble, &b); err != nil {
		return err
	}
	if said := b.Text + b.Thinking.Text; said != "" {
		p.prose = append(p.prose, said)
		p.count(said)
	}
	var result any
	if json.Unmarshal([]byte(b.ToolFormerData.Result), &result) != nil {
		return nil
	}
	if text := longest(result); len(text) > 100 {
		p.code = append(p.code, text)
	}
	return nil
}

// count counts the words of a text, each once.
func (p *picker) count(said string) {
	seen := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(said), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if len(w) > 2 && !seen[w] {
			seen[w] = true
			p.words[w]++
		}
	}
}

// longest is the longest string inside a JSON value.
func longest(v any) (text string) {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for _, e := range v {
			if s := longest(e); len(s) > len(text) {
				text = s
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if s := longest(v[key]); len(s) > len(text) {
				text = s
			}
		}
	}
	return text
}

// rare are the markers, each in one message, then words met once in the sample.
func (p *picker) rare(markers []Marker) (out []string) {
	for _, m := range markers {
		if m.Word[0] < 0x80 {
			out = append(out, m.Word)
		}
	}
	var once []string
	for w, n := range p.words {
		if n == 1 && len(w) > 5 && !strings.HasPrefix(w, "zq") {
			once = append(once, w)
		}
	}
	slices.Sort(once)
	p.rng.Shuffle(len(once), func(i, j int) { once[i], once[j] = once[j], once[i] })
	out = append(out, once...)
	return out[:min(p.n, len(out))]
}

// common are the words of the most texts.
func (p *picker) common() []string {
	words := slices.SortedFunc(maps.Keys(p.words), func(a, b string) int {
		return cmp.Or(cmp.Compare(p.words[b], p.words[a]), cmp.Compare(a, b))
	})
	return words[:min(p.n, len(words))]
}

// draw takes one query from each of n texts; take returns "" where it finds
// none.
func (p *picker) draw(texts []string, take func(*rand.Rand, string) string) (out []string) {
	for range 200 * p.n {
		if len(out) == p.n || len(texts) == 0 {
			break
		}
		q := take(p.rng, texts[p.rng.IntN(len(texts))])
		if q != "" && !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return out
}

// phrase is two to four words as they follow each other.
func phrase(rng *rand.Rand, text string) string {
	words := strings.Fields(text)
	n := 2 + rng.IntN(3)
	if len(words) < n {
		return ""
	}
	i := rng.IntN(len(words) - n + 1)
	for _, w := range words[i : i+n] {
		if strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" {
			return ""
		}
	}
	return `"` + strings.Join(words[i:i+n], " ") + `"`
}

// prefix is the first two to five letters of a word.
func prefix(rng *rand.Rand, text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return ""
	}
	w := words[rng.IntN(len(words))]
	n := 2 + rng.IntN(4)
	if len(w) < n || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return w[:n] + "*"
}

// substring is six to twelve characters of code that begin or end inside a name
// and hold a capital, a dot or a bracket: "son.Unmar", "nderTime(".
func substring(rng *rand.Rand, text string) string {
	const marks = "._("
	chunks := strings.FieldsFunc(text, func(r rune) bool {
		return r > 0x7f || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(marks, r)
	})
	if len(chunks) == 0 {
		return ""
	}
	c := chunks[rng.IntN(len(chunks))]
	n := 6 + rng.IntN(7)
	if len(c) < n+2 {
		return ""
	}
	i := 1 + rng.IntN(len(c)-n-1)
	q := c[i : i+n]
	if strings.IndexFunc(q[1:], func(r rune) bool { return unicode.IsUpper(r) || strings.ContainsRune(marks, r) }) < 0 || strings.ContainsAny(q[:1], marks) {
		return ""
	}
	return q
}

// pair is two ideographs as they follow each other.
func pair(rng *rand.Rand, text string) string {
	runes := []rune(text)
	if len(runes) < 2 {
		return ""
	}
	i := rng.IntN(len(runes) - 1)
	if !unicode.Is(unicode.Han, runes[i]) || !unicode.Is(unicode.Han, runes[i+1]) {
		return ""
	}
	return string(runes[i : i+2])
}
