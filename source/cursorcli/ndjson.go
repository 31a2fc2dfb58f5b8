package cursorcli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/jscan"
)

// Files of the SDK's line-JSON store: agents and runs as the tables of index.db,
// blobs in base64. Where programs keep it is theirs to choose; it is understood
// in an sdk-agent-store and in a folder given by hand.
const (
	ndAgents      = "agents.ndjson"
	ndRuns        = "runs.ndjson"
	ndCheckpoints = "checkpoints.ndjson"
)

// lines calls fn for each JSON object of a file, in order; a line that is none,
// such as a cut last one, is counted.
func lines(ctx context.Context, path string, fn func(jscan.Value)) (bad int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	r := bufio.NewReaderSize(f, 1<<16)
	for err == nil && ctx.Err() == nil {
		var line []byte
		line, err = r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if v, parseErr := jscan.Parse(line); parseErr == nil && v.Kind() == jscan.Object {
			fn(v)
		} else {
			bad++
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return bad, errors.Join(err, ctx.Err(), f.Close())
}

// ndjson adds the sessions of a line-JSON store.
func (c *catalog) ndjson(ctx context.Context, dir, hash string) {
	list := filepath.Join(dir, ndAgents)
	stamp := c.view.stamp(list) ^ bits.RotateLeft64(c.view.stamp(filepath.Join(dir, ndRuns)), 1)
	agents, err := c.view.index(ctx, list, stamp, func() (map[string]*sdkAgent, error) { return readAgents(ctx, dir) })
	if err != nil {
		c.faults = append(c.faults, fmt.Errorf("sdk store: %w", err))
	}
	for _, id := range slices.Sorted(maps.Keys(agents)) {
		r := c.record(id)
		r.stores = append(r.stores, &storeRef{source: sourceSDK, dir: dir, hash: hash, sdk: agents[id], lines: true})
	}
}

// readAgents reads the agents of a line-JSON store by id. Of several lines of one
// agent the last counts.
func readAgents(ctx context.Context, dir string) (map[string]*sdkAgent, error) {
	agents := map[string]*sdkAgent{}
	_, err := lines(ctx, filepath.Join(dir, ndAgents), func(v jscan.Value) {
		id := v.Get("agentId").Str()
		if id == "" {
			return
		}
		agents[id] = &sdkAgent{
			id: id, cwd: v.Get("cwd").Str(), name: v.Get("name").Str(), root: checkpoint(v.Get("latestCheckpoint")),
			model: v.At("sdkMetadata", "model", "id").Str(), created: epoch(v.Get("createdAt")), updated: epoch(v.Get("updatedAt")),
			index: filepath.Join(dir, ndAgents),
		}
	})
	if runs := filepath.Join(dir, ndRuns); exists(runs) {
		_, runsErr := lines(ctx, runs, func(v jscan.Value) {
			if a := agents[v.Get("agentId").Str()]; a != nil {
				a.takeRun(v.At("model", "id").Str(), v.Get("usage"), v.Get("latestCheckpointRef"))
			}
		})
		err = errors.Join(err, runsErr)
	}
	return agents, err
}

// lineBlobs are the blobs of one agent.
type lineBlobs map[string][]byte

// Blob implements agentstate.Blobs.
func (b lineBlobs) Blob(id string) ([]byte, error) { return b[id], nil }

// linesPart decodes the conversation of a session in a line-JSON store.
func linesPart(ctx context.Context, ref *storeRef, v agentstate.View) (part, error) {
	var p part
	path := filepath.Join(ref.dir, ndCheckpoints)
	blobs := lineBlobs{}
	bad, err := lines(ctx, path, func(l jscan.Value) {
		if l.Get("agentId").Str() != ref.sdk.id {
			return
		}
		if data, err := base64.StdEncoding.DecodeString(l.Get("dataBase64").Str()); err == nil {
			blobs[l.Get("blobId").Str()] = data
		}
	})
	if err != nil {
		return p, fmt.Errorf("read %s: %w", path, err)
	}
	if bad > 0 {
		p.problems = append(p.problems, retold.Problem{Path: path, Kind: retold.ProblemMalformed, Reason: fmt.Sprintf("%d lines are not JSON objects", bad)})
	}
	state := blobs[ref.sdk.root]
	if state == nil {
		p.rank = rankTranscript
		p.problems = append(p.problems, retold.Problem{Path: path, Key: ref.sdk.root, Kind: retold.ProblemMissing, Reason: "the newest state of the session is not stored here"})
		return p, nil
	}
	c, err := agentstate.Decode(state, blobs, agentstate.Options{})
	if err != nil {
		return p, fmt.Errorf("read %s: %w", path, err)
	}
	p.take(c, v)
	for _, f := range c.Problems {
		f.Path = path
		p.problems = append(p.problems, f)
	}
	return p, nil
}
