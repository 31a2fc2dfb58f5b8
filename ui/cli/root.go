package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
)

// globalFlags hold for every command.
type globalFlags struct {
	cursorUser []string
	cursorHome []string
	color      string
	config     string
	strict     bool
	demo       bool
	reveal     bool
	backup     string
	identity   []string
}

const rootLong = `retold reads every conversation you had with Cursor on this machine: the IDE of
every generation, the command line agent and its transcripts. It never writes
there unless that is what a command is for (migrate, import, recover, undo,
restore). What it reads it keeps in a library of its own, which answers at once and
outlives what the editors delete.

A session is chosen by its number in "retold list", by its id, or by the first
characters (4 or more) of its id. The number is its place in the whole listing,
newest first, so it stays the same under every filter.

No Cursor here? Try it on a made-up history: retold --demo list`

const rootExample = `  retold                          the newest sessions
  retold list -w . --since 7d     this folder's sessions of the last week
  retold show 1                   read the newest one
  retold search "race condition"  find what was said and done
  retold export 1 -o session.md   keep it
  retold doctor                   what was found where, and what was not readable`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:                        "retold",
		Short:                      "every conversation you had with a coding agent",
		Long:                       rootLong,
		Example:                    rootExample,
		Args:                       a.noSuchCommand,
		SuggestionsMinimumDistance: 2,
		SilenceErrors:              true,
		SilenceUsage:               true,
		CompletionOptions:          cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRunE:          func(cmd *cobra.Command, _ []string) error { return a.configure(cmd) },
		RunE:                       func(cmd *cobra.Command, _ []string) error { return a.newest(cmd.Context()) },
	}
	f := root.PersistentFlags()
	f.StringArrayVar(&a.flags.cursorUser, "cursor-user", nil, "Cursor's `FOLDER` of user data (User) instead of the usual places; repeatable")
	f.StringArrayVar(&a.flags.cursorHome, "cursor-home", nil, "the `FOLDER` of Cursor's command line (~/.cursor); repeatable")
	f.BoolVar(&a.flags.demo, "demo", false, "use a made-up history instead of this machine's")
	f.StringVar(&a.flags.backup, "backup", "", "read from this backup `FILE` instead of this machine's history")
	f.StringArrayVar(&a.flags.identity, "identity", nil, "the `FILE` of an age identity that opens an encrypted backup; repeatable")
	f.BoolVar(&a.json, "json", false, "print JSON, errors included")
	f.StringVar(&a.flags.color, "color", "auto", "colours `WHEN`: auto, always or never")
	f.StringVar(&a.flags.config, "config", "", "read this `FILE` instead of config.toml in RETOLD_HOME")
	f.BoolVar(&a.flags.reveal, "reveal", false, "show secrets instead of masking them; only for a person at a terminal")
	f.BoolVar(&a.flags.strict, "strict", false, "exit 3 when something could not be read")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, err.Error()) })
	root.AddGroup(&cobra.Group{ID: "read", Title: "Conversations:"}, &cobra.Group{ID: "library", Title: "The library:"}, &cobra.Group{ID: "agents", Title: "For agents:"}, &cobra.Group{ID: "machine", Title: "This machine and retold:"})
	root.SetHelpCommandGroupID("machine")
	for _, c := range []*cobra.Command{
		a.listCommand(), a.showCommand(), a.searchCommand(), a.exportCommand(), a.workspacesCommand(), a.statsCommand(), a.watchCommand(),
	} {
		c.GroupID = "read"
		root.AddCommand(c)
	}
	for _, c := range []*cobra.Command{a.syncCommand(), a.forgetCommand()} {
		c.GroupID = "library"
		root.AddCommand(c)
	}
	root.AddGroup(&cobra.Group{ID: "keep", Title: "Backups:"})
	for _, c := range []*cobra.Command{a.backupCommand(), a.backupsCommand(), a.verifyCommand(), a.restoreCommand()} {
		c.GroupID = "keep"
		root.AddCommand(c)
	}
	root.AddGroup(&cobra.Group{ID: "change", Title: "Cursor's own files:"})
	for _, c := range []*cobra.Command{a.migrateCommand(), a.importCommand(), a.recoverCommand(), a.undoCommand()} {
		c.GroupID = "change"
		root.AddCommand(c)
	}
	root.AddGroup(&cobra.Group{ID: "commits", Title: "Commits:"})
	for _, c := range []*cobra.Command{a.whyCommand(), a.journalCommand()} {
		c.GroupID = "commits"
		root.AddCommand(c)
	}
	agents := a.mcpCommand()
	agents.GroupID = "agents"
	root.AddCommand(agents)
	for _, c := range []*cobra.Command{a.doctorCommand(), a.demoCommand(), a.configCommand(), a.completionCommand(), a.versionCommand()} {
		c.GroupID = "machine"
		root.AddCommand(c)
	}
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Short = "help about any command"
			c.Run, c.RunE = nil, a.help
		}
	}
	complete(root, "color", "auto", "always", "never")
	return root
}

// complete offers fixed values for a flag of cmd. It panics when there is no
// such flag, which every run would show.
func complete(cmd *cobra.Command, flag string, values ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err)
	}
}

// noSuchCommand refuses what is neither a command nor a flag.
func (a *app) noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := usage(cmd, fmt.Sprintf("there is no command %q", args[0]))
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		e.Hint = fmt.Sprintf("did you mean `retold %s`?", strings.Join(near, "` or `retold "))
	}
	return e
}

// help prints the help of the command that args name.
func (a *app) help(cmd *cobra.Command, args []string) error {
	about, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return usage(cmd.Root(), fmt.Sprintf("there is no command %q", strings.Join(args, " ")))
	}
	about.InitDefaultHelpFlag()
	return about.Help()
}

// usage is the error of a command line that cannot be understood.
func usage(cmd *cobra.Command, reason string) *retold.Error {
	return &retold.Error{Code: retold.CodeUsage, Err: errors.New(reason), Hint: "see `" + cmd.CommandPath() + " --help`"}
}

// noEmptyFlag refuses a file or folder that was named by nothing at all: a variable
// that is not set must not mean the place where things lie by default.
func noEmptyFlag(cmd *cobra.Command) error {
	for _, name := range []string{"output", "to", "to-home", "backup"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return usage(cmd, "--"+name+" names nothing")
		}
	}
	return nil
}

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(cmd, fmt.Sprintf("%s takes no argument, but got %q", cmd.Name(), args[0]))
	}
	return nil
}
