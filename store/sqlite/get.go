package sqlite

import (
	"context"
	"errors"
	"iter"
	"strings"

	engine "zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
)

// errStop ends a loop over rows that has seen enough.
var errStop = errors.New("stop")

func startsWith(prefix string, fold bool) func(string) bool {
	if !fold {
		return func(id string) bool { return strings.HasPrefix(id, prefix) }
	}
	prefix = strings.ToLower(prefix)
	return func(id string) bool { return strings.HasPrefix(strings.ToLower(id), prefix) }
}

// Get returns all that is kept of a session but its messages.
func (s *Store) Get(ctx context.Context, key retold.Key) (k *retold.Kept, err error) {
	err = s.read(ctx, func(c *conn) error {
		n, err := c.session(key)
		if err != nil {
			return err
		}
		if n == 0 {
			return noSession(key.ID)
		}
		if k, err = s.entry(c, n, 0); err != nil {
			return err
		}
		return c.run("SELECT memory, problems FROM detail WHERE session = ?", func(row *engine.Stmt) error {
			var err error
			if k.ProblemList, err = decodeProblems(string(column(row, 1))); err != nil {
				return err
			}
			return decodeMemory(string(column(row, 0)), k.Parts)
		}, n)
	})
	if err != nil {
		return nil, err
	}
	return k, nil
}

// Messages yields the messages of a session from an index on. It reads one page
// after the other, all from the state that the library had at the beginning.
func (s *Store) Messages(ctx context.Context, key retold.Key, from int) iter.Seq2[retold.Message, error] {
	return func(yield func(retold.Message, error) bool) {
		more := true
		err := s.read(ctx, func(c *conn) error {
			m, err := c.manifestOf(key)
			if err != nil {
				return err
			}
			return s.walk(ctx, c, m, max(from, 0), func(m retold.Message) bool {
				more = yield(m, nil)
				return more
			})
		})
		if err != nil && more {
			yield(retold.Message{}, err)
		}
	}
}

// walk visits messages until visit returns false, which is errStop.
func (s *Store) walk(ctx context.Context, c *conn, m *manifest, from int, visit func(retold.Message) bool) error {
	page, index := m.at(from)
	for ; page < len(m.pages); page++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := m.pages[page]
		raw, err := s.page(c, p.id)
		if err != nil {
			return err
		}
		d := &decoder{b: raw}
		for range p.messages {
			one := &decoder{b: d.str()}
			if index >= from && !d.bad {
				message := one.message()
				message.Index = index
				if one.bad {
					return errDamaged
				}
				if !visit(message) {
					return errStop
				}
			}
			index++
		}
		if d.bad {
			return errDamaged
		}
	}
	return nil
}
