package sqlite

import (
	"context"

	"github.com/retold-history/retold"
)

// Outline counts the messages of a session by role, page by page. It reads the
// heads of the pages and unpacks none.
func (s *Store) Outline(ctx context.Context, key retold.Key) (out []retold.Stretch, err error) {
	err = s.read(ctx, func(c *conn) error {
		m, err := c.manifestOf(key)
		if err != nil {
			return err
		}
		from := 0
		for _, p := range m.pages {
			if err := ctx.Err(); err != nil {
				return err
			}
			h, err := s.head(c, p.id, false)
			if err != nil {
				return err
			}
			roles := make(map[retold.Role]int, len(h.facts.roles))
			for _, r := range h.facts.roles {
				roles[r.role] = r.n
			}
			out = append(out, retold.Stretch{From: from, Messages: p.messages, Roles: roles})
			from += p.messages
		}
		return nil
	})
	return out, err
}
