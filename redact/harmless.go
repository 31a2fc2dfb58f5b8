package redact

import "strings"

// random reports whether a value of n bytes or more looks like nothing a person
// or a program would call something.
func random(v string, n int) bool {
	if len(v) < n || placeholder(v) || address(v) {
		return false
	}
	least := 3.0
	if len(v) < 20 {
		least = 2.7
	}
	return entropy(v) >= least && mixed(v)
}

// examples are parts of values that stand for a value.
var examples = []string{
	"example", "placeholder", "changeme", "change-me", "change_me", "change_this", "your", "****", "....", "redacted", "dummy", "insert", "replace", "process.env", "os.environ", "getenv", "import.meta",
}

// placeholder reports whether a value stands for a secret and is none: a name
// for it, a reference to it, a row of crosses, or a mask.
func placeholder(v string) bool {
	if v == "" {
		return true
	}
	switch v[0] {
	case '$', '<', '{', '%', '*', '(':
		if len(v) < 2 || v[0] != '$' && v[0] != '%' && v[0] != '*' || alnum(v[1]) && !mixed(v) || strings.IndexByte("{(<%*_", v[1]) >= 0 {
			return true
		}
	case '[':
		if strings.HasPrefix(v, "[masked") {
			return true
		}
	}
	for _, part := range [...]string{"${", "{{", "$(", "...", "…", "•", "xxxx", "XXXX"} {
		if strings.Contains(v, part) {
			return true
		}
	}
	for _, start := range [...]string{"op://", "arn:", "secrets.", "env."} {
		if strings.HasPrefix(v, start) {
			return true
		}
	}
	for _, e := range examples {
		if containsFold(v, e) {
			return true
		}
	}
	same := 1
	for same < len(v) && v[same] == v[0] {
		same++
	}
	return same == len(v)
}

// usual reports whether everybody knows a value.
func usual(v string) bool { return len(v) < 20 && words().usual[strings.ToLower(v)] }

// address reports whether a value is a URL, a path or the like, in which secrets
// have rules of their own.
func address(v string) bool {
	if strings.Contains(v, "://") || strings.Contains(v, `:\/\/`) || strings.HasPrefix(v, "data:") || strings.HasPrefix(v, "sha256") || strings.HasPrefix(v, "sha512-") || strings.HasPrefix(v, "sha1-") {
		return true
	}
	// A path has many separators, or an ending.
	parts := strings.Count(v, "/")
	return parts > 0 && (strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || strings.HasPrefix(v, "@/") || strings.HasPrefix(v, "~/") || v[0] == '/' && parts > 1 && len(v)/parts < 14) ||
		parts > 2 && len(v)/parts < 12
}

// identifier reports whether v could be a name in a program.
func identifier(v string) bool {
	for i := range len(v) {
		if !word(v[i]) && v[i] != '.' {
			return false
		}
	}
	return v != "" && kind(v[0]) != 3
}

// code reports whether a value without quotes is an expression of a program and
// no value.
func code(v string) bool {
	v = strings.TrimLeft(v, "&*")
	if strings.ContainsAny(v, "([{") {
		return true
	}
	if !identifier(v) {
		return false
	}
	digits, dots := 0, 0
	for i := range len(v) {
		if digit(v[i]) {
			digits++
		} else if v[i] == '.' {
			dots++
		}
	}
	return digits == 0 && (len(v) <= 20 || !mixed(v)) || dots > 0 && digits < 4
}

// inChecksum reports whether what begins at i goes on a checksum that the
// hyphens and underscores of its base64 seem to divide: sha256=ab-fw_….
func inChecksum(s string, i int) bool {
	if i == 0 || s[i-1] != '-' && s[i-1] != '_' {
		return false
	}
	from := i
	for from > 0 && i-from < 64 && word(s[from-1]) {
		from--
	}
	if from == 0 || s[from-1] != '=' {
		from = strings.Index(s[from:i], "sha") + from // sha256-…
	} else {
		from -= len("sha256=")
	}
	return from >= 0 && (strings.HasPrefix(s[from:], "sha256") || strings.HasPrefix(s[from:], "sha512") || strings.HasPrefix(s[from:], "sha384"))
}
