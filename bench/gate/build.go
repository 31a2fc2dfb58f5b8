package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// build makes a binary of a revision in a work tree of its own at dir, or of the
// files as they lie here when revision is "". The work tree is gone afterwards.
func build(ctx context.Context, revision, dir, binary string) (err error) {
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	if revision != "" {
		if _, err := git(ctx, root, "worktree", "add", "--detach", "--force", dir, revision); err != nil {
			return err
		}
		defer func() {
			_, gone := git(context.WithoutCancel(ctx), root, "worktree", "remove", "--force", dir)
			err = errors.Join(err, gone)
		}()
		root = dir
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", binary, "./cmd/retold")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	_, err = output(cmd)
	return err
}

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	return output(cmd)
}

func output(cmd *exec.Cmd) (string, error) {
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args[:2], " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(out.String()), nil
}
