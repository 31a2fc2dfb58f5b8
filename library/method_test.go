package library_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/library"
)

// A hooked source is a memory with a function in front of some of its methods.
type hooked struct {
	*memory
	session  func(ctx context.Context, id string) error // before a session is read
	inspect  func(ctx context.Context) error
	asked    atomic.Int64 // calls of any of these and of Headers
	sessions atomic.Int64
}

func (h *hooked) Headers(ctx context.Context, p retold.Place) iter.Seq2[retold.Header, error] {
	h.asked.Add(1)
	return h.memory.Headers(ctx, p)
}

func (h *hooked) Session(ctx context.Context, ref retold.Ref) (*retold.SessionDetail, error) {
	h.asked.Add(1)
	h.sessions.Add(1)
	if h.session != nil {
		if err := h.session(ctx, ref.ID); err != nil {
			return nil, err
		}
	}
	return h.memory.Session(ctx, ref)
}

func (h *hooked) Inspect(ctx context.Context, _ retold.Place) ([]retold.Inventory, error) {
	h.asked.Add(1)
	if h.inspect != nil {
		return nil, h.inspect(ctx)
	}
	return nil, nil
}

// stuck waits for ctx as a slow disk would, after telling that it does.
func stuck(reached chan<- struct{}) func(context.Context, string) error {
	return func(ctx context.Context, _ string) error {
		select {
		case reached <- struct{}{}:
		default:
		}
		<-ctx.Done()
		return ctx.Err()
	}
}

// A method is one method of a Library that takes a context, called in a way that
// makes it look at the history "one" of agent cursor.
type method struct {
	name string
	call func(ctx context.Context, l *library.Library) error
}

