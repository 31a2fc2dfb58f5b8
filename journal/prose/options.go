package prose

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// DefaultTimeout is how long one call may take when nothing else is said.
const DefaultTimeout = 2 * time.Minute

// Options say which model is asked, and how.
type Options struct {
	Kind     string        // the protocol: one of Kinds
	URL      string        // the server's address up to its version; "": where the protocol's maker serves it
	Model    string        // the model's name; required
	KeyEnv   string        // the variable of the environment that holds the key; "": no key is sent
	Timeout  time.Duration // of one call; 0: DefaultTimeout
	Insecure bool          // plain http to other machines is allowed

	// Mask masks the secrets in JSON before anything is sent; required.
	Mask func(json.RawMessage) json.RawMessage
	// Getenv reads the environment; nil: os.Getenv.
	Getenv func(string) string
}

// Kinds are the protocols there are.
func Kinds() []string { return []string{"anthropic", "ollama", "openai"} }

// New checks options and returns a writer; it reads no key and connects to nothing.
// What is wrong with the options is a *retold.Error with CodeUsage.
func New(o Options) (*Writer, error) {
	wrong := func(format string, args ...any) error {
		return &retold.Error{Code: retold.CodeUsage, Op: "configure the model", Err: fmt.Errorf(format, args...), Hint: "see `retold config --help` for [ai] in config.toml"}
	}
	if !slices.Contains(Kinds(), o.Kind) {
		return nil, wrong("kind is %q, not one of %s", o.Kind, strings.Join(Kinds(), ", "))
	}
	w := &Writer{o: o, protocol: protocols()[o.Kind]}
	switch {
	case o.Mask == nil:
		return nil, wrong("nothing would mask secrets")
	case strings.TrimSpace(o.Model) == "" || clean(o.Model) != o.Model:
		return nil, wrong("model names no model")
	case o.KeyEnv != "" && !variableName().MatchString(o.KeyEnv): // it may be the key itself: never repeat it
		return nil, wrong("key_env wants the name of an environment variable in capitals, as OPENAI_API_KEY, not the key")
	case o.Timeout < 0 || o.Timeout > time.Hour:
		return nil, wrong("timeout is %v, not between 0 and 1h", o.Timeout)
	}
	if o.Timeout == 0 {
		w.o.Timeout = DefaultTimeout
	}
	if o.Getenv == nil {
		w.o.Getenv = os.Getenv
	}
	address, why := endpoint(w.protocol, o.URL, o.Insecure)
	if why != "" {
		return nil, wrong("url %s", why)
	}
	w.url = address
	w.client = newClient(w.o.Timeout)
	return w, nil
}

// variableName is what the variable that holds a key is called.
func variableName() *regexp.Regexp { return regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,99}$`) }

// endpoint is the address that is asked; why says what is wrong with the one given.
// The address is printed, so nothing secret may stand in it.
func endpoint(p protocol, given string, insecure bool) (address, why string) {
	if given == "" {
		given = p.home
	}
	u, err := url.Parse(given)
	switch {
	case err != nil: // its error repeats the address
		return "", "is no address"
	case u.User != nil:
		return "", "holds a name or password: name the key's variable with key_env"
	case u.RawQuery != "" || u.Fragment != "":
		return "", "holds a query or fragment"
	case u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", "is not http://… or https://…"
	case u.Scheme == "http" && !insecure && !loopback(u.Hostname()):
		return "", fmt.Sprintf("is plain http to %s, where others can read along: use https, or allow it with insecure = true", u.Hostname())
	}
	path := strings.TrimRight(u.Path, "/")
	if !strings.HasSuffix(path, p.path) {
		if !strings.HasSuffix(path, p.version) && (path == "" || p.versioned) {
			path += p.version
		}
		path += p.path
	}
	u.Path, u.RawPath = path, ""
	return u.String(), ""
}
