package journal_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A talk is one conversation, before it is written in one of Cursor's forms.
type talk struct {
	name, id, shape, branch string
	workspace               string // path or address of the folder, or of a .code-workspace
	seen                    string // where the agent sees the folder; "" where it is
	parent                  *talk
	scenario                string
	times                   string // "none": messages have no times of their own
	turns                   int
	rewound                 bool // what is said now will be taken back
	steps                   []said
}

// said is one thing said or done.
type said struct {
	kind          string // "user", "assistant", "edit", "write", "delete", "shell", "read", "task"
	at            time.Time
	text          string
	path          string // as the agent writes it
	before, after string // the whole file
	hunks         [][]hunkLine
	tool          string // "", "patch", "multi"
	store         string // where Cursor kept the outcome: "", "chunks", "args"
	status        string // "", "rejected", "error", "cancelled", "pending"
	command       string
	output        string
	exit          int
	child         *talk
	orphan        bool // a checkpoint before it was restored: stored, and no longer said
}

// turn names the turn that is on; what is taken back is nobody's.
func (t *talk) turn() string {
	if t.rewound {
		return ""
	}
	return fmt.Sprintf("%s#%d", t.name, t.turns)
}

func corpusID(parts ...string) string {
	sum := sha256.Sum256([]byte("retold corpus " + strings.Join(parts, "/")))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// talk plays what is said and done in conversations.
func (st *stage) talk(c cue) error {
	who := c.args[0]
	switch c.verb {
	case "session":
		return st.open(who, c)
	case "prompt":
		t := st.talks[who]
		if t == nil {
			return fmt.Errorf("no session %s", who)
		}
		if t.rewound = c.attr["orphan"] != ""; !t.rewound {
			t.turns++
		}
		return st.tell(who, said{kind: "user", text: strings.TrimSpace(c.body)})
	case "chatter": // turns of talk about nothing in particular
		return st.chatter(who, c.args[1])
	case "say":
		return st.tell(who, said{kind: "assistant", text: strings.TrimSpace(c.body)})
	case "read":
		return st.tell(who, said{kind: "read", path: c.args[1], text: st.text(c.args[1])})
	case "task":
		child := st.talks[c.args[1]]
		if child == nil {
			return fmt.Errorf("no session %s", c.args[1])
		}
		return st.tell(who, said{kind: "task", text: strings.TrimSpace(c.body), child: child})
	}
	command, output, _ := strings.Cut(strings.TrimSpace(c.body), "\n!! ")
	command = strings.TrimPrefix(command, "$ ")
	if c.attr["run"] != "" {
		printed, err := st.shell(command)
		if err != nil {
			return err
		}
		output = printed
		if err := st.sync(who); err != nil {
			return err
		}
	}
	s := said{kind: "shell", command: command, output: output, status: c.attr["status"]}
	if code := c.attr["exit"]; code != "" {
		n, err := strconv.Atoi(code)
		if err != nil {
			return err
		}
		s.exit = n
	}
	return st.tell(who, s)
}

func (st *stage) open(name string, c cue) error {
	t := &talk{
		name: name, id: corpusID(st.s.name, name), shape: c.attr["shape"], branch: c.attr["branch"], scenario: st.s.name,
		workspace: st.here.dir, seen: c.attr["sees"], times: c.attr["times"],
	}
	if t.shape == "" {
		t.shape = "table"
	}
	if w := c.attr["workspace"]; w != "" {
		t.workspace = st.address(w)
	}
	if p := c.attr["parent"]; p != "" {
		if t.parent = st.talks[p]; t.parent == nil {
			return fmt.Errorf("no session %s", p)
		}
		t.id = "task-toolu_01" + strings.ReplaceAll(t.id, "-", "")[:22]
	}
	st.talks[name] = t
	st.order = append(st.order, t)
	if strings.HasSuffix(t.workspace, ".code-workspace") && strings.TrimSpace(c.body) != "" {
		return os.WriteFile(t.workspace, []byte(c.body), 0o644)
	}
	return nil
}

// address opens {root}, and {hex:…}, in which the name of a container is kept.
func (st *stage) address(w string) string {
	if before, rest, ok := strings.Cut(w, "{container:"); ok {
		host, after, _ := strings.Cut(rest, "}")
		return before + fmt.Sprintf("%x", `{"hostPath":"`+filepath.Join(st.root, host)+`"}`) + after
	}
	if strings.Contains(w, "{root}") {
		return strings.ReplaceAll(w, "{root}", st.root)
	}
	if strings.Contains(w, "://") || strings.HasPrefix(w, "/") {
		return w
	}
	return filepath.Join(st.root, w)
}

// tell adds to a conversation what happens now.
func (st *stage) tell(who string, s said) error {
	t := st.talks[who]
	if t == nil {
		return fmt.Errorf("no session %s", who)
	}
	if t.turns == 0 && !t.rewound {
		return fmt.Errorf("session %s has no prompt yet", who)
	}
	s.at, s.orphan = st.now, t.rewound
	if s.path != "" {
		s.path = strings.ToValidUTF8(cmp.Or(t.seen, st.here.dir)+"/"+s.path, "�")
	}
	t.steps = append(t.steps, s)
	return nil
}

// chatter is many turns of questions, answers and files read, a minute each.
func (st *stage) chatter(who, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	for i := range n {
		st.now = st.now.Add(time.Minute)
		if t := st.talks[who]; t != nil {
			t.turns++
		}
		for _, s := range []said{
			{kind: "user", text: fmt.Sprintf("And what about case %d of %s?", i, who)},
			{kind: "shell", command: fmt.Sprintf("go test -run Case%d ./...", i), output: "ok"},
			{kind: "assistant", text: fmt.Sprintf("Case %d holds: nothing to change.", i)},
		} {
			if err := st.tell(who, s); err != nil {
				return err
			}
		}
	}
	return nil
}
