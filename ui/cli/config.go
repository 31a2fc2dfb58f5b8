package cli

import "github.com/spf13/cobra"

const configLong = `Print the settings in force and where each comes from. A flag wins over the
environment, and the environment over config.toml in RETOLD_HOME.

  flag           environment          config.toml
  --cursor-user  RETOLD_CURSOR_USER   cursor_user = "…" or ["…", "…"]
  --cursor-home  RETOLD_CURSOR_HOME   cursor_home = "…" or ["…", "…"]
  --color        NO_COLOR             color = "auto" | "always" | "never"
                 PAGER                pager = "less -R", "" for none
                 RETOLD_HOME

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
	list := []setting{s.Home, s.Config, s.CursorUser, s.CursorHome, s.Color, s.Pager}
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
			if v.name == "pager" {
				value = "none"
			}
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
