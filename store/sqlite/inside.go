package sqlite

import (
	"context"
	"errors"

	"github.com/retold-history/retold"
)

// OpenInside opens the library at path in a file system that SQLite knows by the
// name vfs, for reading. Nothing may change there while it is open. Errors are
// those of Open.
func OpenInside(ctx context.Context, vfs, path string) (*Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	list, err := schemas()
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, file: path, readOnly: true, query: immutable + "&vfs=" + vfs, limits: usualLimits()}
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
	if version < len(list) {
		return nil, errors.Join(&retold.Error{
			Code: retold.CodeDatabaseCorrupt, Op: "open", Path: path, Hint: "retold restore brings it back, and then up to date",
			Err: errors.New("the library in it is of an older format"),
		}, c.Close())
	}
	return s, s.give(c)
}
