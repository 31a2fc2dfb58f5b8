package git

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// A setting is one of git's configuration, for one git process.
type setting struct{ key, value string }

// environment gives settings to git. In arguments ("-c key=value") a key with an
// equals sign in it could not be told from its value.
func environment(list []setting) (env []string) {
	if len(list) == 0 {
		return nil
	}
	env = append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(list)))
	for i, s := range list {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
	}
	return env
}

// noHooks has git run no hooks: for what is written.
var noHooks = []setting{{"core.hooksPath", os.DevNull}}

// foreignFilters are settings with which git runs no filter that the repository's
// own configuration names. One that the person, or the machine, has set up stays
// theirs.
func (r *Repo) foreignFilters(ctx context.Context) (list []setting, err error) {
	out, err := r.config(ctx, "--show-scope", "--get-regexp", `^filter\.`)
	if err != nil {
		return nil, err
	}
	theirs := map[string]string{} // the person's, by key
	var foreign []string
	for i := 0; i+1 < len(out); i += 2 {
		key, value, valued := strings.Cut(out[i+1], "\n")
		switch {
		case out[i] != "system" && out[i] != "global":
			foreign = append(foreign, key)
		case valued:
			theirs[key] = value
		default:
			theirs[key] = "true"
		}
	}
	for _, key := range foreign {
		value, ok := theirs[key]
		if !ok && strings.HasSuffix(key, ".required") {
			value = "false"
		}
		list = append(list, setting{key, value})
	}
	return list, nil
}

// option returns the error for a revision that git would take for an option.
func option(rev string) error {
	if strings.HasPrefix(rev, "-") {
		return fmt.Errorf("no revision begins with a dash, as %q does: %w", rev, ErrNotFound)
	}
	return nil
}
