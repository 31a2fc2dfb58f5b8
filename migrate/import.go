package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// PlanImport asks an agent's source what it takes to hold conversations that it
// does not hold. Those of the ids in kept are in a library already, which does not
// forget them when the import is taken back. The errors are those of its PlanImport.
func PlanImport(ctx context.Context, desk *change.Desk, w retold.Importer, m retold.Import, kept map[string]bool) (*Change, error) {
	if err := checkTarget(m.To); err != nil {
		return nil, err
	}
	what := fmt.Sprintf("%d sessions", len(m.Sessions))
	if len(m.Sessions) == 1 {
		what = "session " + m.Sessions[0].Session.ID
	}
	c, err := draft(ctx, desk, "import "+what+" to "+m.To, w.PlanImport(ctx, m))
	if err != nil {
		return nil, err
	}
	c.subject = c.plan.Sessions()
	c.plan.Makes(slices.DeleteFunc(slices.Clone(c.subject), func(id string) bool { return kept[id] }))
	return c, nil
}

// ImportID is the id that a conversation has in another agent's files; n counts
// further ones of the same. It is a uuid of version 4 in form.
func ImportID(agent, id string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "retold import\n%s\n%s\n%d", agent, id, n))
	return uuidOf(sum)
}

func uuidOf(sum [sha256.Size]byte) string {
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
