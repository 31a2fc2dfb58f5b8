package retold_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/library"
)

// A program that lists, shows, searches and exports. It reads a made-up history;
// with library.Options{} it reads what the agents keep on this machine.
func Example() {
	ctx := context.Background()
	dir := must(os.MkdirTemp("", "retold-example-*"))
	defer os.RemoveAll(dir)
	home := must(demo.Make(ctx, dir))
	l := must(library.Open(ctx, library.Options{Home: dir, CursorUser: []string{home.CursorUser}, CursorHome: []string{home.CursorHome}}))
	defer l.Close()

	page := must(l.List(ctx, retold.Filter{Workspaces: []string{"lantern"}}, 3, 0))
	for _, s := range page.Data {
		fmt.Printf("%.8s %s %s\n", s.ID, s.UpdatedAt.Format(time.DateOnly), s.Title)
	}
	q := must(retold.ParseQuery("awk role:user", time.Now()))
	hit := must(l.Search(ctx, q, 1, 0)).Data[0]
	fmt.Printf("%.8s #%d: %s\n", hit.SessionID, hit.MessageIndex, hit.Match)
	d := must(l.Show(ctx, hit.SessionID))
	fmt.Println(d.MessageCount, "messages,", retold.ModelName(d.Model))
	err := l.Export(ctx, os.Stdout, hit.SessionID, export.Markdown, export.Options{Roles: []retold.Role{retold.RoleUser}})
	if err != nil {
		log.Fatal(err)
	}

	// Output:
	// b8f13e4b 2025-09-12 Lint warnings in the build log
	// f2c5c0ba 2024-09-18 Gallery loads 40 MB at once
	// d50a1424 2024-05-02 Makefile rebuilds everything
	// 44632825 #0: what does this do: awk '!seen[$0]++' file
	// 2 messages, Composer 2
	// # Explain this awk line
	//
	// - **When:** 2026-05-20 08:08 UTC
	// - **Agent:** cursor
	// - **Model:** Composer 2
	// - **Mode:** chat
	// - **Changes:** +0 −0, 0 files
	// - **Session:** `44632825-321a-4ed0-aed5-cc8b88cc2741`
	// - **Read from:** composer
	//
	// ## 1 · User · 2026-05-20 08:08
	//
	// what does this do: awk '!seen[$0]++' file
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
