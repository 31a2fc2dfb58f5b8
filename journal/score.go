package journal

import (
	"cmp"
	"context"
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
	weighRemoved  = 3.0  // a removal by the agent that the commit makes
	weighReplaced = 2.0  // work on what an earlier turn wrote
	weighCommand  = 10.0 // the conversation made the commit: decisive
	weighPath     = 1.5  // the same file, other lines; once per file
	weighSays     = 5.0  // the agent's own record
	weighAnswer   = 2.5  // code that was shown, not written
	weighWords    = 0.5  // the commit's message names what was talked about
	weighTime     = 0.5  // at the right time: never enough
	weighBranch   = 0.5  // on the right branch: never enough

	enough     = 3.0 // for ClassLinked
	something  = 1.0 // for ClassPossible
	manyLines  = 3   // telling lines that are no chance, from however long ago
	alike      = 0.5 // sessions whose scores differ by no more tie
	mostPaths  = 4   // files counted with weighPath
	changeSize = 8   // telling lines of a change beyond which one or two are a remnant
)

// A tally is the evidence for one turn.
type tally struct {
	key     turnKey
	lines   map[uint64]bool            // telling lines of the commit that it wrote
	small   int                        // lines that are known by their whole change
	files   map[string]map[string]bool // messages by file of lines
	counts  map[string]int             // lines by file
	cut     map[string]map[uint64]bool // telling lines removed, by file
	cutBy   map[string]bool
	gone    []string // files deleted or moved
	goneBy  map[string]bool
	paths   map[string]map[string]bool // files touched without a line, with the messages
	commits []*commitRun
	said    []Said
	answers map[uint64]bool
	far     bool // lines of it come from before the strict window
	remnant bool // every line of it is one of few left of a larger change
	source  byte
	rivalry int // lines that another session explains as well
}

// A reckoning weighs the evidence of a story.
type reckoning struct {
	st      *story
	tallies map[turnKey]*tally
	order   []turnKey
}

func (k *reckoning) tally(key turnKey) *tally {
	t := k.tallies[key]
	if t == nil {
		t = &tally{key: key, lines: map[uint64]bool{}, files: map[string]map[string]bool{}, counts: map[string]int{}, cut: map[string]map[uint64]bool{}, cutBy: map[string]bool{},
			goneBy: map[string]bool{}, paths: map[string]map[string]bool{}, answers: map[uint64]bool{}, remnant: true}
		k.tallies[key] = t
		k.order = append(k.order, key)
	}
	return t
}

func note(m map[string]map[string]bool, file, message string) {
	if m[file] == nil {
		m[file] = map[string]bool{}
	}
	m[file][message] = true
}

// reckon collects the evidence of a story, turn by turn.
func (st *story) reckon(ctx context.Context) (*reckoning, error) {
	k := &reckoning{st: st, tallies: map[turnKey]*tally{}}
	k.keep()
	for _, h := range st.hits {
		k.hit(h)
	}
	for _, h := range st.removals {
		k.removal(h)
	}
	k.files()
	if err := k.commands(ctx); err != nil {
		return nil, err
	}
	if err := k.says(ctx); err != nil {
		return nil, err
	}
	k.shown()
	return k, nil
}

// keep drops hits that chance explains: one or two lines of a session from before
// the strict window, or in what somebody else wrote.
func (k *reckoning) keep() {
	st := k.st
	needs := func(s spot) bool { return s.p.doubtful() || st.q.stranger(st.f) || !st.near(s.p, st.f) }
	distinct := map[*candidate]map[uint64]bool{}
	inHunk := map[[2]int]map[*candidate]int{}
	for _, h := range st.hits {
		l := st.line(h)
		if distinct[h.s.p.from] == nil {
			distinct[h.s.p.from] = map[uint64]bool{}
		}
		if l.plain {
			distinct[h.s.p.from][l.norm] = true
		}
		at := [2]int{h.file, h.hunk}
		if inHunk[at] == nil {
			inHunk[at] = map[*candidate]int{}
		}
		inHunk[at][h.s.p.from]++
	}
	enoughOf := func(h hit) bool {
		n := len(distinct[h.s.p.from])
		hunk := st.f.files[h.file].hunks[h.hunk]
		return n >= manyLines || n == 2 && !st.q.stranger(st.f) && inHunk[[2]int{h.file, h.hunk}][h.s.p.from]*10 >= len(hunk.added)*3 && len(hunk.added) >= 2 && st.f.committed-h.s.p.time <= longPast
	}
	st.hits = slices.DeleteFunc(st.hits, func(h hit) bool { return needs(h.s) && !enoughOf(h) })
	st.removals = slices.DeleteFunc(st.removals, func(h hit) bool { return st.discarded(h.s) })
	cut := map[*candidate]int{}
	for _, h := range st.removals {
		if st.removedLine(h).plain {
			cut[h.s.p.from]++
		}
	}
	st.removals = slices.DeleteFunc(st.removals, func(h hit) bool {
		return needs(h.s) && cut[h.s.p.from] < manyLines && len(distinct[h.s.p.from]) < manyLines
	})
}

// discarded reports whether a small removal came with lines of which none is in a
// commit or was changed again: it seems that the edit was taken back, and that
// somebody else removed the lines.
func (st *story) discarded(s spot) bool {
	c := s.p.changes[s.change]
	if plainLines(c.added) == 0 || plainLines(c.removed) >= manyLines {
		return false
	}
	for _, state := range s.p.state[s.change] {
		if state != lineLive && state != lineUnborn {
			return false
		}
	}
	return true
}

