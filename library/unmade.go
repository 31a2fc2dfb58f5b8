package library

import (
	"context"
	"slices"
	"time"

	"github.com/retold-history/retold"
)

// unmade tells sessions that are gone because retold made them of others and took
// them away again: with them nothing is lost, and nothing is kept of them.
type unmade struct {
	at     map[string]time.Time // when that was done, by id
	looked map[string]time.Time // when a place was read last, by path
}

func (l *Library) unmade(ctx context.Context, store retold.Store) (*unmade, error) {
	u := &unmade{looked: map[string]time.Time{}}
	var err error
	if u.at, err = l.desk().Unmade(); err != nil || len(u.at) == 0 {
		return u, err
	}
	places, err := store.Places(ctx)
	for _, p := range places {
		u.looked[p.Path] = p.Synced
	}
	return u, err
}

// has reports whether a session that is gone now is one of them. One that was found
// in its source after it had been taken away came back by somebody else's hand.
func (u *unmade) has(k *retold.Kept) bool {
	at, is := u.at[k.ID]
	return is && !slices.ContainsFunc(k.Parts, func(p retold.Part) bool { return u.looked[p.Ref.Place].After(at) })
}
