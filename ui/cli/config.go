package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

const configLong = `Print the settings in force and where each comes from. A flag wins over the
environment, and the environment over config.toml in RETOLD_HOME.

  flag           environment          config.toml
  --cursor-user  RETOLD_CURSOR_USER   cursor_user = "…" or ["…", "…"]
  --cursor-home  RETOLD_CURSOR_HOME   cursor_home = "…" or ["…", "…"]
  --color        NO_COLOR             color = "auto" | "always" | "never"
                 PAGER                pager = "less -R", "" for none
                 RETOLD_HOME          the folder of config.toml and the library

The library is library.db in RETOLD_HOME. Folders that a flag or the environment
names have libraries of their own below apart/. Beside a library lies its journal:
journal.db, and journal-cache.db, which can be deleted.

Below [ai] stands the model that "retold journal ... --ai" asks; without it, or
without --ai, nothing is sent anywhere:

  kind = "openai" | "anthropic" | "ollama"   the protocol, whoever speaks it
  model = "..."                              the model's name
  url = "https://..."                        by default where its maker serves it
  key_env = "OPENAI_API_KEY"                 the variable that holds the key; the key
                                             itself is kept nowhere
  timeout = "2m"                             of one call
  insecure = true                            plain http, even to other machines

In the environment several folders are written like PATH. In a pipe every line
holds name, value and origin, separated by tabs.`

func (a *app) configCommand() *cobra.Command {
	return &cobra.Command{
		Use: "config", Short: "the settings in force, and where each comes from", Long: configLong, Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.config() },
	}
}

func (a *app) config() error {
	s := a.settings
	at := setting{name: "library", value: s.Library.path(), from: s.Home.from}
	list := []setting{s.Home, s.Config, at, s.CursorUser, s.CursorHome, s.Color, s.Pager, s.AI.setting()}
	if a.json {
		type row struct {
			Name   string  `json:"name"`
			Value  *string `json:"value"`
			Source string  `json:"source"`
		}
		rows := make([]row, 0, len(list))
		for _, v := range list {
			r := row{Name: v.name, Source: v.from}
			if v.value != "" {
				r.Value = &v.value
			}
			rows = append(rows, r)
		}
		return a.printJSON(map[string]any{"settings": rows})
	}
	t := table{columns: []column{{title: "SETTING", paint: a.style.bold}, {title: "FROM", paint: a.style.dim}, {title: "VALUE"}}}
	for _, v := range list {
		value := v.value
		if value == "" && a.tty {
			value = "found by system"
			if v.name == "pager" || v.name == "ai" {
				value = "none"
			}
		}
		if v.name == "library" && a.tty {
			value += " (" + weight(value) + ")"
		}
		if a.tty {
			t.add(v.name, v.from, value)
		} else {
			t.add(v.name, value, v.from)
		}
	}
	a.print(&t)
	return nil
}

// weight is the size of a library with its log, or of all in a folder.
func weight(path string) string {
	var bytes int64
	files := 0
	add := func(path string) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
			files++
		}
	}
	add(path + "-wal")
	_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error { // what cannot be read is not counted
		if err == nil && d.Type().IsRegular() && !strings.HasSuffix(path, ".lock") {
			add(path)
		}
		return nil
	})
	if files == 0 {
		return "not there yet"
	}
	return size(bytes)
}