func (st *story) line(h hit) line        { return st.f.files[h.file].hunks[h.hunk].added[h.line] }
func (st *story) removedLine(h hit) line { return st.f.files[h.file].hunks[h.hunk].removed[h.line] }

func (k *reckoning) hit(h hit) {
	p := h.s.p
	t := k.tally(p.key())
	l, file := k.st.line(h), k.st.f.files[h.file].path
	if l.plain {
		t.lines[l.norm] = true
	}
	t.small++
	t.counts[file]++
	note(t.files, file, p.message)
	t.far = t.far || !k.st.near(p, k.st.f)
	t.remnant = t.remnant && plainLines(h.s.lines()) > changeSize
	t.source = max(t.source, timeRank(timeSources[p.from.work.turns[p.turn].source]))
	for other, n := range k.st.rivals[p] {
		if other != p.from {
			t.rivalry = max(t.rivalry, n)
		}
	}
}

func (k *reckoning) removal(h hit) {
	l := k.st.removedLine(h)
	if !l.plain {
		return
	}
	t, file := k.tally(h.s.p.key()), k.st.f.files[h.file].path
	if t.cut[file] == nil {
		t.cut[file] = map[uint64]bool{}
	}
	t.cut[file][l.norm] = true
	t.cutBy[h.s.p.message] = true
}

// files finds files that edits deleted, moved or touched as the commit does.
func (k *reckoning) files() {
	st := k.st
	late := st.f.committed + slack
	for n := range st.f.files {
		file := &st.f.files[n]
		g := st.book.ground(file.path)
		if g == nil || file.derived {
			continue
		}
		for _, p := range g.edits {
			if p.floor > late || p.doubtful() || !st.near(p, st.f) {
				continue
			}
			switch {
			case p.kind == editDelete && file.status == 'D', p.kind == editMove && file.old != "" && st.book.pathKey(p.rel) == st.book.pathKey(file.path) && st.book.pathKey(p.relFrom) == st.book.pathKey(file.old):
				if t := k.tally(p.key()); !st.q.stranger(st.f) && !slices.Contains(t.gone, file.path) {
					t.gone = append(t.gone, file.path)
					t.goneBy[p.message] = true
				}
			case st.q.stranger(st.f), p.floor > st.f.committed:
			default:
				if t := k.tally(p.key()); t.counts[file.path] == 0 && len(t.cut[file.path]) == 0 {
					note(t.paths, file.path, p.message)
				}
			}
		}
	}
}

// says adds what the agents' own records tell.
func (k *reckoning) says(ctx context.Context) error {
	if k.st.q.j.o.Says == nil {
		return nil
	}
	said, err := k.st.q.j.o.Says(ctx, k.st.q.repo, k.st.f.ID)
	if err != nil {
		return err
	}
	for _, s := range said {
		for _, c := range k.st.q.sessions {
			if c.ID != s.ConversationID || c.foreign || c.off(k.st.f) {
				continue
			}
			w, err := k.st.q.load(ctx, c)
			if err != nil {
				return err
			}
			if w == nil || len(w.turns) == 0 {
				continue
			}
			t := k.tally(turnKey{c, w.turnAt(k.st.f.committed)})
			t.said = append(t.said, s)
		}
	}
	return nil
}

// turnAt is the last turn that began before a time.
func (w *work) turnAt(ms int64) int {
	last := 0
	for i := range w.turns {
		if w.turns[i].start != 0 && w.turns[i].start <= ms {
			last = i
		}
	}
	return last
}

// shown finds code in answers that is in the commit and that no edit wrote.
func (k *reckoning) shown() {
	st := k.st
	if st.q.stranger(st.f) || bot(st.f.Author) {
		return
	}
	open := map[uint64]bool{}
	for n := range st.f.files {
		if st.f.files[n].derived {
			continue
		}
		for _, h := range st.f.files[n].hunks {
			for _, l := range h.added {
				if l.plain {
					open[l.norm] = true
				}
			}
		}
	}
	for _, h := range st.hits {
		delete(open, st.line(h).norm)
	}
	for _, c := range st.q.sessions {
		if len(open) == 0 || c.work == nil || c.weak || c.foreign {
			continue
		}
		for i := range c.work.turns {
			t := &c.work.turns[i]
			if t.orphan || t.start > st.f.committed+slack || t.end < st.start || t.end+longPast < st.f.committed {
				continue
			}
			found := map[uint64]bool{}
			for _, l := range t.answer {
				if open[l.norm] {
					found[l.norm] = true
				}
			}
			if len(found) >= manyLines {
				k.tally(turnKey{c, i}).answers = found
			}
		}
	}
}

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
		case EvidenceRemoved, EvidenceCommand, EvidenceCursor:
			strong = true
		}
	}
	k.lineEvidence(t, add)
	for _, c := range t.commits {
		add(EvidenceCommand, weighCommand, commandDetail(c), map[string]bool{c.message: true})
		break
	}
	for _, s := range t.said {
		add(EvidenceCursor, weighSays, "Cursor's own record names this conversation for "+cmp.Or(s.File, "the commit"), nil)
		break
	}
	k.weakEvidence(t, turn, add)
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
	default:
		weight = weighFew
	}
	for i, file := range files {
		detail := fmt.Sprintf("wrote %d of the %d lines added to %s", t.counts[file], k.linesOf(file), file)
		if i > 0 {
			weight = 0 // the lines count together
		}
		add(EvidenceAdded, weight, detail, t.files[file])
	}
	weight = weighRemoved
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
	if turn.start != 0 && turn.start <= k.st.f.committed+slack && max(turn.end, turn.start) >= k.st.start && turn.source <= timeRank(retold.TimeInterpolated) {
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
