package journal

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/redact"
)

// longestMasked is how many bytes of a file are looked at as a whole for secrets
// around one of its lines.
const longestMasked = 8 << 20

// maskedLines are blamed lines as they may be shown. A secret of several lines, as
// a private key is, is found in the whole file only.
func maskedLines(ctx context.Context, repo *git.Repo, ask git.BlameAsk, list []git.BlamedLine) []string {
	texts := make([]string, len(list))
	for i := range list {
		texts[i] = list[i].Text
	}
	if ask.From == 0 || len(list) == 0 {
		return maskLines(texts)
	}
	whole := fileLines(ctx, repo, ask)
	first := list[0].Line - 1
	for i := range list {
		if at := first + i; list[i].Line != at+1 || at >= len(whole) || strings.TrimSuffix(whole[at], "\r") != texts[i] {
			return maskLines(texts) // another file by now
		}
	}
	return maskLines(whole)[first : first+len(list)]
}

// fileLines are the lines of the file that was blamed; none when it cannot be
// read, or is too long.
func fileLines(ctx context.Context, repo *git.Repo, ask git.BlameAsk) []string {
	var data []byte
	var err error
	if ask.Rev != "" {
		data, err = repo.File(ctx, ask.Rev, ask.Path)
	} else {
		data, err = os.ReadFile(filepath.Join(repo.Root, filepath.FromSlash(ask.Path)))
	}
	if err != nil || len(data) > longestMasked {
		return nil // the line is masked by itself then
	}
	return strings.Split(string(data), "\n")
}

// maskLines masks the secrets in lines that follow each other. Every line that a
// secret reaches into has its mask.
func maskLines(lines []string) []string {
	found := redact.Find(strings.Join(lines, "\n"))
	out := make([]string, len(lines))
	at := 0 // where the line begins
	for i, line := range lines {
		end := at + len(line)
		var b strings.Builder
		from := at
		for _, f := range found {
			if f.Start >= end {
				break
			}
			if f.End <= from {
				continue
			}
			b.WriteString(line[from-at : max(f.Start, from)-at])
			b.WriteString("[masked " + f.Rule + "]")
			from = min(f.End, end)
		}
		b.WriteString(line[from-at:])
		out[i] = redact.Text(strings.TrimSuffix(b.String(), "\r"))
		for len(found) > 0 && found[0].End <= end {
			found = found[1:]
		}
		at = end + 1
	}
	return out
}
