package journal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retold-history/retold"
)

// What each kind of evidence weighs. A turn is linked from enough on, when
// something of it is in the commit's lines or made the commit itself.
const (
	weighAdded    = 6.0  // three lines, or most of a small change: more than chance
	weighFew      = 3.0  // one or two telling lines: enough by themselves when near
	weighRemnant  = 2.0  // one or two lines of a change of which little else is left
	weighChance   = 1.0  // one or two lines of many: chance does that
	weighRemoved  = 3.0  // a removal by the agent that the commit makes
	weighReplaced = 2.0  // work on what an earlier turn wrote
	weighCommand  = 10.0 // the conversation made the commit: decisive
	weighTried    = 2.0  // it may have: nothing says whether its git commit succeeded
	weighPath     = 1.5  // the same file, other lines; once per file
	weighSays     = 5.0  // the agent's own record
	weighAnswer   = 2.5  // code that was shown, not written
	weighWords    = 0.5  // the commit's message names what was talked about
	weighTime     = 0.5  // at the right time: never enough
	weighBranch   = 0.5  // on the right branch: never enough
	weighStranger = -2.0 // somebody else wrote the commit: it may be his own work

	enough     = 3.0 // for ClassLinked
	something  = 1.0 // for ClassPossible
	manyLines  = 3   // telling lines that are no chance, from however long ago
	alike      = 0.5 // sessions whose scores differ by no more tie
	mostPaths  = 4   // files counted with weighPath
	changeSize = 8   // telling lines of a change beyond which one or two are a remnant
)

// link weighs the evidence of one turn.
func (k *reckoning) link(t *tally) Link {
	turn := &t.key.from.work.turns[t.key.turn]
	l := Link{SessionID: t.key.from.ID, Agent: t.key.from.Agent, MessageID: turn.prompt, MessageIndex: turn.first, Key: t.key.from.Key, Last: turn.last}
	for _, n := range t.counts {
		l.Lines += n
	}
	strong := false
	add := func(kind EvidenceKind, weight float64, detail string, messages map[string]bool) {
		l.Evidence = append(l.Evidence, Evidence{Kind: kind, Weight: weight, Detail: detail, MessageIDs: k.ordered(t.key, messages)})
		l.Score += weight
		switch kind {
		case EvidenceAdded:
			strong = strong || weight > weighRemnant
		case EvidenceRemoved:
			strong = strong || weight > weighChance
		case EvidenceCursor:
			strong = strong || weight > 0
		case EvidenceCommand:
			strong = strong || weight >= weighCommand
		}
	}
	k.lineEvidence(t, add)
	if c := surest(t.commits); c != nil {
		add(EvidenceCommand, c.weight(), c.detail(), map[string]bool{c.run.message: true})
	}
	t.saidEvidence(strong, add)
	k.weakEvidence(t, turn, add)
	if k.st.q.stranger(k.st.f) && strong && len(t.commits) == 0 {
		strong = false
		add(EvidenceContra, weighStranger, fmt.Sprintf("%s <%s> wrote the commit, not the user of this repository", k.st.f.Author.Name, k.st.f.Author.Email), nil)
	}
	switch {
	case strong && l.Score >= enough:
		l.Class = ClassLinked
	case l.Score >= something && k.substance(&l):
		l.Class = ClassPossible
	default:
		l.Class = ClassNone
	}
	l.Uncertain = t.rivalry*2 >= max(1, len(t.lines)) && t.rivalry > 0
	return l
}

// substance reports whether anything but time, branch and words speaks for a link.
func (k *reckoning) substance(l *Link) bool {
	return slices.ContainsFunc(l.Evidence, func(e Evidence) bool {
		return e.Kind != EvidenceTime && e.Kind != EvidenceBranch && e.Kind != EvidenceWords
	})
}

