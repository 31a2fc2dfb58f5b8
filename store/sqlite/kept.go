package sqlite

import "github.com/retold-history/retold"

// keptVersion begins the body of a session's row.
const keptVersion = 1

// encodeKept writes what a list shows of a session: all but its problems and
// the memory of its parts.
func encodeKept(k *retold.Kept) []byte {
	e := &encoder{b: make([]byte, 0, 512)}
	e.byte(keptVersion)
	e.session(&k.Session)
	e.str(k.Key.Family)
	e.str(k.Key.ID)
	e.bool(k.Empty)
	e.bool(k.Draft)
	e.bool(k.Pending)
	e.int(k.Revision)
	if k.Parts == nil {
		e.uint(0)
		return e.b
	}
	e.uint(uint64(len(k.Parts)) + 1)
	for i := range k.Parts {
		p := &k.Parts[i]
		e.session(&p.Session)
		e.str(p.Ref.Agent)
		e.str(p.Ref.Place)
		e.str(p.Ref.ID)
		e.str(p.Stamp)
		e.bool(p.Empty)
		e.bool(p.Draft)
		e.bool(p.Gone)
	}
	return e.b
}

// decodeKept reads what encodeKept wrote. withParts false leaves Parts nil.
func decodeKept(b string, withParts bool) (*retold.Kept, error) {
	d := &decoder{b: b}
	if d.byte() != keptVersion {
		return nil, errDamaged
	}
	k := &retold.Kept{Session: d.session()}
	k.Key = retold.Key{Family: d.str(), ID: d.str()}
	k.Empty, k.Draft, k.Pending, k.Revision = d.bool(), d.bool(), d.bool(), d.int()
	if !withParts {
		return k, d.err()
	}
	n := d.count()
	if n < 0 {
		return k, d.err()
	}
	k.Parts = make([]retold.Part, 0, min(n, 64))
	for range n {
		var p retold.Part
		p.Session = d.session()
		p.Ref = retold.Ref{Agent: d.str(), Place: d.str(), ID: d.str()}
		p.Stamp = d.str()
		p.Empty, p.Draft, p.Gone = d.bool(), d.bool(), d.bool()
		k.Parts = append(k.Parts, p)
	}
	return k, d.err()
}

func (e *encoder) session(s *retold.Session) {
	e.str(s.ID)
	e.str(s.Agent)
	e.strs(s.Sources)
	e.str(s.Title)
	e.str(s.WorkspacePath)
	e.str(s.WorkspaceName)
	e.int(int64(s.MessageCount))
	e.time(s.CreatedAt)
	e.time(s.UpdatedAt)
	e.str(string(s.TimeSource))
	e.str(s.FirstMessagePreview)
	e.str(s.Model)
	e.str(s.Mode)
	e.str(s.Branch)
	e.optional(s.LinesAdded)
	e.optional(s.LinesRemoved)
	e.optional(s.FilesChanged)
	e.bool(s.Tokens != nil)
	if s.Tokens != nil {
		e.int(s.Tokens.Input)
		e.int(s.Tokens.Output)
	}
	e.str(s.ParentID)
	e.bool(s.Archived)
	e.bool(s.Gone)
	e.int(int64(s.Problems))
}

func (d *decoder) session() (s retold.Session) {
	s.ID, s.Agent, s.Sources = d.str(), d.str(), d.strs()
	s.Title, s.WorkspacePath, s.WorkspaceName = d.str(), d.str(), d.str()
	s.MessageCount = int(d.int())
	s.CreatedAt, s.UpdatedAt = d.time(), d.time()
	s.TimeSource = retold.TimeSource(d.str())
	s.FirstMessagePreview, s.Model, s.Mode, s.Branch = d.str(), d.str(), d.str(), d.str()
	s.LinesAdded, s.LinesRemoved, s.FilesChanged = d.optional(), d.optional(), d.optional()
	if d.bool() {
		s.Tokens = &retold.Tokens{Input: d.int(), Output: d.int()}
	}
	s.ParentID = d.str()
	s.Archived, s.Gone = d.bool(), d.bool()
	s.Problems = int(d.int())
	return s
}

// encodeMemory writes the memories of the parts, in their order.
func encodeMemory(parts []retold.Part) []byte {
	var e encoder
	for i := range parts {
		e.bytes(parts[i].Memory)
	}
	return e.b
}

func decodeMemory(b string, parts []retold.Part) error {
	d := &decoder{b: b}
	for i := range parts {
		parts[i].Memory = d.bytes()
	}
	return d.err()
}

func encodeProblems(list []retold.Problem) []byte {
	if list == nil {
		return nil
	}
	var e encoder
	e.uint(uint64(len(list)) + 1)
	for _, p := range list {
		e.str(p.Path)
		e.str(p.Key)
		e.str(p.Kind)
		e.str(p.Reason)
	}
	return e.b
}

func decodeProblems(b string) ([]retold.Problem, error) {
	if b == "" {
		return nil, nil
	}
	d := &decoder{b: b}
	n := d.count()
	if n < 0 {
		return nil, d.err()
	}
	list := make([]retold.Problem, 0, min(n, 64))
	for range n {
		list = append(list, retold.Problem{Path: d.str(), Key: d.str(), Kind: d.str(), Reason: d.str()})
	}
	return list, d.err()
}
