package cursorcli

import (
	"cmp"
	"encoding/hex"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// Limits of the look at what no state names any more.
const (
	maxRewound   = 2000
	maxTurnBytes = 8 << 20
)

// leftTurn is a stored turn that the conversation does not name.
type leftTurn struct {
	id    string
	user  string // blob id of its user message
	size  int64
	rowid int64
	old   bool

	turn   agentstate.Turn
	faults []retold.Problem
}

// The beginning of every blob is enough to tell a turn and whose it is.
const blobHeads = `SELECT rowid, id, length(data), substr(data, 1, 48) FROM blobs`

// rewound finds the turns that the user went back from (formats E.5.9): turn
// blobs that the conversation does not reach, whose user message it does not
// reach either. Of the versions of one turn the longest counts. Only the first
// bytes of other blobs are read.
func rewound(conn *sqlite.Conn, c *agentstate.Conversation, v agentstate.View) ([]retold.Message, []retold.Problem, error) {
	best := map[string]*leftTurn{}
	err := sqlitex.Execute(conn, blobHeads, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		size := s.ColumnInt64(2)
		user, old, ok := turnHead(column(s, 3), size)
		id := s.ColumnText(1)
		if !ok || size > maxTurnBytes || c.Reached[id] || c.Reached[user] {
			return nil
		}
		if b := best[user]; b == nil && len(best) < maxRewound || b != nil && b.size <= size {
			best[user] = &leftTurn{id: id, user: user, size: size, rowid: s.ColumnInt64(0), old: old}
		}
		return nil
	}})
	if err != nil || len(best) == 0 {
		return nil, nil, err
	}
	known := map[string]bool{}
	knownUsers(c, known, 0)
	var left []*leftTurn
	blobs := connBlobs{conn}
	for _, t := range best {
		b, err := blobs.Blob(t.id)
		if err != nil {
			return nil, nil, err
		}
		turn, faults, err := agentstate.DecodeTurn(b, t.old, blobs, agentstate.Options{})
		if err != nil {
			return nil, nil, err
		}
		u := turn.User
		if u == nil || u.Missing || u.MessageID == "" && u.Text == "" || known["id "+u.MessageID] || u.MessageID == "" && known["text "+u.Text] {
			continue
		}
		if known["archived "+u.Text] { // summarised away, not rewound
			continue
		}
		t.turn, t.faults = turn, faults
		left = append(left, t)
	}
	messages, problems := orphans(left, v)
	return messages, problems, nil
}

// orphans lays rewound turns out, oldest first.
func orphans(left []*leftTurn, v agentstate.View) ([]retold.Message, []retold.Problem) {
	slices.SortFunc(left, func(a, b *leftTurn) int {
		return cmp.Or(a.turn.User.Started.Compare(b.turn.User.Started), cmp.Compare(a.rowid, b.rowid), cmp.Compare(a.id, b.id))
	})
	var out []retold.Message
	var problems []retold.Problem
	seen := map[string]bool{}
	for _, t := range left {
		if id := t.turn.User.MessageID; id != "" {
			if seen[id] {
				continue
			}
			seen[id] = true
		}
		for _, m := range t.turn.Messages(v) {
			m.Orphan = true
			out = append(out, m)
		}
		problems = append(problems, t.faults...)
	}
	return out, problems
}

// turnHead recognises a turn by its first bytes and returns the id of its user
// message: ConversationTurnStructure{1{1 id, …}}, or, as 2025 builds and other
// programs write it, AgentConversationTurnStructure{1 id, 2 id, …}.
func turnHead(head []byte, size int64) (user string, old, ok bool) {
	num, typ, n := protowire.ConsumeTag(head)
	if n < 0 || num != 1 || typ != protowire.BytesType {
		return "", false, false
	}
	length, m := protowire.ConsumeVarint(head[n:])
	if m < 0 {
		return "", false, false
	}
	body := head[n+m:]
	if int64(length)+int64(n+m) == size && length > 34 && len(body) >= 34 && body[0] == 0x0a && body[1] == 32 {
		return hex.EncodeToString(body[2:34]), false, true
	}
	if length == 32 && len(body) >= 34 && body[32] == 0x12 && body[33] == 32 {
		return hex.EncodeToString(body[:32]), true, true
	}
	return "", false, false
}

// knownUsers notes the user messages of a conversation and its sub-agents.
func knownUsers(c *agentstate.Conversation, known map[string]bool, depth int) {
	for i := range c.Turns {
		if u := c.Turns[i].User; u != nil {
			known["id "+u.MessageID], known["text "+u.Text] = u.MessageID != "", true
		}
	}
	for i := range c.Archives {
		for _, p := range c.Archives[i].Messages {
			for _, part := range p.Parts {
				if said, spoken, _ := agentstate.Unwrap(part.Text); spoken && p.Role == "user" {
					known["archived "+said] = true
				}
			}
		}
	}
	for i := range c.Subagents {
		if s := c.Subagents[i].State; s != nil && depth < 10 {
			knownUsers(s, known, depth+1)
		}
	}
}
