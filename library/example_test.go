package library_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/library"
)

// madeUp opens a library over a made-up history; end closes it and removes both.
func madeUp() (l *library.Library, end func()) {
	dir, err := os.MkdirTemp("", "retold-example-*")
	if err != nil {
		log.Fatal(err)
	}
	home, err := demo.Make(context.Background(), dir)
	if err != nil {
		log.Fatal(err)
	}
	l, err = library.Open(context.Background(), library.Options{
		Home: dir, CursorUser: []string{home.CursorUser}, CursorHome: []string{home.CursorHome},
	})
	if err != nil {
		log.Fatal(err)
	}
	return l, func() {
		if err := errors.Join(l.Close(), os.RemoveAll(dir)); err != nil {
			log.Fatal(err)
		}
	}
}

// All pages of a listing, one after the other.
func ExampleLibrary_List() {
	l, end := madeUp()
	defer end()
	filter := retold.Filter{Workspaces: []string{"lantern"}}
	for offset, more := 0, true; more; {
		page, err := l.List(context.Background(), filter, 2, offset)
		if err != nil {
			log.Fatal(err)
		}
		for _, s := range page.Data {
			fmt.Println(s.Index, s.Title)
		}
		offset += len(page.Data)
		more = page.Pagination.HasMore
		fmt.Printf("-- %d of %d\n", offset, page.Pagination.Total)
	}
	// Output:
	// 22 Lint warnings in the build log
	// 30 Gallery loads 40 MB at once
	// -- 2 of 5
	// 32 Makefile rebuilds everything
	// 33 Footer floats above short pages
	// -- 4 of 5
	// 35 Truncating captions to 20 characters cuts emoji in half: "Low water walk 👩‍👩‍👧" becomes "Low water walk 👩‍". Fix?
	// -- 5 of 5
}

// Every session, one in memory at a time. An error is that of one session.
func ExampleLibrary_Each() {
	l, end := madeUp()
	defer end()
	commands, failed := 0, 0
	for d, err := range l.Each(context.Background(), retold.Filter{Workspaces: []string{"lantern", "parsnip"}}) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		for _, m := range d.Messages {
			if m.Tool != nil && m.Tool.Kind == retold.ToolShell {
				commands++
				if m.Failed() {
					failed++
				}
			}
		}
	}
	fmt.Println(commands, "commands,", failed, "of them failed")
	// Output:
	// 7 commands, 1 of them failed
}

func ExampleLibrary_Search() {
	l, end := madeUp()
	defer end()
	q, err := retold.ParseQuery(`azores role:assistant`, time.Now())
	if err != nil {
		log.Fatal(err)
	}
	found, err := l.Search(context.Background(), q, 2, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Pagination.Total, "hits")
	for _, hit := range found.Data {
		marked := hit.Highlights[0]
		fmt.Printf("%.8s %s: %q\n", hit.SessionID, hit.Role, hit.Match[marked[0]:marked[1]])
	}
	// Output:
	// 3 hits
	// ec8c1b1f assistant: "Azores"
	// 8f0beb00 assistant: "Azores"
}

// A message and its neighbours.
func ExampleLibrary_Read() {
	l, end := madeUp()
	defer end()
	part, err := l.Read(context.Background(), "4f814223", library.Window{Around: "9", Limit: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range part.Messages {
		fmt.Printf("%d %s %.30q\n", m.Index, m.Role, m.Content)
	}
	// Output:
	// 8 assistant "The plan is saved. The order m"
	// 9 user "Go ahead with 1 and 2."
	// 10 tool ""
}

func ExampleLibrary_Export() {
	l, end := madeUp()
	defer end()
	err := l.Export(context.Background(), os.Stdout, "44632825", export.Text, export.Options{Roles: []retold.Role{retold.RoleUser}})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// Explain this awk line
	//
	// When:          2026-05-20 08:08 UTC
	// Agent:         cursor
	// Model:         Composer 2
	// Mode:          chat
	// Changes:       +0 −0, 0 files
	// Session:       44632825-321a-4ed0-aed5-cc8b88cc2741
	// Read from:     composer
	//
	// ── 1 · 2026-05-20 08:08 ────────────────────────────────────────
	//
	// User, 08:08:00
	//   what does this do: awk '!seen[$0]++' file
}

// A session that is not there: the code says so to a program, the hint to a
// person.
func ExampleLibrary_Show() {
	l, end := madeUp()
	defer end()
	_, err := l.Show(context.Background(), "no-such-session")
	if errors.Is(err, retold.ErrSessionNotFound) {
		fmt.Println(err)
	}
	if e, ok := errors.AsType[*retold.Error](err); ok {
		fmt.Println(e.Code, "-", e.Hint)
	}
	// Output:
	// no session "no-such-session"
	// session_not_found - see `retold list` for what there is
}

// What is said from now on, until the program is interrupted.
func ExampleLibrary_Watch() {
	l, err := library.Open(context.Background(), library.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	err = l.Watch(context.Background(), library.WatchOptions{}, func(e library.Event) error {
		if e.Message != nil {
			fmt.Println(e.Session.Title, e.Message.Role, e.Message.Content)
		}
		return nil
	})
	fmt.Println(err)
}
