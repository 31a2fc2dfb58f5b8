package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/retold-history/retold"
)

// Schema number n is schema/00n.sql. A library's own number is its user_version:
// the schemas up to it have run.
//
//go:embed schema/*.sql
var schemaFiles embed.FS

// schemas returns all schemas, the first first.
func schemas() ([]string, error) {
	files, err := schemaFiles.ReadDir("schema")
	if err != nil {
		return nil, err
	}
	list := make([]string, 0, len(files))
	for _, f := range files { // in the order of their names
		text, err := schemaFiles.ReadFile("schema/" + f.Name())
		if err != nil {
			return nil, err
		}
		list = append(list, string(text))
	}
	return list, nil
}

// pageSize is of the database file. A compressed page of messages takes a few of
// these; larger ones waste more at each end, smaller ones cost more to follow.
const pageSize = 4096

// migrate runs the schemas that the library has not seen, each in a transaction
// of its own. Two processes may try at once.
func (s *Store) migrate(ctx context.Context, c *conn, version int, list []string) error {
	latest := len(list)
	if version > latest {
		return &retold.Error{
			Code: retold.CodeDatabaseCorrupt, Op: "open", Path: s.path, Hint: "upgrade retold",
			Err: fmt.Errorf("the library has format %d, this retold knows formats up to %d", version, latest),
		}
	}
	if s.readOnly {
		if version == 0 {
			return s.missing(errors.New("there is no library yet"))
		}
		return nil // format 2 has the tables of format 1, and each segment tells its own
	}
	if version == 0 {
		// Both last for the life of the file.
		for _, sql := range []string{fmt.Sprintf("PRAGMA page_size = %d", pageSize), "PRAGMA journal_mode = WAL"} {
			if err := c.run(sql, nil); err != nil {
				return err
			}
		}
	}
	for n := version + 1; n <= latest; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.step(n, list[n-1]); err != nil {
			return fmt.Errorf("bring the library to format %d: %w", n, err)
		}
	}
	return nil
}

// step runs schema n unless another process has done so meanwhile.
func (c *conn) step(n int, script string) error {
	if err := c.run("BEGIN IMMEDIATE", nil); err != nil {
		return err
	}
	version, err := c.version()
	if err == nil && version < n {
		err = c.script(fmt.Sprintf("%s;\nPRAGMA user_version = %d;", script, n))
	}
	if err != nil {
		return errors.Join(err, c.run("ROLLBACK", nil))
	}
	return c.run("COMMIT", nil)
}

// script runs statements one after the other.
func (c *conn) script(sql string) error {
	for {
		sql = strings.TrimSpace(sql)
		if sql == "" {
			return nil
		}
		stmt, rest, err := c.PrepareTransient(sql)
		if err != nil {
			return err
		}
		if stmt == nil {
			return nil
		}
		_, err = stmt.Step()
		if err := errors.Join(err, stmt.Finalize()); err != nil {
			return err
		}
		sql = sql[len(sql)-rest:]
	}
}
