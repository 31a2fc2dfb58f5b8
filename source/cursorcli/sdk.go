package cursorcli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// sdkAgent is a row of an SDK store's index.db with its runs (formats D.10). The
// newest root is named here; the store's own meta row leaves it empty.
type sdkAgent struct {
	id, cwd, name, root, model string
	created, updated           time.Time
	tokens                     retold.Tokens
	index                      string // path of index.db
}

const (
	sdkAgentsQuery = `SELECT agent_id, workspace_ref, name, latest_checkpoint_ref_json, metadata_json, created_at, updated_at FROM agents ORDER BY agent_id`
	sdkRunsQuery   = `SELECT agent_id, model, usage_json, latest_checkpoint_ref_json FROM runs ORDER BY agent_id, turn_number`
)

// sdk adds the sessions of one SDK store. A folder of an agent that the index
// does not know still is a session, under the id its meta row gives.
func (c *catalog) sdk(ctx context.Context, dir, hash string) {
	if nd := filepath.Join(dir, ndAgents); c.exists(nd) && c.inside(nd) {
		c.ndjson(ctx, dir, hash)
	}
	index := filepath.Join(dir, "index.db")
	agents := map[string]*sdkAgent{}
	if c.exists(index) && c.inside(index) {
		var err error
		agents, err = c.view.index(ctx, index, c.view.database(index), func() (map[string]*sdkAgent, error) { return readIndex(ctx, index) })
		if err != nil {
			c.faults = append(c.faults, fmt.Errorf("sdk store: %w", err))
		}
	}
	for _, name := range c.subfolders(ctx, filepath.Join(dir, "agents")) {
		ref := &storeRef{source: sourceSDK, dir: filepath.Join(dir, "agents", name), hash: hash, sdk: agents[name]}
		ref.astray = c.exists(ref.side()) && !c.inside(ref.side())
		if !c.exists(ref.db()) || !c.inside(ref.db()) {
			continue
		}
		id := ""
		if ref.sdk != nil {
			id = ref.sdk.id
			delete(agents, name)
		} else {
			id = c.ownID(ctx, ref.db())
		}
		if id == "" {
			id = name
		}
		r := c.record(id)
		r.stores = append(r.stores, ref)
	}
	for _, name := range slices.Sorted(maps.Keys(agents)) { // named by the index, without a store
		a := agents[name]
		r := c.record(a.id)
		r.stores = append(r.stores, &storeRef{source: sourceSDK, dir: filepath.Join(dir, "agents", name), hash: hash, sdk: a})
	}
}

// ownID is the id that a store's meta row gives, "" when it gives none.
func (c *catalog) ownID(ctx context.Context, db string) (id string) {
	stamp := c.view.database(db)
	if data, ok := c.view.recall(noteID, db, stamp); ok {
		return string(data)
	}
	c.view.settle(ctx)
	err := inStore(ctx, db, func(conn *sqlite.Conn) error {
		m, _, err := readMeta(conn)
		id = m.agentID
		return err
	})
	if err != nil && !errors.Is(err, errNoTables) {
		c.faults = append(c.faults, fmt.Errorf("sdk store: %w", err))
		return id
	}
	c.view.keep(noteID, db, stamp, []byte(id))
	return id
}

// readIndex reads the agents by the name of their folder.
func readIndex(ctx context.Context, path string) (map[string]*sdkAgent, error) {
	var agents map[string]*sdkAgent
	err := inStore(ctx, path, func(conn *sqlite.Conn) error {
		agents = map[string]*sdkAgent{}
		byID := map[string]*sdkAgent{}
		err := sqlitex.Execute(conn, sdkAgentsQuery, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			metadata, _ := jscan.Parse(column(s, 4)) // an odd value says nothing
			a := &sdkAgent{
				id: s.ColumnText(0), cwd: s.ColumnText(1), name: s.ColumnText(2), root: checkpoint(column(s, 3)),
				model: metadata.At("model", "id").Str(), created: isoTime(s.ColumnText(5)), updated: isoTime(s.ColumnText(6)), index: path,
			}
			sum := sha256.Sum256([]byte(a.id))
			agents["agent-"+hex.EncodeToString(sum[:])] = a
			byID[a.id] = a
			return nil
		}})
		if err != nil {
			return err
		}
		return sqlitex.Execute(conn, sdkRunsQuery, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			if a := byID[s.ColumnText(0)]; a != nil {
				a.takeRun(s.ColumnText(1), column(s, 2), column(s, 3))
			}
			return nil
		}})
	})
	return agents, err
}

func (a *sdkAgent) takeRun(model string, usage, ref []byte) {
	if model != "" {
		a.model = model
	}
	u, _ := jscan.Parse(usage) // an odd value says nothing
	in, _ := u.Get("inputTokens").Int()
	out, _ := u.Get("outputTokens").Int()
	a.tokens.Input += max(in, 0)
	a.tokens.Output += max(out, 0)
	if a.root == "" {
		a.root = checkpoint(ref)
	}
}

// checkpoint is the root that a checkpoint reference names.
func checkpoint(ref []byte) string {
	v, _ := jscan.Parse(ref) // an odd value names nothing
	return v.First("blobId", "rootBlobId").Str()
}

// takeAgent takes what the index says over what the store says.
func (f *facts) takeAgent(a *sdkAgent) {
	f.title, f.model = a.name, a.model
	if f.cwd == "" {
		f.cwd = a.cwd
	}
	f.created, f.updated = a.created, a.updated
	if a.tokens != (retold.Tokens{}) {
		tokens := a.tokens
		f.tokens = &tokens
	}
}
