package backup_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
)

func TestSpeed(t *testing.T) {
	src := os.Getenv("RETOLD_SPEED")
	if src == "" {
		t.Skip()
	}
	dir, _ := os.MkdirTemp("/tmp/backup", "speed")
	defer os.RemoveAll(dir)
	at := time.Now()
	lap := func(what string) { t.Log(what, time.Since(at)); at = time.Now() }
	w, err := backup.Create(filepath.Join(dir, "b.retold"), backup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	snap := filepath.Join(dir, "snap")
	if _, err := backup.Snapshot(t.Context(), src, snap, credentials, nil); err != nil {
		t.Fatal(err)
	}
	lap("snapshot")
	f, _ := os.Open(snap)
	if _, err := w.Add(t.Context(), backup.File{Path: "cursor/user/state.vscdb", Kind: retold.PieceDatabase}, f); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := w.Finish(t.Context(), &backup.Manifest{}); err != nil {
		t.Fatal(err)
	}
	lap("pack")
	t.Log(w.Written())
	a, err := backup.Open(t.Context(), filepath.Join(dir, "b.retold"), backup.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lap("open")
	v, err := a.Verify(t.Context(), backup.VerifyOptions{Quick: true})
	if err != nil || len(v.Faults) > 0 {
		t.Fatal(err, v)
	}
	lap("quick")
	if os.Getenv("RETOLD_FULL") == "" {
		_ = a.Close()
		return
	}
	v, err = a.Verify(t.Context(), backup.VerifyOptions{})
	if err != nil || len(v.Faults) > 0 {
		t.Fatal(err, v)
	}
	lap("verify")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}
