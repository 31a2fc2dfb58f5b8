package sqlite

import (
	"context"
	"errors"
	"fmt"
	"testing"

	engine "zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

// SetSmallLimits cuts everything into the smallest pieces, so that little data
// meets every seam.
func (s *Store) SetSmallLimits() {
	s.limits = limits{page: 300, segment: 200, memory: 1, commit: 1 << 10, merge: 1 << 18, bulk: 1 << 28}
}

// Work is what was read and written so far.
type Work struct{ Sessions, Pages, Heads, Bundles, Packed, Indexed, Merged int64 }

// Work counts the work since the store was opened.
func (s *Store) Work() Work {
	w := &s.work
	return Work{
		Sessions: w.sessions.Load(), Pages: w.pages.Load(), Heads: w.heads.Load(), Bundles: w.bundles.Load(),
		Packed: w.packed.Load(), Indexed: w.indexed.Load(), Merged: w.merged.Load(),
	}
}

// Audit checks what must hold of a library's rows after any commit and a sweep:
// every page is named by one manifest and has a head that fits, every document
// of a message and title is in the map and, alive, in exactly one segment, and
// nothing else is alive.
func (s *Store) Audit(t *testing.T) {
	t.Helper()
	err := s.read(t.Context(), func(c *conn) error {
		want := map[uint32]location{}
		pages := 0
		cat, err := s.catalogue(c)
		if err != nil {
			return err
		}
		for _, e := range cat.entries {
			m, err := c.manifest(e.number)
			if err != nil {
				return err
			}
			if m.title != 0 {
				want[m.title] = titleLocation(e.number)
			}
			for _, p := range m.pages {
				pages++
				h, err := s.head(c, p.id, true)
				if err != nil {
					return err
				}
				if len(h.docs) != p.messages {
					t.Errorf("page %d has %d messages and %d documents", p.id, p.messages, len(h.docs))
				}
				for i, doc := range h.docs {
					if doc < p.low || doc > p.top || want[doc] != 0 {
						t.Errorf("document %d of page %d is not within %d to %d, or somewhere else too", doc, p.id, p.low, p.top)
					}
					want[doc] = messageLocation(p.id, i)
				}
			}
		}
		for _, table := range []string{"page", "head"} {
			if n, err := c.number("SELECT count(*) FROM " + table); err != nil || int(n) != pages {
				t.Errorf("%d rows of %s, manifests name %d pages: %v", n, table, pages, err)
			}
		}
		if n, err := c.number("SELECT count(*) FROM loose"); err != nil || n != 0 {
			t.Errorf("%d loose pages: %v", n, err)
		}
		if n, err := c.number("SELECT count(*) FROM detail"); err != nil || int(n) != len(cat.entries) {
			t.Errorf("%d details of %d sessions: %v", n, len(cat.entries), err)
		}
		return s.auditIndex(t, c, want)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *Store) auditIndex(t *testing.T, c *conn, want map[uint32]location) error {
	t.Helper()
	mapped := 0
	err := c.run("SELECT block, data FROM docs", func(row *engine.Stmt) error {
		b, err := decodeDocBlock(column(row, 1))
		if err != nil {
			return err
		}
		for i, at := range b {
			doc := uint32(row.ColumnInt64(0))*blockSize + uint32(i)
			if at != 0 {
				mapped++
			}
			if at != want[doc] {
				t.Errorf("document %d is mapped to %x, want %x", doc, at, want[doc])
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if mapped != len(want) {
		t.Errorf("%d documents are mapped, want %d", mapped, len(want))
	}
	v, err := s.view(c)
	if err != nil {
		return err
	}
	bundles := int64(0)
	for n := range v.readers {
		rows, err := c.number("SELECT count(*) FROM bundle WHERE id >= ? AND id < ?", bundleID(v.ids[n], 0), bundleID(v.ids[n]+1, 0))
		if err != nil || rows == 0 {
			t.Errorf("segment %d has %d bundles: %v", v.ids[n], rows, err)
		}
		bundles += rows
	}
	if n, err := c.number("SELECT count(*) FROM bundle"); err != nil || n != bundles {
		t.Errorf("%d bundles, segments have %d: %v", n, bundles, err)
	}
	alive, err := index.Search(context.Background(), v.readers, retold.Query{}, index.Env{Dead: v.isDead}, -1, 0)
	if err != nil {
		return err
	}
	for _, h := range alive.Hits {
		if want[h.Doc] == 0 {
			t.Errorf("document %d is found and belongs to nothing", h.Doc)
		}
	}
	if len(alive.Hits) != len(want) {
		t.Errorf("%d documents can be found, want %d", len(alive.Hits), len(want))
	}
	return nil
}

// Pragma runs a statement on a connection of its own.
func (s *Store) Pragma(sql string) error {
	c, err := s.connect()
	if err != nil {
		return err
	}
	return errors.Join(c.run(sql, nil), c.Close())
}

// Number reads a number.
func (s *Store) Number(sql string) (n int64, err error) {
	err = s.read(context.Background(), func(c *conn) error {
		n, err = c.number(sql)
		return err
	})
	return n, err
}

// OpenWithSchema opens a library as a retold that knows more formats would.
func OpenWithSchema(ctx context.Context, path string, more ...string) (*Store, error) {
	list, err := schemas()
	if err != nil {
		return nil, err
	}
	return open(ctx, path, Options{}, append(list, more...))
}

// LimitPages makes the disk of a writer full once its file has so many more
// pages.
func LimitPages(t *testing.T, w retold.StoreWriter, more int64) {
	t.Helper()
	c := w.(*Writer).c
	n, err := c.number("PRAGMA page_count")
	if err == nil {
		err = c.run(fmt.Sprintf("PRAGMA max_page_count = %d", n+more), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// OnPage has fn called for each page that is unpacked, from any goroutine.
func (s *Store) OnPage(fn func()) { s.work.onPage = fn }