var methods = []method{
	{"Backup", func(ctx context.Context, l *library.Library) error {
		return second(l.Backup(ctx, library.BackupOptions{Path: filepath.Join(os.TempDir(), "retold-never-written")}))
	}},
	{"Changes", func(ctx context.Context, l *library.Library) error { return second(l.Changes(ctx)) }},
	{"CheckWorkspace", func(ctx context.Context, l *library.Library) error { return l.CheckWorkspace(ctx, "tidepool") }},
	{"Children", func(ctx context.Context, l *library.Library) error { return second(l.Children(ctx, "one")) }},
	{"Count", func(ctx context.Context, l *library.Library) error { return second(l.Count(ctx, anything())) }},
	{"Doctor", func(ctx context.Context, l *library.Library) error { return second(l.Doctor(ctx)) }},
	{"Each", func(ctx context.Context, l *library.Library) error {
		for _, err := range l.Each(ctx, retold.Filter{}) {
			if err != nil {
				return err
			}
		}
		return nil
	}},
	{"Export", func(ctx context.Context, l *library.Library) error {
		return l.Export(ctx, io.Discard, "one", export.JSON, export.Options{})
	}},
	{"ExportAll", func(ctx context.Context, l *library.Library) error {
		return second(l.ExportAll(ctx, io.Discard, retold.Filter{}, export.Markdown, export.Options{}))
	}},
	{"Find", func(ctx context.Context, l *library.Library) error { return second(l.Find(ctx, "one")) }},
	{"Forget", func(ctx context.Context, l *library.Library) error { return second(l.Forget(ctx, "one")) }},
	{"ForgetChanges", func(ctx context.Context, l *library.Library) error { return l.ForgetChanges(ctx, nil) }},
	{"ForgettableChanges", func(ctx context.Context, l *library.Library) error {
		return second(l.ForgettableChanges(ctx, nil, time.Time{}))
	}},
	{"Headers", func(ctx context.Context, l *library.Library) error { return second(l.Headers(ctx, retold.Filter{})) }},
	{"Info", func(ctx context.Context, l *library.Library) error { return second(l.Info(ctx)) }},
	{"Rest", func(ctx context.Context, l *library.Library) error { return l.Rest(ctx) }},
	{"Interrupted", func(ctx context.Context, l *library.Library) error { return second(l.Interrupted(ctx)) }},
	{"Journal", func(ctx context.Context, l *library.Library) error { return second(l.Journal(ctx)) }},
	{"List", func(ctx context.Context, l *library.Library) error { return second(l.List(ctx, retold.Filter{}, 0, 0)) }},
	{"Message", func(ctx context.Context, l *library.Library) error {
		_, _, err := l.Message(ctx, "one", "0")
		return err
	}},
	{"MergeBackup", func(ctx context.Context, l *library.Library) error {
		_, err := l.MergeBackup(ctx, library.BackupSource{Path: filepath.Join(os.TempDir(), "retold-never-there")}, nil, false)
		if errors.Is(err, retold.ErrDatabaseNotFound) {
			return nil
		}
		return err
	}},
	{"Lost", func(ctx context.Context, l *library.Library) error { return second(l.Lost(ctx)) }},
	{"PlanImport", func(ctx context.Context, l *library.Library) error {
		c, err := l.PlanImport(ctx, library.ImportOptions{Sessions: []string{"one"}, To: "cursor", Workspace: os.TempDir()})
		if errors.Is(err, retold.ErrUsage) { // no source of the test takes any
			return nil
		}
		if err != nil {
			return err
		}
		return c.Close()
	}},
	{"PlanRecover", func(ctx context.Context, l *library.Library) error {
		c, err := l.PlanRecover(ctx, []string{"one"}, os.TempDir())
		if err != nil {
			return err
		}
		return c.Close()
	}},
	{"PlanMigrate", func(ctx context.Context, l *library.Library) error {
		c, err := l.PlanMigrate(ctx, library.MigrateOptions{Sessions: []string{"one"}, To: os.TempDir()})
		if err != nil {
			return err
		}
		return c.Close()
	}},
	{"PlanRestore", func(ctx context.Context, l *library.Library) error {
		c, err := l.PlanRestore(ctx, library.RestoreSessionsOptions{From: library.BackupSource{Path: filepath.Join(os.TempDir(), "retold-never-there")}})
		if errors.Is(err, retold.ErrDatabaseNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return c.Close()
	}},
	{"PlanUndo", func(ctx context.Context, l *library.Library) error {
		c, err := l.PlanUndo(ctx, "")
		if errors.Is(err, retold.ErrUsage) { // nothing to undo
			return nil
		}
		if err != nil {
			return err
		}
		return c.Close()
	}},
	{"Problems", func(ctx context.Context, l *library.Library) error { return second(l.Problems(ctx)) }},
	{"Read", func(ctx context.Context, l *library.Library) error {
		return second(l.Read(ctx, "one", library.Window{}))
	}},
	{"Search", func(ctx context.Context, l *library.Library) error { return second(l.Search(ctx, anything(), 0, 0)) }},
	{"Settle", func(ctx context.Context, l *library.Library) error { return second(l.Settle(ctx, false)) }},
	{"Show", func(ctx context.Context, l *library.Library) error { return second(l.Show(ctx, "one")) }},
	{"Stats", func(ctx context.Context, l *library.Library) error { return second(l.Stats(ctx, retold.Filter{}, nil)) }},
	{"Sync", func(ctx context.Context, l *library.Library) error { return second(l.Sync(ctx, library.SyncOptions{})) }},
	{"Watch", func(ctx context.Context, l *library.Library) error {
		return l.Watch(ctx, library.WatchOptions{}, func(library.Event) error { return nil })
	}},
	{"WorkspaceNames", func(ctx context.Context, l *library.Library) error { return second(l.WorkspaceNames(ctx)) }},
	{"Workspaces", func(ctx context.Context, l *library.Library) error {
		_, _, err := l.Workspaces(ctx, retold.Filter{})
		return err
	}},
}

func second[T any](_ T, err error) error { return err }

func anything() retold.Query {
	return retold.Query{Match: &retold.Term{Text: "quokka"}}
}

// The list above is of all methods there are.
func TestEveryMethodIsListed(t *testing.T) {
	have := map[string]bool{}
	for _, m := range methods {
		have[m.name] = true
	}
	kind, wanted := reflect.TypeFor[*library.Library](), reflect.TypeFor[context.Context]()
	for m := range kind.Methods() {
		if m.Type.NumIn() > 1 && m.Type.In(1) == wanted && !have[m.Name] {
			t.Errorf("methods does not name %s", m.Name)
		}
	}
}

// tidepool is a source of a few sessions, "one" among them.
func tidepool() *hooked {
	one := session("one", day(3), "composer", "u:a quokka", "a:yes")
	one.header.WorkspacePath, one.header.WorkspaceName = "/home/ada/tidepool", "tidepool"
	return &hooked{memory: &memory{agent: "cursor", sessions: []memorySession{
		one, session("two", day(2), "composer", "u:another quokka"), session("three", day(1), "composer", "u:none"),
	}}}
}

// A context that ended is the answer, before anything is asked or made.
func TestEndedContextLeavesNoTrace(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancelLate := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancelLate()
	for _, patience := range []time.Duration{0, time.Hour} {
		for _, m := range methods {
			src, home := tidepool(), filepath.Join(t.TempDir(), "home")
			l, err := library.Open(t.Context(), library.Options{Home: home, Sources: []retold.Source{src}, Patience: patience})
			if err != nil {
				t.Fatal(err)
			}
			if err := m.call(cancelled, l); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled: %v", m.name, err)
			}
			if err := m.call(late, l); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, too late: %v", m.name, err)
			}
			if n := src.asked.Load(); n > 0 {
				t.Errorf("%s asked the source %d times", m.name, n)
			}
			if err := l.Close(); err != nil {
				t.Errorf("%s: close: %v", m.name, err)
			}
			if found, _ := filepath.Glob(home + "*"); len(found) > 0 {
				t.Errorf("%s left %v", m.name, found)
			}
		}
	}
	if _, err := library.Open(cancelled, library.Options{Sources: []retold.Source{tidepool()}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
}
