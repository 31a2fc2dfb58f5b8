package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/library"
)

type watchOptions struct {
	filterFlags
	tail int
}

const watchLong = `Follow sessions as they are written: a line for each message, until interrupted.
A message is told within a second of being stored. One that grows, like an answer
that is being streamed, is told again.

In a pipe every line holds, separated by tabs: time noticed (ISO, UTC), kind
("session" for a new one, "message", "update" for a message that changed), session
number, session id, message number, role, tool, title, first line. With --json
every line is an object with time, kind, session and message (null for a new
session).`

func (a *app) watchCommand() *cobra.Command {
	var o watchOptions
	cmd := &cobra.Command{
		Use: "watch", Short: "follow sessions live as they are written", Long: watchLong, Args: noArgs,
		Example: "  retold watch -w .\n  retold watch --role user --tail 20\n  retold watch --has error --json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.watch(cmd, o) },
	}
	o.add(a, cmd)
	cmd.Flags().IntVar(&o.tail, "tail", 0, "begin with the last `N` messages")
	return cmd
}

func (a *app) watch(cmd *cobra.Command, o watchOptions) error {
	if o.tail < 0 || o.tail > retold.MaxLimit {
		return usage(cmd, fmt.Sprintf("--tail is 0 to %d", retold.MaxLimit))
	}
	ctx := cmd.Context()
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	f, err := o.filter(ctx, l)
	if err != nil {
		return err
	}
	t := teller{voice: &a.voice}
	last, err := lastMessages(ctx, l, f, o.tail)
	if err != nil {
		return err
	}
	for _, e := range last {
		if err := t.tell(e); err != nil {
			return err
		}
	}
	err = l.Watch(ctx, library.WatchOptions{Filter: f, Started: func() {
		if a.tty {
			a.note("watching; Ctrl-C ends it")
		}
	}}, t.tell)
	if ctx.Err() != nil {
		return errEnded
	}
	return err
}

// lastMessages returns the last n messages that a filter wants as events, the
// last one last.
func lastMessages(ctx context.Context, l *library.Library, f retold.Filter, n int) ([]library.Event, error) {
	if n == 0 {
		return nil, nil
	}
	spoken := f
	if len(spoken.Roles) == 0 {
		spoken.Roles = retold.Roles // any message, but no title
	}
	page, err := l.Search(ctx, retold.Query{Filter: spoken}, n, 0)
	if err != nil {
		return nil, err
	}
	wanted := map[string]map[string]bool{} // ids of messages by session
	var order []string
	for _, h := range page.Data {
		if wanted[h.SessionID] == nil {
			wanted[h.SessionID] = map[string]bool{}
			order = append(order, h.SessionID)
		}
		wanted[h.SessionID][h.MessageID] = true
	}
	var out []library.Event
	for _, id := range order {
		d, err := l.Show(ctx, id)
		if errors.Is(err, retold.ErrSessionNotFound) {
			continue // forgotten meanwhile
		}
		if err != nil {
			return nil, err
		}
		for i := range d.Messages {
			if m := &d.Messages[i]; wanted[id][m.ID] {
				out = append(out, library.Event{Time: m.Timestamp, Kind: "message", Session: d.Session, Message: m})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b library.Event) int { return a.Time.Compare(b.Time) })
	return out, nil
}

// A teller tells events as they come.
type teller struct {
	*voice
	day  string // of the last line
	last string // the message whose line is the last on the terminal
}

func (t *teller) tell(e library.Event) error {
	e = t.veil.event(e)
	switch {
	case t.json:
		return t.printLine(e)
	case t.tty:
		t.person(e)
	default:
		t.pipe(e)
	}
	return t.flush()
}

func (t *teller) pipe(e library.Event) {
	session, index, role, tool := "", "", "", ""
	if e.Session.Index > 0 {
		session = strconv.Itoa(e.Session.Index)
	}
	if m := e.Message; m != nil {
		index, role = strconv.Itoa(m.Index), string(m.Role)
		if m.Tool != nil {
			tool = m.Tool.Name
		}
	}
	t.row(isoTime(e.Time), e.Kind, session, e.Session.ID, index, role, tool, e.Session.Title, firstLine(e))
}

// person prints a line for a person. A message that grows keeps its line while
// that is the last; later only the outcome of a tool is told again.
func (t *teller) person(e library.Event) {
	key := ""
	if e.Message != nil {
		key = e.Session.Agent + " " + e.Session.ID + " " + e.Message.ID
	}
	if e.Kind == "update" {
		switch {
		case key == t.last:
			t.catchUp()
			t.line("\x1b[A\r\x1b[K%s", t.text(e)) // over the line above
			return
		case e.Message.Tool == nil || e.Message.Tool.Status == retold.StatusPending:
			return
		}
	}
	if day := local(e.Time).Format("Monday, 2 January 2006"); day != t.day && !e.Time.IsZero() {
		t.day = day
		t.line("%s", t.style.dim("── "+day))
	}
	t.line("%s", t.text(e))
	t.last = key
}

// text is the line of an event: time, title, who, first line, never wider than
// the terminal.
func (t *teller) text(e library.Event) string {
	clock := strings.Repeat(" ", len("15:04:05"))
	if !e.Time.IsZero() {
		clock = local(e.Time).Format(time.TimeOnly)
	}
	who, paint := "new session", t.style.bold
	if e.Message != nil {
		who, paint = rolePaint(t.style, e.Message)
	}
	title := fit(oneLine(cmp.Or(e.Session.Title, "(untitled)")), max(min(t.width/4, 28), 8), false, false)
	head := t.style.cyan(clock) + "  " + t.style.dim(title) + "  " + paint(who)
	return cut(head+"  "+oneLine(firstLine(e)), t.width)
}

// rolePaint is what a message is called in a line, and how that is painted.
func rolePaint(s style, m *retold.Message) (string, func(string) string) {
	switch {
	case m.Failed():
		return "✗ " + string(m.Role), s.red
	case m.Role == retold.RoleUser:
		return "you", func(t string) string { return s.bold(s.cyan(t)) }
	case m.Role == retold.RoleAssistant:
		return "assistant", func(t string) string { return s.bold(s.green(t)) }
	}
	return string(m.Role), s.dim
}

// firstLine is what an event says in one line.
func firstLine(e library.Event) string {
	switch {
	case e.Message == nil:
		return e.Session.WorkspaceName
	case e.Message.Tool != nil:
		return export.Tool(e.Message.Tool)
	}
	return retold.Preview(e.Message.Content)
}

func local(t time.Time) time.Time { return t.In(now().Location()) }
