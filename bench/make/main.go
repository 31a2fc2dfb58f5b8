// Command make writes a big made-up Cursor history for benchmarks and prints
// what it holds as JSON.
//
//	go run ./bench/make -o DIR -size 1G -seed 1
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/retold-history/retold/bench"
)

func main() {
	bench.Main(func(ctx context.Context, args []string, _ io.Writer) error { return run(ctx, args) })
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("make", flag.ContinueOnError)
	dir := flags.String("o", "", "folder to write into")
	size := flags.String("size", "1G", "size of the database: bytes, or with K, M or G")
	huge := flags.String("huge", "0", "size of one huge message, e.g. 50M")
	seed := flags.Uint64("seed", 1, "seed of all randomness")
	long := flags.Int("long", 0, "messages of one more, very long session, e.g. 80000")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" {
		return errors.New("no folder given: use -o DIR")
	}
	options := bench.Options{Seed: *seed, Long: *long}
	var err error
	if options.Size, err = parseSize(*size); err != nil {
		return err
	}
	if options.Huge, err = parseSize(*huge); err != nil {
		return err
	}
	made, err := bench.Make(ctx, *dir, options)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(made)
}

func parseSize(s string) (int64, error) {
	shift := 0
	switch {
	case strings.HasSuffix(s, "K"):
		shift = 10
	case strings.HasSuffix(s, "M"):
		shift = 20
	case strings.HasSuffix(s, "G"):
		shift = 30
	}
	n, err := strconv.ParseInt(strings.TrimRight(s, "KMG"), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("size %q is not a number of bytes", s)
	}
	return n << shift, nil
}