func (k *reckoning) lineEvidence(t *tally, add func(EvidenceKind, float64, string, map[string]bool)) {
	files := sortedKeys(t.counts)
	weight := 0.0
	switch share := k.share(t); {
	case len(files) == 0:
	case len(t.lines) >= manyLines || len(t.lines) > 0 && share >= 0.3 && !t.remnant:
		weight = weighAdded
	case t.remnant && len(t.lines) > 0:
		weight = weighRemnant
	case t.weighty || len(t.lines) == 0:
		weight = weighFew
	default:
		weight = weighChance
	}
	if t.old && weight > weighChance && k.share(t) < 0.5 && (len(t.lines) < manyLines || k.left(t) >= 2*len(t.lines)) {
		weight = weighChance
	}
	for i, file := range files {
		detail := fmt.Sprintf("wrote %d of the %d lines added to %s", t.counts[file], k.linesOf(file), file)
		if i > 0 {
			weight = 0 // the lines count together
		}
		add(EvidenceAdded, weight, detail, t.files[file])
	}
	weight = weighRemoved
	if few := 0; !t.cutMuch {
		for _, lines := range t.cut {
			few += len(lines)
		}
		if few < manyLines {
			weight = weighChance
		}
	}
	for _, file := range sortedKeys(t.cut) {
		add(EvidenceRemoved, weight, fmt.Sprintf("removed %s of %s that the commit removes", lineCount(len(t.cut[file])), file), t.cutBy)
		weight = 0
	}
	if len(t.gone) > 0 {
		add(EvidenceRemoved, max(weight, weighRemoved), "deleted or moved "+strings.Join(t.gone, ", "), t.goneBy)
	}
}

// share is the part of the lines added to its files that a turn wrote.
func (k *reckoning) share(t *tally) float64 {
	wrote, all := 0, 0
	for file, n := range t.counts {
		wrote += n
		all += k.linesOf(file)
	}
	if all == 0 {
		return 0
	}
	return float64(wrote) / float64(all)
}

// left counts the telling lines that a turn's edits left in the files of its lines.
func (k *reckoning) left(t *tally) int {
	norms := map[uint64]bool{}
	for file := range t.counts {
		g := k.st.book.ground(file)
		if g == nil {
			continue
		}
		for _, p := range g.edits {
			if p.key() != t.key {
				continue
			}
			for _, c := range p.changes {
				for _, l := range c.added {
					if l.plain && !l.stood {
						norms[l.norm] = true
					}
				}
			}
		}
	}
	return len(norms)
}

func (k *reckoning) linesOf(path string) int {
	for i := range k.st.f.files {
		if k.st.f.files[i].path == path {
			return k.st.f.files[i].lines
		}
	}
	return 0
}

func (k *reckoning) weakEvidence(t *tally, turn *turn, add func(EvidenceKind, float64, string, map[string]bool)) {
	if n := len(k.st.replaced[t.key]); n > 0 {
		add(EvidenceReplaced, weighReplaced, "wrote "+lineCount(n)+" of an earlier commit that this one removes", nil)
	}
	paths := sortedKeys(t.paths)
	for _, file := range paths[:min(len(paths), mostPaths)] {
		add(EvidencePath, weighPath, "edited "+file+", other lines", t.paths[file])
	}
	if n := len(t.answers); n > 0 {
		add(EvidenceAnswer, weighAnswer, "showed "+lineCount(n)+" that the commit adds", nil)
	}
	for w := range tellingWords(k.st.f.Message) {
		if _, ok := slices.BinarySearch(turn.words, w); ok {
			add(EvidenceWords, weighWords, "speaks of what the commit's message names", nil)
			break
		}
	}
	if turn.start != 0 && turn.start <= k.st.f.committed+tick && max(turn.end, turn.start) >= k.st.start && turn.source <= timeRank(retold.TimeInterpolated) {
		add(EvidenceTime, weighTime, "between the commit before and this one", nil)
	}
	if b := t.key.from.Branch; b != "" && b == k.st.branch {
		add(EvidenceBranch, weighBranch, "on the branch "+b, nil)
	}
}

// ordered are messages in the order of the session.
func (k *reckoning) ordered(key turnKey, messages map[string]bool) (list []string) {
	seen := map[string]bool{}
	w := key.from.work
	for i := range w.edits {
		if id := w.edits[i].message; messages[id] && !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	for _, id := range sortedKeys(messages) {
		if !seen[id] {
			list = append(list, id)
		}
	}
	return list
}

func lineCount(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
