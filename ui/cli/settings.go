package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
)

// settings are what flags, environment and config.toml say together: a flag
// wins over the environment, and that over the file.
type settings struct {
	Home       setting // retold's own folder
	Library    librarySetting
	Config     setting // the file that was read, or would be
	CursorUser setting
	CursorHome setting
	Color      setting
	Pager      setting
	AI         aiConfig // the model that journal --ai asks
	strict     bool
}

// A setting is a value and where it comes from: "flag", "environment",
// "config", "default".
type setting struct {
	name    string
	value   string
	from    string
	folders []string // of a setting that is a list of folders
}

// A librarySetting says where the library is. Folders that are named for one
// command have libraries of their own, apart from the main one, so that a look
// into somebody's backup does not mix with one's own history.
type librarySetting struct {
	home  string
	apart bool
}

// path is the library's file, or the folder of the libraries of folders that are
// named for one command.
func (s librarySetting) path() string {
	if s.apart {
		return filepath.Join(s.home, "apart")
	}
	return filepath.Join(s.home, "library.db")
}

// configFile is config.toml.
type configFile struct {
	CursorUser folderList `toml:"cursor_user"`
	CursorHome folderList `toml:"cursor_home"`
	Color      string     `toml:"color"`
	Pager      *string    `toml:"pager"`
	AI         aiConfig   `toml:"ai"`
}

// folderList is one folder or an array of them.
type folderList []string

// UnmarshalTOML reads a string or an array of strings.
func (l *folderList) UnmarshalTOML(data any) error {
	items, ok := data.([]any)
	if !ok {
		items = []any{data}
	}
	for _, item := range items {
		s, ok := item.(string)
		if !ok {
			return errors.New("wants a folder or an array of folders")
		}
		*l = append(*l, s)
	}
	return nil
}

// configure settles the settings for cmd.
func (a *app) configure(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	s := &a.settings
	s.strict = a.flags.strict
	a.settles = slices.ContainsFunc(settling, func(name string) bool { return cmd.Name() == name || cmd.HasParent() && cmd.Parent().Name() == name })
	if err := noEmptyFlag(cmd); err != nil {
		return err
	}
	if a.flags.reveal {
		if err := a.mayReveal(); err != nil {
			return err
		}
		a.veil.lifted = true
	}
	s.Home = setting{name: "home", value: a.env.RetoldHome(), from: source("default", false, a.env.Var("RETOLD_HOME") != "")}
	s.Config = setting{name: "config", value: filepath.Join(s.Home.value, "config.toml"), from: s.Home.from}
	if changed("config") {
		s.Config = setting{name: "config", value: a.flags.config, from: "flag"}
	}
	file, err := readConfig(s.Config)
	if err != nil {
		return err
	}
	s.Library.home, s.AI = s.Home.value, file.AI
	s.CursorUser = a.folders("cursor-user", changed, a.flags.cursorUser, "RETOLD_CURSOR_USER", file.CursorUser)
	s.CursorHome = a.folders("cursor-home", changed, a.flags.cursorHome, "RETOLD_CURSOR_HOME", file.CursorHome)
	s.Library.apart = s.CursorUser.forNow() || s.CursorHome.forNow()
	if a.flags.demo {
		s.Library.apart = false
		if changed("cursor-user") || changed("cursor-home") {
			return &retold.Error{Code: retold.CodeUsage, Err: errors.New("--demo and --cursor-user or --cursor-home exclude each other")}
		}
		home := demoAt(demoDir())
		s.Library.home = filepath.Join(demoDir(), "retold")
		s.CursorUser = setting{"cursor-user", home.CursorUser, "flag", []string{home.CursorUser}}
		s.CursorHome = setting{"cursor-home", home.CursorHome, "flag", []string{home.CursorHome}}
	}
	s.Color = setting{name: "color", value: "auto", from: "default"}
	switch {
	case changed("color"):
		s.Color.value, s.Color.from = a.flags.color, "flag"
	case a.env.Var("NO_COLOR") != "":
		s.Color.value, s.Color.from = "never", "environment"
	case file.Color != "":
		s.Color.value, s.Color.from = file.Color, "config"
	}
	if !slices.Contains([]string{"auto", "always", "never"}, s.Color.value) {
		wrong := &retold.Error{Code: retold.CodeUsage, Err: fmt.Errorf("color is %q", s.Color.value), Hint: "choose one of auto, always, never"}
		if s.Color.from != "config" {
			return wrong
		}
		wrong.Op, wrong.Path = "read", s.Config.value
		if cmd.Name() != "version" && cmd.Name() != "config" { // these help to find out what is wrong
			return wrong
		}
		a.note("%v; %s", wrong, wrong.Hint)
	}
	s.Pager = setting{name: "pager", value: "less -R", from: "default"}
	if pager, set := os.LookupEnv("PAGER"); set {
		s.Pager.value, s.Pager.from = pager, "environment"
	} else if file.Pager != nil {
		s.Pager.value, s.Pager.from = *file.Pager, "config"
	}
	a.paint(s.Color.value, a.env.Var)
	return nil
}

// forNow reports whether a setting was made for this command and not for good.
func (s setting) forNow() bool { return s.from == "flag" || s.from == "environment" }

func source(otherwise string, flag, environment bool) string {
	switch {
	case flag:
		return "flag"
	case environment:
		return "environment"
	}
	return otherwise
}

// folders settles a setting that is a list of folders; in the environment it is
// written as PATH is.
func (a *app) folders(flag string, changed func(string) bool, given []string, variable string, file folderList) setting {
	s := setting{name: flag, from: "default"}
	switch {
	case changed(flag):
		s.folders, s.from = given, "flag"
	case a.env.Var(variable) != "":
		s.folders, s.from = filepath.SplitList(a.env.Var(variable)), "environment"
	case len(file) > 0:
		s.folders, s.from = file, "config"
	}
	for i, f := range s.folders {
		s.folders[i] = a.env.Expand(f)
	}
	s.value = strings.Join(s.folders, string(filepath.ListSeparator))
	return s
}

// readConfig reads config.toml. That it is not there is fine unless it was
// named by a flag; a key it does not know is an error that names it.
func readConfig(where setting) (configFile, error) {
	var file configFile
	bad := func(err error) error {
		return &retold.Error{Code: retold.CodeUsage, Op: "read", Path: where.value, Err: err, Hint: "see `retold config --help` for the keys there are"}
	}
	data, err := os.ReadFile(where.value)
	switch {
	case (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && where.from != "flag":
		return file, nil
	case err != nil:
		return file, bad(errors.Unwrap(err))
	}
	meta, err := toml.Decode(string(data), &file)
	if err != nil {
		return file, bad(err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return file, bad(fmt.Errorf("unknown key %q", unknown[0].String()))
	}
	return file, nil
}
