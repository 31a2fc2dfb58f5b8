package change

import "strings"

// parsePS takes a line of ps apart: the program and its arguments, separated by
// blanks that may also stand in names ("Application Support").
func parsePS(pid int, command string) process {
	p := process{pid: pid, args: strings.Fields(command)}
	program, _, _ := strings.Cut(command, " --")
	if _, rest, ok := strings.Cut(program, "/Contents/MacOS/"); ok {
		if i := strings.LastIndex(rest, "/Contents/MacOS/"); i >= 0 { // a helper inside the bundle
			rest = rest[i+len("/Contents/MacOS/"):]
		}
		p.name = rest
	} else if len(p.args) > 0 {
		p.name = p.args[0][strings.LastIndexByte(p.args[0], '/')+1:]
	}
	if _, rest, ok := strings.Cut(command, "--user-data-dir="); ok { // up to the next flag, blanks and all
		rest, _, _ = strings.Cut(rest, " --")
		p.args = append(p.args, "--user-data-dir", rest)
		for i, arg := range p.args {
			if strings.HasPrefix(arg, "--user-data-dir=") {
				p.args[i] = ""
			}
		}
	}
	return p
}
