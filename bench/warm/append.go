package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/bench/cost"
	"github.com/retold-history/retold/library"
)

// added is how many messages the writer adds at a time.
const added = 5

// appends lets another process add messages to a session of about 500, and
// measures from its commit until the last of them is found.
func (m *meter) appends(ctx context.Context, rounds int) (err error) {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "-write", m.made.Database)
	cmd.Stderr = os.Stderr
	orders, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, orders.Close(), cmd.Wait()) }()
	lines := bufio.NewScanner(answers)
	var syncs, whole []time.Duration
	for range rounds + 1 {
		if _, err := fmt.Fprintln(orders, m.made.Typical.ID); err != nil {
			return err
		}
		if !lines.Scan() {
			return errors.Join(errors.New("the writer ended early"), lines.Err())
		}
		start := time.Now()
		if _, err := m.lib.Sync(ctx, library.SyncOptions{}); err != nil {
			return err
		}
		synced := time.Since(start)
		if err := m.find(ctx, lines.Text()); err != nil {
			return err
		}
		syncs, whole = append(syncs, synced), append(whole, time.Since(start))
	}
	// The first look at a database that a writer has opened since is another case.
	m.row("first append after a program opened the database", whole[:1])
	m.row(fmt.Sprintf("%d messages added to a session of %d: sync", added, m.made.Typical.Bubbles), syncs[1:])
	m.row("… until the last of them is found", whole[1:])
	return nil
}

// find searches for a word that was just said.
func (m *meter) find(ctx context.Context, word string) error {
	q, err := retold.ParseQuery(word, time.Now())
	if err != nil {
		return err
	}
	found, err := m.lib.Search(ctx, q, 20, 0)
	if err != nil {
		return err
	}
	for _, hit := range found.Data {
		if hit.SessionID == m.made.Typical.ID {
			return nil
		}
	}
	return fmt.Errorf("%s was said, and a sync did not make it searchable", word)
}

// serve is the writer: for each line, the id of a session, it adds messages to
// that and answers with a word of the last.
func serve(ctx context.Context, path string, in io.Reader, out io.Writer) (err error) {
	live, err := bench.OpenLive(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, live.Close()) }()
	orders := bufio.NewScanner(in)
	for orders.Scan() {
		word, err := live.Append(orders.Text(), added)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, word); err != nil {
			return err
		}
	}
	return orders.Err()
}

// row prints one line of the table.
func (m *meter) row(name string, took []time.Duration) {
	at := func(percent int) float64 { return float64(cost.Quantile(took, percent)) / float64(time.Millisecond) }
	m.out.Say("| %s | %d | %.2f | %.2f | %.2f |\n", name, len(took), at(50), at(95), at(100))
}
