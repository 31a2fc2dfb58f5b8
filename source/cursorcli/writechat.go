package cursorcli

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/paths"
)

// A chat turns one session into what a store holds.
type chat struct {
	id    string // of the conversation to be
	to    paths.Address
	whole *retold.SessionDetail
	keep  bool // messages keep the ids that the agent gave them

	talk  []retold.Message // the conversation
	aside []retold.Message // what is no longer part of it
	calls []draft          // parallel to talk; empty where it is no call

	blobs map[string][]byte
	order []string // of blobs
	root  string   // the state's id
	read  []string // parallel to talk: what the record is called by its reading; "" for none
	marks []byte   // what the records do not say, see marksKey
}

// write makes all blobs.
func (w *chat) write() error {
	w.blobs = map[string][]byte{}
	w.divide()
	if len(w.talk) == 0 {
		return &retold.Error{Code: retold.CodeUsage, Err: errors.New("nothing is said in it"), Hint: "retold show " + w.whole.ID}
	}
	w.draftCalls()
	k := agentstate.Maker{Put: w.put}
	state := agentstate.NewState{Workspace: w.to.URI(), Mode: w.mode(), Branch: w.whole.Branch}
	if created, _ := w.times(); created > 0 {
		state.Started = time.UnixMilli(created)
	}
	var err error
	if state.Prompts, err = w.prompts(); err != nil {
		return err
	}
	if state.Turns, err = w.turns(&k); err != nil {
		return err
	}
	root, err := k.State(&state)
	if err != nil {
		return err
	}
	w.root = digestOf(root)
	return w.compare(root)
}

// divide tells the conversation from what is aside. Where that is all that is
// left, it is the conversation again.
func (w *chat) divide() {
	for i := range w.whole.Messages {
		switch m := w.whole.Messages[i]; {
		case !spoken(&m) || saysNothing(&m):
		case m.Orphan || m.Recovered:
			w.aside = append(w.aside, m)
		default:
			w.talk = append(w.talk, m)
		}
	}
	if len(w.talk) == 0 {
		w.talk, w.aside = w.aside, nil
		for i := range w.talk {
			w.talk[i].Orphan, w.talk[i].Recovered = false, false
		}
	}
}

// saysNothing reports whether a step has only white space in it: the agent's own
// are passed over where they are read.
func saysNothing(m *retold.Message) bool {
	switch m.Role {
	case retold.RoleUser, retold.RoleSystem, retold.RoleTool:
		return false
	}
	return strings.TrimSpace(m.Content) == ""
}

// turns writes the conversation as it is shown: what a person said, or a notice
// in his place, and the steps that followed.
func (w *chat) turns(k *agentstate.Maker) (refs [][]byte, err error) {
	w.read = make([]string, len(w.talk))
	used := map[string]bool{}
	for at := 0; at < len(w.talk); {
		t := agentstate.NewTurn{User: agentstate.User{Mode: w.mode(), MessageID: w.messageID(at, used)}}
		start := at
		if m := &w.talk[at]; m.Role == retold.RoleUser || m.Role == retold.RoleSystem {
			t.User.Text, t.User.Simulated, t.User.Attachments, t.User.Started = m.Content, m.Role == retold.RoleSystem, m.Attachments, stored(m)
			w.read[at] = t.User.MessageID
			at++
		} else { // nobody asked: the agent wants somebody to have
			t.User.Simulated = true
		}
		steps := at
		for ; at < len(w.talk) && w.talk[at].Role != retold.RoleUser && w.talk[at].Role != retold.RoleSystem; at++ {
			t.Steps = append(t.Steps, w.step(at))
		}
		for i := start; i < at && t.RequestID == ""; i++ {
			t.RequestID = w.talk[i].RequestID
		}
		ref, stepRefs, err := k.Turn(&t)
		if err != nil {
			return nil, err
		}
		refs = append(refs, ref)
		for i, s := range stepRefs {
			w.read[steps+i] = hex.EncodeToString(s)[:shortID]
		}
	}
	return refs, nil
}

// shortID is how much of a blob's id names a message.
const shortID = 16

func (w *chat) step(at int) agentstate.NewStep {
	m := &w.talk[at]
	s := agentstate.NewStep{Kind: agentstate.StepAssistant, Text: m.Content, Started: stored(m)}
	switch m.Role {
	case retold.RoleThinking:
		s.Kind = agentstate.StepThinking
	case retold.RoleTool:
		s.Kind, s.Call = agentstate.StepTool, w.calls[at].encoded(stored(m))
	}
	return s
}

// stored is the time that a message had; one that was worked out is worked out
// again.
func stored(m *retold.Message) time.Time {
	if m.TimestampSource == retold.TimeStored || m.TimestampSource == "" {
		return m.Timestamp
	}
	return time.Time{}
}

var uuid = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
})

// messageID is the id of what a person said, a uuid.
func (w *chat) messageID(at int, used map[string]bool) string {
	id := derivedID(w.id, "message", strconv.Itoa(at))
	if own := w.talk[at].ID; w.keep && uuid().MatchString(own) && !used[own] {
		id = own
	}
	used[id] = true
	return id
}

// derivedID is a uuid, version 4 in form, that follows from texts.
func derivedID(parts ...string) string {
	sum := sha256.Sum256([]byte("retold\n" + strings.Join(parts, "\n")))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

func digestOf(blob []byte) string {
	sum := sha256.Sum256(blob)
	return hex.EncodeToString(sum[:])
}

// compare reads the state as it will be read, and keeps of each message what
// comes out differently.
func (w *chat) compare(root []byte) error {
	c, err := agentstate.Decode(root, w, agentstate.Options{})
	if err != nil {
		return err
	}
	if len(c.Problems) > 0 {
		return fmt.Errorf("what would be written cannot be read: %s", c.Problems[0].Reason)
	}
	got := c.Messages(agentstate.View{})
	at := map[string][]int{}
	for i := range got {
		base, _, _ := strings.Cut(got[i].ID, "#")
		at[base] = append(at[base], i)
	}
	marks := markSet{Version: 1, Messages: map[string]agentstate.Mark{}, Aside: w.aside}
	last := -1
	for i := range w.talk {
		list := at[w.read[i]]
		if len(list) == 0 || list[0] < last {
			return fmt.Errorf("message %s would be lost", cmp.Or(w.talk[i].ID, strconv.Itoa(i)))
		}
		last, at[w.read[i]] = list[0], list[1:]
		if m := markMessage(&w.talk[i], &got[last], w.keep); len(m) > 0 {
			marks.Messages[got[last].ID] = m
		}
	}
	for _, i := range slices.Concat(slices.Collect(maps.Values(at))...) {
		marks.Messages[got[i].ID] = agentstate.Mark{"hidden": true}
	}
	w.marks, err = marks.encode()
	return err
}
