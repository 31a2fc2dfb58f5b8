package library

import (
	"cmp"
	"slices"

	"github.com/retold-history/retold"
)

// richness orders the stores of one session: the IDE's own record knows tool
// results, edits and times; the command line's store all but some times; a
// transcript neither results nor times.
func richness(source string) int {
	switch source {
	case "composer":
		return 0
	case "chatdata":
		return 1
	case "store", "acp", "sdk":
		return 2
	case "transcript":
		return 4
	case "prompts", "generations":
		return 5
	}
	return 3
}

// richer orders two headers of one session, the backbone first: something said
// before nothing, then by store, then the one touched last (a copy of the same
// store elsewhere on the machine is older).
func richer(a, b retold.Header) int {
	if a.Empty != b.Empty {
		if a.Empty {
			return 1
		}
		return -1
	}
	return cmp.Or(rank(a.Session)-rank(b.Session), b.Touched().Compare(a.Touched()), cmp.Compare(a.Ref.Place, b.Ref.Place))
}

func rank(s retold.Session) int {
	if len(s.Sources) == 0 {
		return richness("")
	}
	return richness(s.Sources[0])
}

// inOrder puts the names of stores richest first, so that they stand the same
// way however a session was found.
func inOrder(sources []string) {
	slices.SortFunc(sources, func(a, b string) int { return cmp.Or(richness(a)-richness(b), cmp.Compare(a, b)) })
}

// mergeHeaders makes one header of the headers of one session, richest first.
// The first is kept and the others fill what it does not know. The count of
// messages stays open when more than one store holds any, because only reading
// them tells what they have in common.
func mergeHeaders(hs []retold.Header) retold.Header {
	out := hs[0]
	out.Sources = slices.Clone(out.Sources)
	for _, h := range hs[1:] {
		fill(&out.Session, h.Session)
		out.Problems += h.Problems
		out.Stamp += "\n" + h.Stamp
		out.Draft = out.Draft || h.Draft
		if !h.Empty {
			out.MessageCount = -1
		}
	}
	inOrder(out.Sources)
	return out
}

// fill takes from other what s does not know.
func fill(s *retold.Session, other retold.Session) {
	for _, name := range other.Sources {
		if !slices.Contains(s.Sources, name) {
			s.Sources = append(s.Sources, name)
		}
	}
	s.Title = cmp.Or(s.Title, other.Title)
	if s.WorkspacePath == "" {
		s.WorkspacePath, s.WorkspaceName = other.WorkspacePath, cmp.Or(other.WorkspaceName, s.WorkspaceName)
	}
	s.WorkspaceName = cmp.Or(s.WorkspaceName, other.WorkspaceName)
	if s.CreatedAt.IsZero() && s.UpdatedAt.IsZero() {
		s.TimeSource = other.TimeSource
		if other.CreatedAt.IsZero() && other.UpdatedAt.IsZero() {
			s.TimeSource = ""
		}
	}
	if s.CreatedAt.IsZero() {
		s.CreatedAt = other.CreatedAt
	}
	if s.UpdatedAt.IsZero() {
		s.UpdatedAt = other.UpdatedAt
	}
	s.FirstMessagePreview = cmp.Or(s.FirstMessagePreview, other.FirstMessagePreview)
	s.Model = cmp.Or(s.Model, other.Model)
	s.Mode = cmp.Or(s.Mode, other.Mode)
	s.Branch = cmp.Or(s.Branch, other.Branch)
	s.LinesAdded = cmp.Or(s.LinesAdded, other.LinesAdded)
	s.LinesRemoved = cmp.Or(s.LinesRemoved, other.LinesRemoved)
	s.FilesChanged = cmp.Or(s.FilesChanged, other.FilesChanged)
	s.Tokens = cmp.Or(s.Tokens, other.Tokens)
	s.ParentID = cmp.Or(s.ParentID, other.ParentID)
}

// mergeDetails makes one session of what several stores hold of it, richest
// first. A store without messages yields to one that has some; the messages of
// the backbone are kept as they are, and what it lacks altogether comes after
// them, marked Recovered and in the order of the conversation.
func mergeDetails(ds []*retold.SessionDetail) *retold.SessionDetail {
	ds = slices.Clone(ds)
	slices.SortStableFunc(ds, func(a, b *retold.SessionDetail) int {
		return min(len(b.Messages), 1) - min(len(a.Messages), 1)
	})
	out := *ds[0]
	out.Sources = slices.Clone(out.Sources)
	var others [][]retold.Message
	for _, d := range ds[1:] {
		fill(&out.Session, d.Session)
		others = append(others, d.Messages)
		out.ProblemList = append(slices.Clip(out.ProblemList), d.ProblemList...)
	}
	if len(others) > 0 {
		out.Messages = graft(out.Messages, others...)
	}
	for i := range out.Messages {
		out.Messages[i].Index = i
	}
	out.MessageCount = len(out.Messages)
	out.Problems = len(out.ProblemList)
	inOrder(out.Sources)
	return &out
}
