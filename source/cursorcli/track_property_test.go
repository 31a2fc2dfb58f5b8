package cursorcli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever happens to the files of a home, following it comes out as a fresh
// look, and nothing that changed goes unsaid.
func TestTrackAgrees(t *testing.T) {
	t.Parallel() // it mostly waits for the clock
	rapid.Check(t, func(rt *rapid.T) {
		home := t.TempDir()
		if err := os.CopyFS(home, os.DirFS(sdkHome)); err != nil {
			rt.Fatal(err)
		}
		f := follow(t, home)
		for range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			for range rapid.IntRange(1, 3).Draw(rt, "edits") {
				meddle(rt, home)
			}
			f.track(false)
			if diff := f.diff(); diff != "" {
				rt.Fatalf("what was followed is not what is there (-there +followed)\n%s", diff)
			}
		}
	})
}

// Sessions are read by what Track found, and whatever happened since, as by a
// source that looks for itself.
func TestTrackedSessionsAgree(t *testing.T) {
	t.Parallel()
	home := copyOf(t, sdkHome)
	f := follow(t, home)
	rounds := rapid.Custom(func(rt *rapid.T) bool { meddle(rt, home); return true })
	for i := range 15 {
		rounds.Example(i)
		f.track(false)
		f.sessionsAgree()
	}
}

// meddle does one thing to the files of a home.
func meddle(rt *rapid.T, home string) {
	var files, dirs []string
	err := filepath.Walk(home, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		} else if err == nil && path != home {
			dirs = append(dirs, path)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		return
	}
	file := rapid.SampledFrom(files).Draw(rt, "file")
	switch rapid.IntRange(0, 6).Draw(rt, "what") {
	case 0:
		err = os.Remove(file)
	case 1:
		err = os.RemoveAll(rapid.SampledFrom(dirs).Draw(rt, "dir"))
	case 2:
		err = os.CopyFS(rapid.SampledFrom(dirs).Draw(rt, "dir")+"-copy", os.DirFS(filepath.Dir(file)))
	case 3:
		to := filepath.Join(filepath.Dir(file), rapid.SampledFrom([]string{"a.jsonl", "b.txt", "store.db", "meta.json", "index.db"}).Draw(rt, "to"))
		err = os.Rename(file, to)
	case 4:
		var f *os.File
		if f, err = os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0); err == nil {
			_, _ = f.WriteString(speech("more"))
			err = f.Close()
		}
	case 5:
		dir := filepath.Join(home, "projects", rapid.SampledFrom([]string{"p", "home-dev-projects-shop-api"}).Draw(rt, "slug"), "agent-transcripts", "x", "subagents")
		if err = os.MkdirAll(dir, 0o755); err == nil {
			err = os.WriteFile(filepath.Join(dir, rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "id")+".jsonl"), []byte(speech("hi")), 0o644)
		}
	case 6:
		err = os.Symlink(file, filepath.Join(filepath.Dir(file), "link.jsonl"))
	}
	_ = err // what cannot be done is not done
}

func BenchmarkTrackSame(b *testing.B) {
	home := b.TempDir()
	for i := range 1000 {
		path := transcriptOf(home, fmt.Sprintf("p%d", i%20), fmt.Sprintf("0d1e2f3a-0000-4000-8000-%012d", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(speech("hello")), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	f := follow(b, home)
	b.Run("same", func(b *testing.B) {
		for b.Loop() {
			if k := f.track(false); !k.Same {
				b.Fatal("not the same")
			}
		}
		b.ReportMetric(float64(len(f.memory)), "memory-bytes")
	})
	b.Run("session", func(b *testing.B) {
		for b.Loop() {
			if _, err := f.s.Session(b.Context(), f.headers["0d1e2f3a-0000-4000-8000-000000000007"].Ref); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("one", func(b *testing.B) {
		n := 0
		for b.Loop() {
			path := transcriptOf(home, "p7", "0d1e2f3a-0000-4000-8000-000000000007")
			n++
			appendTo(b, path, speech("more"))
			if err := os.Chtimes(path, time.Time{}, time.Unix(1e9, int64(n))); err != nil {
				b.Fatal(err)
			}
			if k := f.track(false); len(k.Changed) != 1 {
				b.Fatal(len(k.Changed))
			}
		}
	})
}
