package hook

import (
	"context"
	"path/filepath"
	"runtime"

	"github.com/retold-history/retold/journal/hook/spool"
)

// InstallOptions say what is to be put into hooks.
type InstallOptions struct {
	Program Program
	Manage  bool // write too where others share the file, or a program writes it
}

// PlanInstall says what would be done to the hooks of the repository that a folder
// lies in; Apply does it. It writes nothing. A hook that is not to be touched is ByHand, with the reason and
// the line to add. What cannot be read is an error.
func PlanInstall(ctx context.Context, dir string, o InstallOptions) (*Hooks, error) {
	h, err := survey(ctx, dir)
	if err != nil {
		return nil, err
	}
	if o.Manage && h.Manager == Lefthook {
		return h, h.planLefthook()
	}
	for _, kind := range spool.Kinds {
		p, err := h.planHook(kind, o)
		if err != nil {
			return nil, err
		}
		h.Hooks = append(h.Hooks, p)
	}
	if within(h.Dir, h.Repo) && !within(h.Dir, h.common) && h.Manager == "" {
		h.Notes = append(h.Notes, "the hooks are part of the working tree, and the line in them holds paths of this machine: think twice before you commit them")
	}
	return h, nil
}

// planHook plans one hook.
func (h *Hooks) planHook(kind string, o InstallOptions) (Hook, error) {
	path := filepath.Join(h.Dir, kind)
	if h.Manager == Husky {
		path = filepath.Join(h.Repo, ".husky", kind)
	}
	now, err := hold(path)
	p := Hook{Event: kind, Path: path, target: now.target, before: now.text}
	if err != nil {
		return p, err
	}
	text := ""
	if now.text != nil {
		text = *now.text
	}
	rest, found, err := split(text)
	if found != nil {
		p.Binary = binaryOf(found.lines)
	}
	switch reason := h.refused(now, rest, o.Manage); {
	case err != nil:
		p.refuse(err.Error())
	case found != nil && found.version > blockVersion:
		p.refuse("a later retold wrote what is in it")
	case reason != "":
		p.refuse(reason)
	case h.Manager != "" && !o.Manage && found == nil:
		p.refuse(string(h.Manager) + " writes the hooks of this repository")
		p.AddTo, p.Line = h.Manager.byHand(h.Repo, kind)
		if then := h.Manager.then(kind); then != "" {
			p.Reason += "; add the line and " + then
		}
		return p, nil
	}
	if p.State == ByHand {
		p.Line = o.Program.line(kind, true)
		if found != nil {
			p.Line = ""
		}
		return p, nil
	}
	h.chain(&p, rest, found, o)
	return p, nil
}

func (p *Hook) refuse(reason string) { p.State, p.Reason = ByHand, reason }

// refused says why a hook is left as it is; "" when it is not.
func (h *Hooks) refused(now held, rest string, manage bool) string {
	switch {
	case h.Shared && !manage:
		return "other repositories share this folder of hooks; to write there: --manage"
	case now.text == nil:
		return ""
	case foreign(rest) != "":
		return foreign(rest)
	case now.linked && !manage:
		return "it is a link to " + now.target + "; to write there: --manage"
	case runtime.GOOS != "windows" && now.mode&0o111 == 0 && h.Manager != Husky:
		return "git does not run it: it is not executable"
	case now.mode&0o200 == 0:
		return "it is write-protected"
	}
	return ""
}

// chain puts the block into what the file holds besides.
func (h *Hooks) chain(p *Hook, rest string, found *block, o InstallOptions) {
	var b block
	if found != nil {
		b.made, b.folder = found.made, found.folder
	} else if p.before == nil {
		b.made, b.folder = true, !exists(filepath.Dir(p.target))
		p.folder = b.folder
		rest = fresh
	}
	if p.Chained = consequent(rest); p.Chained {
		p.Reason = endsEarly(rest)
		if h.Manager == Husky && p.Reason == "" {
			p.Reason = "husky ends it at the first error"
		}
		p.First = p.Reason != ""
	}
	b.lines = o.Program.line(p.Event, p.First)
	p.Binary = o.Program.Path
	if h.Manager == Husky {
		b.lines, p.Binary = portable(p.Event), ""
	}
	after := insert(rest, b, p.First)
	p.after = &after
	switch {
	case p.before != nil && *p.before == after:
		p.State, p.after = Unchanged, p.before
	case found != nil:
		p.State = Updated
	default:
		p.State = Installed
	}
}

// fresh is what a hook is that holds nothing.
const fresh = "#!/bin/sh\n"

// planLefthook plans the one file in which lefthook takes additions of a person.
func (h *Hooks) planLefthook() error {
	path := filepath.Join(h.Repo, localFile)
	now, err := hold(path)
	if err != nil {
		return err
	}
	text := ""
	if now.text != nil {
		text = *now.text
	}
	rest, found, err := split(text)
	lines, refused := lefthookLines(rest)
	if err != nil {
		refused = err.Error()
	}
	for i, kind := range spool.Kinds {
		p := Hook{Event: kind, Path: path, Chained: consequent(rest), target: now.target, before: now.text, after: now.text}
		switch after := insert(rest, block{lines: lines, made: now.text == nil || found != nil && found.made}, false); {
		case refused != "":
			p.refuse(refused)
			p.AddTo, p.Line = h.Manager.byHand(h.Repo, kind)
		case text == after:
			p.State = Unchanged
		case i == 0: // the one that writes the file
			p.State, p.after = Installed, &after
		default:
			p.State = Installed
		}
		if p.State == Installed && found != nil {
			p.State = Updated
		}
		if p.State == Installed || p.State == Updated {
			p.Reason = h.Manager.then(kind)
		}
		h.Hooks = append(h.Hooks, p)
	}
	return nil
}
