package change_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// TestMain also plays other programs: a retold that is killed at a write, a
// program that keeps writing to a database, a Cursor that does nothing.
func TestMain(m *testing.M) {
	switch os.Getenv("CHANGE_PLAY") {
	case "":
		os.Exit(m.Run())
	case "retold":
		playRetold()
	case "writer":
		playWriter(os.Getenv("CHANGE_DB"))
	case "wait":
		fmt.Println("ready")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	}
}

// played is a testing.TB for the process that plays retold.
type played struct{ testing.TB }

func (played) Helper()           {}
func (played) Fatal(args ...any) { fmt.Fprintln(os.Stderr, args...); os.Exit(3) }

// playRetold does what CHANGE_DO says and kills itself before write CHANGE_AT, or
// CHANGE_LATE microseconds later, in the middle of whatever it does then.
func playRetold() {
	at, err := strconv.Atoi(os.Getenv("CHANGE_AT"))
	b := openBench(played{}, os.Getenv("CHANGE_DIR"))
	b.check(err)
	late, err := strconv.Atoi(os.Getenv("CHANGE_LATE"))
	b.check(err)
	self, err := os.FindProcess(os.Getpid())
	b.check(err)
	n := 0
	b.desk.Hook = func(string) error {
		n++
		switch {
		case n == at && late == 0:
			b.check(self.Kill())
			select {}
		case n == at:
			time.AfterFunc(time.Duration(late)*time.Microsecond, func() { _ = self.Kill() })
		}
		return nil
	}
	ctx := context.Background()
	var p *change.Plan
	switch os.Getenv("CHANGE_DO") {
	case "apply":
		data, err := os.ReadFile(filepath.Join(b.dir, "empty"))
		b.check(err)
		p = b.draft(b.stepsWith(data)...)
	case "undo":
		p, err = b.desk.PlanUndo("")
		b.check(err)
	case "finish", "roll back":
		_, err := b.desk.Settle(ctx, map[string]change.Way{"finish": change.Finish, "roll back": change.RollBack}[os.Getenv("CHANGE_DO")])
		b.check(err)
		return
	}
	_, err = b.desk.Apply(ctx, p, "")
	b.check(err)
	b.check(p.Close())
}

// play runs a retold and reports whether it was killed.
func (b *bench) play(do string, at int) (killed bool) { return b.playLate(do, at, 0) }

func (b *bench) playLate(do string, at, late int) (killed bool) {
	b.t.Helper()
	cmd := exec.CommandContext(b.t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "CHANGE_PLAY=retold", "CHANGE_DIR="+b.dir, "CHANGE_DO="+do, "CHANGE_AT="+strconv.Itoa(at), "CHANGE_LATE="+strconv.Itoa(late))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() == 3 || exit.ExitCode() == 2 {
		b.t.Fatalf("%s at %d: %v\n%s", do, at, err, out)
	}
	return true
}

// A killing bench knows what it holds before and after the change.
type killing struct {
	*bench
	before, after map[string]string
	points        int
}

func newKilling(t *testing.T) *killing {
	t.Helper()
	b := newBench(t)
	k := &killing{bench: b, before: b.content()}
	b.killed = true
	b.check(os.WriteFile(filepath.Join(b.dir, "empty"), b.emptyDatabase(), 0o600))
	return k
}

// learn takes the change once, counts the writes, and takes it back.
func (k *killing) learn() {
	k.t.Helper()
	k.desk.Hook = func(string) error { k.points++; return nil }
	k.apply(k.draft(k.steps()...))
	k.desk.Hook = nil
	k.after = k.content()
	k.undo("")
	k.whole("undo")
}

// whole wants all of the change or nothing of it, and says which.
func (k *killing) whole(what string) (isNew bool) {
	k.t.Helper()
	now := k.content()
	isNew = cmp.Equal(k.after, now)
	if !isNew && !cmp.Equal(k.before, now) {
		k.t.Fatalf("%s: neither before nor after:\n-before +now\n%s\n-after +now\n%s", what, cmp.Diff(k.before, now), cmp.Diff(k.after, now))
	}
	k.noTrace()
	return isNew
}

// settle settles what a kill left, itself killed now and then, and tells whether
// the change is there now.
func (k *killing) settle(what string, way change.Way, at int) bool {
	k.t.Helper()
	if at > 0 {
		k.play([]string{"finish", "roll back"}[way], at)
	}
	list, err := k.desk.Settle(k.t.Context(), way)
	if err != nil {
		k.t.Fatalf("%s: %v", what, err)
	}
	for _, s := range list {
		if s.State == change.Interrupted {
			k.t.Fatalf("%s: %+v", what, s)
		}
	}
	return k.whole(what)
}

// TestKillAtEveryWrite kills the process at each write of a change and of its
// undo. Whatever it leaves, it can be finished and it can be taken back.
func TestKillAtEveryWrite(t *testing.T) {
	k := newKilling(t)
	k.learn()
	if k.points < 30 {
		t.Fatalf("only %d writes", k.points)
	}
	for at := 1; at <= k.points; at++ {
		for _, way := range []change.Way{change.Finish, change.RollBack} {
			if !k.play("apply", at) {
				t.Fatalf("not killed at %d", at)
			}
			if k.settle(fmt.Sprintf("write %d, way %d", at, way), way, 0) {
				k.undo("")
			}
		}
	}
	t.Logf("%d writes, each killed twice", k.points)
}

