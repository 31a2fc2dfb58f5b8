package sqlite

import (
	"context"
	"errors"
)

// OpenInside opens the library at path in a file system that SQLite knows by the
// name vfs, for reading, whatever o.ReadOnly says. Nothing may change there while
// it is open. Errors are those of Open.
func OpenInside(ctx context.Context, vfs, path string, o Options) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	list, err := schemas()
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, file: path, readOnly: true, mask: o.Mask, query: immutable + "&vfs=" + vfs, limits: usualLimits()}
	s.pages.limit, s.bundles.limit = pageCacheSize, bundleCacheSize
	c, err := dial(path, s.query)
	if err != nil {
		return nil, s.explain(err)
	}
	version, err := c.version()
	if err != nil {
		return nil, errors.Join(s.explain(err), c.Close())
	}
	if version > len(list) || version == 0 {
		return nil, errors.Join(s.migrate(ctx, c, version, list), c.Close())
	}
	return s, s.give(c)
}
