package git_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMadeOn(t *testing.T) {
	r := newRepo(t)
	want := map[string]string{}
	commit := func(branch string) {
		r.write("f", branch+r.git("rev-parse", "--git-dir")+string(rune('a'+len(want))))
		want[r.commit("on "+branch)] = branch
	}
	commit("main")
	r.git("checkout", "-q", "-b", "topic")
	commit("topic")
	commit("topic")
	r.git("checkout", "-q", "main")
	r.write("g", "g")
	want[r.commit("beside")] = "main"
	r.git("checkout", "-q", "topic")
	r.git("rebase", "-q", "main")
	want[r.git("rev-parse", "HEAD")] = "topic"
	want[r.git("rev-parse", "HEAD~1")] = "topic"
	r.git("checkout", "-q", "--detach")
	r.write("h", "h")
	r.commit("on no branch")
	got, err := r.open().MadeOn()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
