package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/library"
)

type exportOptions struct {
	filterFlags
	all    bool
	format string
	output string
	tools  string
	only   []string
	utc    bool
	force  bool
}

const exportLong = `Export sessions as Markdown, JSON, JSONL, text, HTML or CSV. Choose them by number
or id, or take all with --all, to which filters apply.

One session goes to stdout unless -o names a file or a folder. Several go to a
folder, one file each, or into one stream with "-o -", or into one file whose
name ends like the format (-o all.jsonl). Without --format the ending of the
file decides, else Markdown (JSON with --json).

The same sessions give the same bytes every time. A file that is there already
and differs is kept, and the command fails, unless --force is given.`

func (a *app) exportCommand() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use: "export [SESSION…] | --all", Short: "sessions as Markdown, HTML, JSON, JSONL, CSV or text", Long: exportLong,
		Example: `  retold export 1 > session.md
  retold export 1 2 3 --format html -o sessions/
  retold export --all --since 30d -w . -o docs/sessions
  retold export --all --format jsonl -o - | wc -l`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.all && len(args) > 0:
				return usage(cmd, "name sessions or give --all, not both")
			case !o.all && len(args) == 0:
				return usage(cmd, "export wants sessions, or --all")
			}
			return nil
		},
		ValidArgsFunction: a.completeSessions(0),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.export(cmd, o, args) },
	}
	o.add(a, cmd)
	f := cmd.Flags()
	f.BoolVarP(&o.all, "all", "a", false, "all sessions that fit the filters")
	f.StringVarP(&o.format, "format", "f", "", "write as `FORMAT` md, json, jsonl, text, html or csv")
	f.StringVarP(&o.output, "output", "o", "", "write to the file or folder `PATH`, or - for stdout")
	f.StringVar(&o.tools, "tools", "short", "show tool calls in md, text and html `HOW`: short, full or none")
	f.StringSliceVar(&o.only, "only", nil, "only messages of these `ROLES`")
	f.BoolVar(&o.utc, "utc", false, "times in UTC in md, text and html instead of this machine's zone")
	f.BoolVar(&o.force, "force", false, "replace files that differ")
	complete(cmd, "format", names(export.Formats)...)
	complete(cmd, "tools", "short", "full", "none")
	complete(cmd, "only", names(retold.Roles)...)
	return cmd
}

func (a *app) export(cmd *cobra.Command, o exportOptions, args []string) error {
	if !o.all && o.given() {
		return usage(cmd, "filters choose among all sessions: give --all with them")
	}
	format, err := o.pickFormat(cmd, a.json, len(args) == 1)
	if err != nil {
		return err
	}
	options, err := o.options(cmd)
	if err != nil {
		return err
	}
	to, err := o.target(cmd, len(args) == 1, a.tty, format)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	sessions, total, err := a.chosen(ctx, l, o, args)
	if err != nil {
		return err
	}
	options.Reveal = a.veil.lifted
	options.Masked = func(n int) { a.veil.masked += n }
	e := exporter{app: a, format: format, options: options, force: o.force, total: total}
	if o.all {
		if e.unlisted, err = l.Problems(ctx); err != nil {
			return err
		}
		a.problems += len(e.unlisted)
	}
	defer a.progress("")
	switch to {
	case toStdout:
		err = e.stream(a.out, sessions, len(args) == 1)
	case toFile:
		err = e.file(o.output, sessions, len(args) == 1)
	default:
		err = e.folder(o.output, sessions)
	}
	a.progress("")
	a.mention(e.unlisted)
	return err
}

// pickFormat takes the flag, else the ending of the file, else Markdown.
func (o *exportOptions) pickFormat(cmd *cobra.Command, json, one bool) (export.Format, error) {
	if o.format != "" {
		return export.ParseFormat(o.format)
	}
	if ending := strings.TrimPrefix(filepath.Ext(o.output), "."); ending != "" {
		if f, err := export.ParseFormat(ending); err == nil {
			return f, nil
		}
		info, err := os.Stat(o.output)
		if plain := err != nil || info.Mode().IsRegular(); one && plain && !os.IsPathSeparator(o.output[len(o.output)-1]) {
			return "", usage(cmd, fmt.Sprintf("no format ends in .%s (known are .%s); name one with --format", ending, strings.Join(names(export.Formats), ", .")))
		}
	}
	if json && (o.output == "" || o.output == "-") {
		return export.JSON, nil
	}
	return export.Markdown, nil
}

func (o *exportOptions) options(cmd *cobra.Command) (export.Options, error) {
	out := export.Options{Location: time.Local}
	if o.utc {
		out.Location = time.UTC
	}
	var err error
	if out.Tools, err = export.ParseTools(o.tools); err != nil {
		return out, err
	}
	for _, r := range o.only {
		if !slices.Contains(retold.Roles, retold.Role(r)) {
			return out, usage(cmd, fmt.Sprintf("there is no role %q; the roles are %s", r, strings.Join(names(retold.Roles), ", ")))
		}
		out.Roles = append(out.Roles, retold.Role(r))
	}
	return out, nil
}

// destination is what an export is written to.
type destination int

const (
	toStdout destination = iota
	toFile
	toFolder
)

// target decides what -o means.
func (o *exportOptions) target(cmd *cobra.Command, one, tty bool, format export.Format) (destination, error) {
	switch {
	case o.output == "-":
		return toStdout, nil
	case o.output == "" && !one && tty:
		return 0, usage(cmd, "several sessions want a folder: -o DIR (or -o - to print them all)")
	case o.output == "":
		return toStdout, nil
	}
	info, err := os.Stat(o.output)
	folder := err == nil && info.IsDir()
	switch {
	case folder, os.IsPathSeparator(o.output[len(o.output)-1]):
		return toFolder, nil
	case one:
		return toFile, nil
	}
	if f, err := export.ParseFormat(strings.TrimPrefix(filepath.Ext(o.output), ".")); err == nil && f == format {
		return toFile, nil
	}
	if err == nil {
		return 0, usage(cmd, fmt.Sprintf("several sessions want a folder, and %s is a file", o.output))
	}
	return toFolder, nil
}

// chosen returns the sessions to export and how many there are (0 when nobody
// has counted them). All selectors are looked up before the first is read.
func (a *app) chosen(ctx context.Context, l *library.Library, o exportOptions, args []string) (iter.Seq2[*retold.SessionDetail, error], int, error) {
	if o.all {
		f, err := o.filter(ctx, l)
		if err != nil {
			return nil, 0, err
		}
		headers, err := l.Headers(ctx, f)
		return l.Each(ctx, f), len(headers), err
	}
	var ids []string
	for _, arg := range args {
		h, err := l.Find(ctx, arg)
		if err != nil {
			return nil, 0, err
		}
		if !slices.Contains(ids, h.ID) {
			ids = append(ids, h.ID)
		}
	}
	return func(yield func(*retold.SessionDetail, error) bool) {
		for _, id := range ids {
			if !yield(l.Show(ctx, id)) {
				return
			}
		}
	}, len(ids), nil
}

// given reports whether any filter was asked for.
func (o *filterFlags) given() bool {
	lists := len(o.agents) + len(o.workspaces) + len(o.models) + len(o.branches) + len(o.titles) + len(o.roles) + len(o.tools) + len(o.files) + len(o.has)
	return lists > 0 || o.since != "" || o.until != "" || o.empty
}

// errKept says that files were not replaced.
var errKept = errors.New("there already, with other content, and kept")
