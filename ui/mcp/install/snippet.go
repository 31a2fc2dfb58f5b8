package install

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// A Way is one way to give the server to a client by hand.
type Way struct {
	What string `json:"what"` // in a few words
	Text string `json:"text"` // a command, an address, or what to put into the file
}

// Ways are the ways there are, what goes into the configuration first. Quote
// quotes a word for the person's shell.
func (c Client) Ways(s Server, quote func(string) string) []Way {
	ways := []Way{{What: "configuration", Text: c.snippet(s)}}
	words := func(args ...string) string {
		for i, a := range args {
			args[i] = quote(a)
		}
		return strings.Join(args, " ")
	}
	compact := (&jsonEdit{}).render(s.fields(false), "", false)
	switch c.ID {
	case "cursor":
		query := url.Values{"name": {Name}, "config": {base64.StdEncoding.EncodeToString([]byte(compact))}}
		ways = append(ways, Way{"link", "cursor://anysphere.cursor-deeplink/mcp/install?" + query.Encode()})
	case "claude-code":
		args := []string{"claude", "mcp", "add", "--scope", "user", Name}
		for _, v := range s.Env {
			args = append(args, "--env", v.Name+"="+v.Value)
		}
		ways = append(ways, Way{"command", words(append(append(args, "--", s.Command), s.Args...)...)})
	case "codex":
		args := []string{"codex", "mcp", "add", Name}
		for _, v := range s.Env {
			args = append(args, "--env", v.Name+"="+v.Value)
		}
		ways = append(ways, Way{"command", words(append(append(args, "--", s.Command), s.Args...)...)})
	case "vscode":
		named := (&jsonEdit{}).render(append([]field{{"name", Name}}, s.fields(false)...), "", false)
		ways = append(ways,
			Way{"command", words("code", "--add-mcp", named)},
			Way{"link", "vscode:mcp/install?" + url.PathEscape(named)})
	}
	return ways
}

// snippet is a configuration that holds the server alone.
func (c Client) snippet(s Server) string {
	path, fields := []string{c.container, Name}, s.fields(c.typed)
	set := func() ([]byte, error) { return setJSON(nil, false, path, fields, nil) }
	if c.toml {
		set = func() ([]byte, error) { return setTOML(nil, path, fields, nil) }
	}
	text, err := set()
	if err != nil {
		panic(err) // putting an entry into an empty configuration cannot fail
	}
	return string(text)
}
