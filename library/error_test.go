package library_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// twins are two sessions whose ids begin in the same way.
func twins() *memory {
	return &memory{agent: "cursor", sessions: []memorySession{session("twin-1", day(1), "composer", "u:hi"), session("twin-2", day(2), "composer", "u:hi")}}
}

// A provocation is what makes the library give an error, and how a program sees
// it.
type provocation struct {
	provoke func(*testing.T) error
	is      error
	code    retold.Code
	path    string // end of the Path
	hint    string // part of the Hint
}

var provocations = map[string]provocation{
	"a folder given by hand that is not there": {
		func(t *testing.T) error {
			_, err := library.Open(t.Context(), library.Options{CursorUser: []string{filepath.Join(t.TempDir(), "nowhere")}, Home: t.TempDir()})
			return err
		}, retold.ErrDatabaseNotFound, retold.CodeDatabaseNotFound, "nowhere", "",
	},
	"nothing on this machine": {
		func(t *testing.T) error {
			return second(openHooked(t, library.Options{}, &memory{agent: "cursor"}).List(t.Context(), retold.Filter{}, 0, 0))
		}, library.ErrNothing, retold.CodeDatabaseNotFound, "", "retold doctor",
	},
	"a database that somebody holds, and nothing else": {
		func(t *testing.T) error {
			locked := &retold.Error{Code: retold.CodeDatabaseLocked, Path: "/home/ada/state.vscdb", Hint: "close Cursor"}
			return second(openHooked(t, library.Options{}, &memory{agent: "cursor", broken: []error{locked}}).Show(t.Context(), "1"))
		}, retold.ErrDatabaseLocked, retold.CodeDatabaseLocked, "state.vscdb", "close Cursor",
	},
	"a damaged library": {
		func(t *testing.T) error {
			home := t.TempDir()
			if err := os.WriteFile(filepath.Join(home, "library.db"), []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
			return second(openHooked(t, library.Options{Home: home}, twins()).Search(t.Context(), anything(), 0, 0))
		}, retold.ErrDatabaseCorrupt, retold.CodeDatabaseCorrupt, "library.db", "retold sync",
	},
	"no such session": {
		func(t *testing.T) error {
			return second(openHooked(t, library.Options{}, twins()).Show(t.Context(), "twin-3"))
		},
		retold.ErrSessionNotFound, retold.CodeSessionNotFound, "", "retold list",
	},
	"more than one session": {
		func(t *testing.T) error {
			return openHooked(t, library.Options{}, twins()).Export(t.Context(), io.Discard, "twin", export.JSON, export.Options{})
		}, retold.ErrSessionAmbiguous, retold.CodeSessionAmbiguous, "", "more characters",
	},
	"no such workspace": {
		func(t *testing.T) error {
			return openHooked(t, library.Options{}, twins()).CheckWorkspace(t.Context(), "lantern")
		}, retold.ErrWorkspaceNotFound, retold.CodeWorkspaceNotFound, "", "retold workspaces",
	},
	"no such message": {
		func(t *testing.T) error {
			_, _, err := openHooked(t, library.Options{}, twins()).Message(t.Context(), "twin-1", "99")
			return err
		}, retold.ErrUsage, retold.CodeUsage, "", "id of a message",
	},
	"no such format": {
		func(t *testing.T) error {
			return second(openHooked(t, library.Options{}, twins()).ExportAll(t.Context(), io.Discard, retold.Filter{}, "pdf", export.Options{}))
		}, retold.ErrUsage, retold.CodeUsage, "", "md",
	},
	"a mistake in a query": {
		func(*testing.T) error { return second(retold.ParseQuery("role:wizard", time.Now())) },
		retold.ErrUsage, retold.CodeUsage, "", "",
	},
	"another process that writes": {
		func(t *testing.T) error {
			home := t.TempDir()
			lock := flock.New(filepath.Join(home, "library.db.lock"))
			if ok, err := lock.TryLock(); !ok || err != nil {
				t.Fatalf("lock: %v, %v", ok, err)
			}
			defer lock.Unlock()
			return second(openHooked(t, library.Options{Home: home}, twins()).Sync(t.Context(), library.SyncOptions{}))
		}, retold.ErrLibraryBusy, retold.CodeLibraryBusy, "library.db", "wait",
	},
	"nowhere to keep anything": {
		func(t *testing.T) error {
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return second(openHooked(t, library.Options{Home: filepath.Join(file, "home")}, twins()).Sync(t.Context(), library.SyncOptions{}))
		}, retold.ErrLibraryReadOnly, "", "library.db", "RETOLD_HOME",
	},
	"an interrupt": {
		func(t *testing.T) error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return second(openHooked(t, library.Options{}, twins()).Stats(ctx, retold.Filter{}, nil))
		}, context.Canceled, retold.CodeInterrupted, "", "",
	},
	"a deadline": {
		func(t *testing.T) error {
			ctx, cancel := context.WithTimeout(t.Context(), -1)
			defer cancel()
			return second(openHooked(t, library.Options{}, twins()).Stats(ctx, retold.Filter{}, nil))
		}, context.DeadlineExceeded, retold.CodeInterrupted, "", "",
	},
}

