package library_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
)

// However a session is named, the same is shown: only its number in the listing
// stays unknown when nothing was listed. What the listing says of it holds too.
func TestShowIsTheSameHoweverNamed(t *testing.T) {
	ctx := t.Context()
	listed, dir := openDemo(t)
	listing, err := listed.List(ctx, retold.Filter{Empty: true}, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(listing.Data) < 20 {
		t.Fatalf("the demo has %d sessions, too few to tell anything", len(listing.Data))
	}
	for _, s := range listing.Data {
		byNumber, err := listed.Show(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		byID, err := reopen(t, dir).Show(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		if byID.Index != 0 && byID.Index != s.Index {
			t.Errorf("%s by its id has number %d, in the listing %d", s.ID, byID.Index, s.Index)
		}
		byID.Index = byNumber.Index
		if diff := cmp.Diff(byNumber, byID); diff != "" {
			t.Errorf("%s after a listing (-) and straight by its id (+): %s", s.ID, diff)
		}
		if diff := cmp.Diff(s, byNumber.Session); diff != "" {
			t.Errorf("%s as listed (-) and as shown (+): %s", s.ID, diff)
		}
	}
}
