package sqlite

import engine "zombiezen.com/go/sqlite"

// writeLoose notes the pages that sheets at work have written, because the
// commit at hand makes rows of them that no manifest names. The lock is held.
func (w *Writer) writeLoose() error {
	for s := range w.sheets {
		for _, p := range s.written[s.noted:] {
			if err := w.c.run("INSERT INTO loose VALUES (?)", nil, p.ref.id); err != nil {
				return err
			}
		}
		s.noted = len(s.written)
	}
	return nil
}

// settle removes a sheet's notes. The lock is held.
func (w *Writer) settle(s *sheet) error {
	for _, p := range s.written[:s.noted] {
		if err := w.c.run("DELETE FROM loose WHERE page = ?", nil, p.ref.id); err != nil {
			return err
		}
	}
	s.noted = 0
	delete(w.sheets, s)
	return nil
}

func (w *Writer) dropPage(id int64) error {
	if err := w.c.run("DELETE FROM page WHERE id = ?", nil, id); err != nil {
		return err
	}
	return w.c.run("DELETE FROM head WHERE page = ?", nil, id)
}

// sweep removes the pages of sheets that were never put: of a writer that was
// killed, or of this one when it ends. What such sheets indexed is dead already.
// No transaction is open and no sheet at work.
func (w *Writer) sweep() error {
	var pages []int64
	err := w.c.run("SELECT page FROM loose", func(row *engine.Stmt) error {
		pages = append(pages, row.ColumnInt64(0))
		return nil
	})
	if err != nil || len(pages) == 0 {
		return err
	}
	if err := w.c.run("BEGIN IMMEDIATE", nil); err != nil {
		return err
	}
	for _, id := range pages {
		if err == nil {
			err = w.dropPage(id)
		}
	}
	if err == nil {
		err = w.c.run("DELETE FROM loose", nil)
	}
	if err == nil {
		return w.c.run("COMMIT", nil)
	}
	if !w.c.AutocommitEnabled() {
		if end := w.c.run("ROLLBACK", nil); end != nil {
			return end
		}
	}
	return err
}