// TestKillAnywhere kills a change, its undo and the settling of both at random
// writes, or somewhere between two.
func TestKillAnywhere(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	k := newKilling(t)
	k.learn()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 1))
	there, killed := false, 0
	for round := range rounds {
		do := "apply"
		if there {
			do = "undo"
		}
		at := 1 + dice.IntN(k.points+4)
		late := dice.IntN(2) * dice.IntN(2000)
		if k.playLate(do, at, late) {
			killed++
		}
		again := 0
		if dice.IntN(3) == 0 {
			again = 1 + dice.IntN(k.points)
		}
		there = k.settle(fmt.Sprintf("round %d: %s at %d+%dµs, settled at %d", round, do, at, late, again), change.Way(dice.IntN(2)), again)
	}
	if killed < rounds/3 {
		t.Errorf("only %d of %d were killed", killed, rounds)
	}
	t.Logf("%d of %d killed", killed, rounds)
}

// TestNextApplySettles has the next change deal with what a kill left.
func TestNextApplySettles(t *testing.T) {
	k := newKilling(t)
	k.learn()
	for at := 1; at <= k.points; at += 5 {
		k.play("apply", at)
		p := k.draft(rowStep(k.global, "bubbleId:1", kv("bubbleId:1", retold.TextValue(strings.Repeat("the tide comes in ", 400)+"1"), 2), kv("bubbleId:1", retold.TextValue("another"), 2)))
		out := k.apply(p)
		k.undo(out.ID)
		if k.whole(fmt.Sprintf("at %d", at)) {
			list, err := k.desk.List()
			k.check(err)
			for _, c := range list { // the newest that is no undo and not that other change
				if c.State == change.Done && c.Undoes == "" {
					k.undo(c.ID)
					break
				}
			}
		}
	}
}

// playWriter adds some hundred rows a second, as a busy editor does, until its
// input ends, and then says how many.
func playWriter(path string) {
	b := openBench(played{}, os.TempDir())
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	b.check(err)
	stop := make(chan bool)
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		close(stop)
	}()
	conn.SetBusyTimeout(patience)
	n := 0
	for {
		select {
		case <-stop:
			b.check(conn.Close())
			fmt.Println(n)
			return
		case <-time.After(5 * time.Millisecond):
			err := sqlitex.Execute(conn, "INSERT INTO ItemTable VALUES (?, randomblob(300))", &sqlitex.ExecOptions{Args: []any{fmt.Sprint("w", n)}})
			if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy {
				continue
			}
			b.check(err)
			if n++; n == 1 {
				fmt.Println("ready")
			}
		}
	}
}

// TestBesideAWriter changes files while another program writes to both: what
// either wrote is there afterwards.
func TestBesideAWriter(t *testing.T) {
	b := newBench(t)
	var stops []func() int
	for _, path := range []string{b.global, b.local} {
		stops = append(stops, b.startWriter(path))
	}
	before := b.content()
	applied := 0
	for range 4 {
		p := b.draft(b.steps()...)
		_, err := b.desk.Apply(t.Context(), p, "")
		b.check(p.Close())
		if err == nil {
			applied++
			err = retold.ErrDatabaseLocked
			for errors.Is(err, retold.ErrDatabaseLocked) {
				p, planErr := b.desk.PlanUndo("")
				b.check(planErr)
				_, err = b.desk.Apply(t.Context(), p, "")
				b.check(p.Close())
			}
			b.check(err)
		} else if !errors.Is(err, retold.ErrDatabaseLocked) {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"global.db", "ws/local.db"} {
		n, have := stops[i](), 0
		now := b.content()
		for key, value := range now {
			if strings.HasPrefix(key, name+"/ItemTable/") {
				have++
			} else if strings.HasPrefix(key, name+"/") && before[key] != value {
				t.Errorf("%s is %s", key, value)
			}
		}
		if have != n {
			t.Errorf("%s: %d rows of the writer's %d", name, have, n)
		}
	}
	if applied == 0 {
		t.Error("never applied")
	}
	t.Logf("applied %d of 4", applied)
}

func (b *bench) startWriter(path string) (stop func() int) {
	b.t.Helper()
	cmd := exec.CommandContext(b.t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "CHANGE_PLAY=writer", "CHANGE_DB="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	b.check(err)
	out, err := cmd.StdoutPipe()
	b.check(err)
	b.check(cmd.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		b.t.Fatal("the writer ended")
	}
	return func() int {
		b.check(in.Close())
		lines.Scan()
		n, err := strconv.Atoi(lines.Text())
		b.check(err)
		b.check(cmd.Wait())
		return n
	}
}

// TestFailedIsNotFinished has a change fail, and its rollback fail too: the next
// run takes back what was written, because somebody was told that it failed.
func TestFailedIsNotFinished(t *testing.T) {
	b := newBench(t)
	before := b.content()
	n := 0
	b.desk.Hook = func(point string) error {
		if strings.HasPrefix(point, "rename ") {
			n++
		}
		if n > 0 && point != "journal failed" {
			return errors.New("the disk is gone")
		}
		return nil
	}
	p := b.draft(b.steps()...)
	if _, err := b.desk.Apply(t.Context(), p, ""); err == nil {
		t.Fatal("no error")
	}
	b.check(p.Close())
	if diff := cmp.Diff([]string{change.Interrupted}, b.states()); diff != "" {
		t.Error(diff)
	}
	b.desk.Hook = nil
	list, err := b.desk.Settle(t.Context(), change.Finish)
	b.check(err)
	if len(list) != 1 || list[0].State != change.RolledBack || len(list[0].New) == 0 || len(list[0].Old) == 0 {
		t.Errorf("%+v", list)
	}
	if diff := cmp.Diff(before, b.content()); diff != "" {
		t.Error(diff)
	}
}
