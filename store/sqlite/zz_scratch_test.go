package sqlite

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/retold-history/retold"
)

func dump(t *testing.T) {}
func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// load streams dumped sessions one by one
func load(t testing.TB, each func(k *retold.Kept, msgs func(yield func(retold.Message)))) {
	f, err := os.Open("/tmp/store_dump.bin")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		n, err := binary.ReadUvarint(r)
		if err == io.EOF {
			return
		}
		b := make([]byte, n)
		io.ReadFull(r, b)
		d := &decoder{b: string(b)}
		s := d.session()
		empty := d.bool()
		k := &retold.Kept{Session: s, Empty: empty, Key: retold.KeyOf(s.Agent, s.ID)}
		count := int(d.uint())
		bodies := make([][]byte, count)
		for i := range bodies {
			n, _ := binary.ReadUvarint(r)
			bodies[i] = make([]byte, n)
			io.ReadFull(r, bodies[i])
		}
		each(k, func(yield func(retold.Message)) {
			for _, b := range bodies {
				one := &decoder{b: string(b)}
				yield(one.message())
			}
		})
	}
}

func TestScratchFill(t *testing.T) {
	if os.Getenv("SCRATCH") == "" {
		t.Skip()
	}
	if _, err := os.Stat("/tmp/store_dump.bin"); err != nil {
		dump(t)
	}
	runtime.GC()
	var raw int
	start, c0 := time.Now(), cpu()
	load(t, func(k *retold.Kept, msgs func(func(retold.Message))) {
		msgs(func(m retold.Message) { raw += len(m.Content) })
	})
	base := cpu() - c0
	fmt.Println("load only", time.Since(start), base, raw)
	path := os.Getenv("SCRATCH")
	os.RemoveAll(path)
	os.MkdirAll(path, 0o700)
	s, err := Open(t.Context(), filepath.Join(path, "library.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	start, c0 = time.Now(), cpu()
	wr, err := s.Writer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w := wr.(*Writer)
	type job struct {
		k    *retold.Kept
		msgs func(func(retold.Message))
	}
	type done struct {
		k *retold.Kept
		s retold.Sheet
	}
	jobs, dones := make(chan job, 1), make(chan done, 4)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				sh, err := w.Sheet(t.Context(), j.k.Key, 0)
				if err != nil {
					t.Error(err)
				}
				j.msgs(func(m retold.Message) {
					if err := sh.Add(t.Context(), m); err != nil {
						t.Error(err)
					}
				})
				dones <- done{j.k, sh}
			}
		}()
	}
	go func() {
		load(t, func(k *retold.Kept, msgs func(func(retold.Message))) { jobs <- job{k, msgs} })
		close(jobs)
		wg.Wait()
		close(dones)
	}()
	for d := range dones {
		if err := w.Put(t.Context(), d.k, d.s); err != nil {
			t.Fatal(err)
		}
		if w.CommitDue() {
			if err := w.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var ru syscall.Rusage
	syscall.Getrusage(0, &ru)
	st, _ := os.Stat(filepath.Join(path, "library.db"))
	fmt.Println("fill", time.Since(start), "cpu", cpu()-c0-base, "rss MB", ru.Maxrss>>10, "size MB", st.Size()/1e6, "ratio", float64(st.Size())/361156032)
}