// Every code that the library gives is provoked.
func TestErrorsAndTheirCodes(t *testing.T) {
	for name, c := range provocations {
		t.Run(name, func(t *testing.T) {
			err := c.provoke(t)
			if !errors.Is(err, c.is) {
				t.Errorf("errors.Is(%v, %v) is false", err, c.is)
			}
			if code := retold.CodeOf(err); code != c.code {
				t.Errorf("the code of %v is %q, want %q", err, code, c.code)
			}
			if c.code == retold.CodeInterrupted {
				return
			}
			e, ok := errors.AsType[*retold.Error](err)
			if !ok {
				t.Fatalf("%v holds no *retold.Error", err)
			}
			var same *retold.Error
			if !errors.As(err, &same) || same != e {
				t.Errorf("errors.As finds %v", same)
			}
			if !strings.HasSuffix(e.Path, c.path) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("path %q and hint %q, want …%s and …%s…", e.Path, e.Hint, c.path, c.hint)
			}
		})
	}
}

// What the operating system said stays within reach.
func TestErrorsKeepTheirCause(t *testing.T) {
	file := filepath.Join(t.TempDir(), "User")
	if err := os.WriteFile(file, []byte("a file where a folder should be"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(file, "deeper"), filepath.Join(t.TempDir(), "nowhere")} {
		_, err := library.Open(t.Context(), library.Options{
			CursorUser: []string{dir}, Env: paths.Env{GOOS: "linux", Home: t.TempDir()}, Home: t.TempDir(),
		})
		if cause, ok := errors.AsType[*fs.PathError](err); !ok || cause.Path != dir {
			t.Errorf("%v holds no *fs.PathError of %s", err, dir)
		}
	}

	unreadable := session("one", day(1), "composer", "u:hi")
	unreadable.err = &retold.Error{Code: retold.CodeDatabaseCorrupt, Op: "read", Path: "/home/ada/store.db", Err: &fs.PathError{Op: "read", Path: "/home/ada/store.db", Err: io.ErrUnexpectedEOF}}
	_, err := openHooked(t, library.Options{}, &memory{agent: "cursor", sessions: []memorySession{unreadable}}).Show(t.Context(), "one")
	if cause, ok := errors.AsType[*fs.PathError](err); !ok || cause.Path != "/home/ada/store.db" || !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, retold.ErrDatabaseCorrupt) {
		t.Errorf("showing an unreadable session: %v", err)
	}

	full := errors.New("no space left on device")
	l := openHooked(t, library.Options{}, tidepool())
	if err := l.Export(t.Context(), failing{full}, "one", export.Text, export.Options{}); !errors.Is(err, full) {
		t.Errorf("export to a full disk: %v", err)
	}
	if report, err := l.ExportAll(t.Context(), failing{full}, retold.Filter{}, export.Text, export.Options{}); !errors.Is(err, full) || report.Sessions != 0 {
		t.Errorf("export of all to a full disk: %+v, %v", report, err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
