package journal

import (
	"path"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// A gitCommit is a git commit that a conversation ran.
type gitCommit struct {
	message string // "" when it is not in the command; how it begins when it repeats
	amend   bool
	cwd     string // "" when unknown
	printed string // the short id that git printed; "" when not kept
	repeats bool   // git revert, cherry-pick and the like, which bring the message
	unsure  bool   // nothing kept says whether it succeeded

	quiet  bool // what git prints is not in the output; not kept
	masked bool // the exit code is not its own; not kept
}

// longestMessage is how much of a commit's message is kept.
const longestMessage = 4096

// commitsOf are the git commits that a message ran to an end.
func commitsOf(m *retold.Message) []gitCommit {
	t := m.Tool
	if t == nil || t.Kind != retold.ToolShell || t.Status == retold.StatusCancelled {
		return nil
	}
	command, cwd := shellCommand(t)
	if !strings.Contains(command, "git") {
		return nil
	}
	list := gitCommits(command, cwd)
	if len(list) == 0 {
		return nil
	}
	texts := outputTexts(jscan.Value(t.Result))
	return succeeded(named(list, printedCommits(texts)), readOutcome(t, command, texts))
}

// named gives the commands the ids that git printed. One that makes commits with
// messages of their own counts once for each.
func named(list []gitCommit, ids []printedCommit) (out []gitCommit) {
	taken := map[string]bool{}
	for i, c := range list {
		for n, id := range ids {
			if !c.repeats && (id.subject == subject(c.message) || len(ids) == len(list) && n == i) {
				c.printed, taken[id.id] = id.id, true
				break
			}
		}
		if !c.repeats {
			out = append(out, c)
		}
	}
	for _, c := range list {
		if !c.repeats {
			continue
		}
		found := false
		for _, id := range ids {
			if !taken[id.id] {
				c.printed, taken[id.id], found = id.id, true, true
				out = append(out, c)
			}
		}
		if !found {
			out = append(out, c)
		}
	}
	return out
}

// gitCommits finds the commits in a script.
func gitCommits(script, cwd string) (list []gitCommit) {
	files := map[string]string{} // what the script itself wrote
	at := shellFolder{start: cwd}
	runs := readShell(script)
	var exported gitPlace
	for i, run := range runs {
		place := exported
		place.read(run.words)
		if len(run.words) > 1 && run.words[0] == "export" {
			exported.read(run.words[1:])
			continue
		}
		run.words = bare(run.words)
		if at.moves(run) {
			continue
		}
		for _, e := range run.edits() {
			if e.kind == editWhole && len(e.changes) == 1 {
				files[e.path] = strings.Join(e.changes[0].added, "\n")
			}
		}
		if len(run.words) < 2 || path.Base(run.words[0]) != "git" {
			continue
		}
		if c, ok := readCommit(run, files, &place); ok {
			if c.cwd = inFolder(at.of(run), c.cwd); c.cwd == "" {
				c.cwd = at.of(run)
			}
			c.cwd = place.folder(c.cwd)
			c.masked = masked(runs, i)
			c.quiet = c.quiet || run.out != "" || run.end == "|"
			list = append(list, c)
		}
	}
	return list
}

// readCommit reads the flags of git commit, and which other command makes commits.
func readCommit(run shellRun, files map[string]string, place *gitPlace) (c gitCommit, ok bool) {
	w := run.words[1:]
	for len(w) > 0 && strings.HasPrefix(w[0], "-") {
		if w[0] == "-C" && len(w) > 1 {
			c.cwd = inFolder(c.cwd, w[1])
		}
		w = w[place.flag(w):]
	}
	if len(w) == 0 {
		return c, false
	}
	switch w[0] {
	case "revert", "cherry-pick", "merge", "rebase", "pull", "am":
		c.repeats, c.message = true, foretold(w)
		return c, !slices.ContainsFunc(w, func(f string) bool {
			return f == "--abort" || f == "--quit" || f == "--no-commit" || f == "-n" && w[0] == "revert"
		})
	case "commit":
	default:
		return c, false
	}
	var parts []string
	value := func(i *int, rest string) string {
		if rest == "" && *i+1 < len(w) {
			*i++
			return w[*i]
		}
		return strings.TrimPrefix(rest, "=")
	}
	file := func(name string) {
		if name == "-" || name == "/dev/stdin" {
			parts = append(parts, run.stdin)
		} else {
			parts = append(parts, files[name])
		}
	}
	for i := 1; i < len(w); i++ {
		switch f := w[i]; {
		case f == "--":
			i = len(w)
		case f == "--dry-run" || f == "--help" || f == "-h":
			return c, false
		case f == "--amend":
			c.amend = true
		case f == "--quiet":
			c.quiet = true
		case strings.HasPrefix(f, "--message"):
			parts = append(parts, value(&i, f[len("--message"):]))
		case strings.HasPrefix(f, "--file"):
			file(value(&i, f[len("--file"):]))
		case strings.HasPrefix(f, "--author") || strings.HasPrefix(f, "--date") || strings.HasPrefix(f, "--trailer"):
			if !strings.Contains(f, "=") {
				i++
			}
		case len(f) > 1 && f[0] == '-' && f[1] != '-':
			for n := 1; n < len(f); n++ {
				if f[n] == 'q' {
					c.quiet = true
				} else if f[n] == 'm' {
					parts = append(parts, value(&i, f[n+1:]))
					break
				} else if f[n] == 'F' {
					file(value(&i, f[n+1:]))
					break
				} else if strings.IndexByte("Cct", f[n]) >= 0 {
					value(&i, f[n+1:])
					break
				}
			}
		}
	}
	c.message = strings.TrimSpace(strings.Join(parts, "\n\n"))
	if len(c.message) > longestMessage {
		c.message = c.message[:longestMessage]
	}
	return c, true
}

func subject(message string) string {
	s, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return strings.TrimSpace(s)
}

// A printedCommit is what git says of a commit it made: "[main 1a2b3c4] Subject".
type printedCommit struct{ id, subject string }

// longestOutput is how much of what a command printed is looked through.
const longestOutput = 1 << 18

// outputTexts are what a command printed.
func outputTexts(result jscan.Value) (texts []string) {
	if result.Kind() == jscan.String {
		texts = append(texts, result.Str())
	}
	for _, holder := range []jscan.Value{result, result.Get("success"), result.Get("result"), result.Get("failure"), result.Get("error")} {
		for _, name := range []string{"output", "stdout", "interleavedOutput", "stderr", "contents", "content", "result", "text"} {
			if v := holder.Get(name); v.Kind() == jscan.String {
				texts = append(texts, v.Str())
			}
		}
	}
	return texts
}

func printedCommits(texts []string) (list []printedCommit) {
	seen := map[string]bool{}
	for _, text := range texts {
		for l := range strings.Lines(text[:min(len(text), longestOutput)]) {
			if c, ok := printedCommitLine(strings.TrimRight(l, "\r\n")); ok && !seen[c.id] {
				seen[c.id] = true
				list = append(list, c)
			}
		}
	}
	return list
}

func printedCommitLine(l string) (c printedCommit, ok bool) {
	l = strings.TrimSpace(l)
	if !strings.HasPrefix(l, "[") {
		return c, false
	}
	head, rest, found := strings.Cut(l[1:], "] ")
	if !found {
		return c, false
	}
	id := head[strings.LastIndexByte(head, ' ')+1:]
	if len(id) == len(head) || len(id) < 4 || len(id) > 64 || strings.Trim(id, "0123456789abcdef") != "" {
		return c, false
	}
	return printedCommit{id: id, subject: strings.TrimSpace(rest)}, true
}
