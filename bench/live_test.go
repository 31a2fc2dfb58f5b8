package bench_test

import (
	"strings"
	"testing"

	"github.com/retold-history/retold/bench"
)

// What Live adds is there for another reader at once, in the session's list too.
func TestLiveAppends(t *testing.T) {
	made, conn := small(t, bench.Options{Size: 5 << 20, Seed: 3})
	live, err := bench.OpenLive(t.Context(), made.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := live.Close(); err != nil {
			t.Error(err)
		}
	}()
	id := made.Longest.ID
	const mine = "SELECT count(*) FROM cursorDiskKV WHERE key >= 'bubbleId:' || ?1 || ':' AND key < 'bubbleId:' || ?1 || ';'"
	before := count(t, conn, mine, id)
	word, err := live.Append(id, 5)
	if err != nil {
		t.Fatal(err)
	}
	if after := count(t, conn, mine, id); after != before+5 {
		t.Errorf("%d rows became %d", before, after)
	}
	if n := count(t, conn, "SELECT count(*) FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;' AND json_extract(value, '$.text') LIKE '%' || ? || ')%'", word); n != 1 {
		t.Errorf("%s is in %d messages", word, n)
	}
	if n := count(t, conn, "SELECT count(*) FROM cursorDiskKV c, json_each(c.value, '$.fullConversationHeadersOnly') h WHERE c.key = 'composerData:' || ?1 "+
		"AND EXISTS (SELECT 1 FROM cursorDiskKV b WHERE b.key = 'bubbleId:' || ?1 || ':' || json_extract(h.value, '$.bubbleId') AND b.value LIKE '%zqlive%')", id); n != 5 {
		t.Errorf("%d of 5 messages are in the session's list", n)
	}
	other, err := live.Append(id, 1)
	if err != nil {
		t.Fatal(err)
	}
	if other == word || !strings.HasPrefix(other, "zqlive") {
		t.Errorf("the words are %s, then %s", word, other)
	}
}
