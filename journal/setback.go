package journal

import (
	"slices"
	"strings"

	"github.com/retold-history/retold"
)

// setback reports whether an edit only undoes others, of whatever file.
func (k editKind) setback() bool { return k >= editRevert && k <= editDrop }

// setbacks reads a git command that throws work away that was not committed, or
// puts it aside.
func setbacks(words []string) (edits []textEdit) {
	words, folder := words[1:], "."
	for len(words) > 1 && words[0] == "-C" {
		folder, words = inFolder(folder, words[1]), words[2:]
	}
	if len(words) == 0 {
		return nil
	}
	name, words := words[0], words[1:]
	switch name {
	case "checkout", "restore":
		for _, f := range reverted(name, words) {
			edits = append(edits, textEdit{path: inFolder(folder, f), kind: editRevert})
		}
	case "reset":
		if slices.Contains(words, "--hard") {
			edits = append(edits, textEdit{path: folder, kind: editReset})
		}
	case "stash":
		kind := editStash
		if len(words) > 0 {
			switch words[0] {
			case "push", "save", "-u", "--include-untracked", "-a", "--all", "-q", "--quiet", "-m":
			case "pop", "apply":
				kind = editPop
			case "drop", "clear":
				kind = editDrop
			default:
				return nil
			}
		}
		edits = append(edits, textEdit{path: folder, kind: kind})
	}
	return edits
}

// reverted are the files that git checkout or git restore brings back as they were
// committed last.
func reverted(name string, words []string) (files []string) {
	dashes := slices.Index(words, "--")
	staged, tree := false, false
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case dashes >= 0 && i > dashes:
			files = append(files, w)
		case w == "--":
		case w == "-S" || w == "--staged":
			staged = true
		case w == "-W" || w == "--worktree":
			tree = true
		case w == "-f" || w == "--force" || w == "-q" || w == "--quiet" || w == "--source=HEAD" || w == "HEAD":
		case w == "-s" && i+1 < len(words) && words[i+1] == "HEAD", w == "--source" && i+1 < len(words) && words[i+1] == "HEAD":
			i++
		case strings.HasPrefix(w, "-"):
			return nil // another branch, a part, another commit's
		case dashes >= 0:
			return nil // another commit's
		case name == "restore" || w == "." || i == len(words)-1 && strings.Contains(w[strings.LastIndexByte(w, '/')+1:], "."):
			files = append(files, w)
		default:
			return nil // a branch
		}
	}
	if staged && !tree {
		return nil
	}
	return files
}

// failed reports whether a shell call says that it failed.
func failed(t *retold.ToolCall) bool { return t.ExitCode != nil && *t.ExitCode != 0 }

// setBack makes a setback happen to what stands in the working tree.
func (b *book) setBack(by *placed) {
	for _, g := range b.order {
		for _, p := range g.edits {
			if !p.applied || p.place != by.place {
				continue
			}
			if by.kind == editRevert {
				if _, in := below(b.pathKey(p.rel), b.pathKey(by.rel), false); !in && by.rel != "" {
					continue
				}
			}
			for c := range p.state {
				for i, state := range p.state[c] {
					p.state[c][i] = by.after(state, g)
				}
			}
		}
	}
}

// after is what becomes of a line by a setback. git leaves files alone that it does
// not know, and takes them away when they were added: which, nobody says.
func (p *placed) after(state byte, g *ground) byte {
	switch {
	case p.kind == editPop && state == lineStashed:
		return lineLive
	case p.kind == editDrop && state == lineStashed && !p.weak:
		return lineReverted
	case p.kind == editPop || p.kind == editDrop || state != lineLive:
		return state
	case p.kind == editStash:
		return lineStashed
	case g.last == 0 && len(g.edits) > 0 && !g.known():
		if p.kind == editRevert {
			return lineLive
		}
		return lineDoubted
	case p.weak:
		return lineDoubted
	}
	return lineReverted
}

// known reports whether the file was there before the first edit of it.
func (g *ground) known() bool { return g.edits[0].kind == editDiff || g.edits[0].kind == editAppend }
