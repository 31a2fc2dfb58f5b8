package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// several is from how many files of a kind on a person is shown their sum.
const several = 2

// together sums the accounts of many small files of a kind (the databases of
// workspaces, the stores of command line sessions, transcripts). A file that
// holds most of the bytes of its kind stands alone.
func together(files []library.FileReport) []library.FileReport {
	type kind struct{ agent, name string }
	groups := map[kind][]library.FileReport{}
	var order []kind
	for _, f := range files {
		k := kind{f.Agent, "*" + filepath.Ext(f.Path)}
		if k.name == "*.vscdb" || k.name == "*.db" {
			k.name = filepath.Base(f.Path)
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], f)
	}
	var out []library.FileReport
	for _, k := range order {
		list := groups[k]
		var bytes int64
		for _, f := range list {
			bytes += f.FileBytes
		}
		rest := slices.DeleteFunc(slices.Clone(list), func(f library.FileReport) bool {
			if 2*f.FileBytes > bytes {
				out = append(out, f)
				return true
			}
			return false
		})
		if len(rest) < several {
			out = append(out, rest...)
		} else {
			out = append(out, sum(fmt.Sprintf("%d × %s below %s", len(rest), k.name, above(rest)), rest))
		}
	}
	return out
}

// above is the folder that holds all files.
func above(files []library.FileReport) string {
	dir := filepath.Dir(files[0].Path)
	for _, f := range files[1:] {
		for !strings.HasPrefix(f.Path, dir+string(filepath.Separator)) && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
		}
	}
	return dir
}

// sum is the account of several files under one name.
func sum(name string, files []library.FileReport) library.FileReport {
	out := library.FileReport{Agent: files[0].Agent, Inventory: retold.Inventory{Path: name}}
	families := map[[2]string]int{}
	versions := map[[2]string]int{}
	for _, f := range files {
		out.FileBytes += f.FileBytes
		out.WALBytes += f.WALBytes
		out.Overhead += f.Overhead
		out.FreeBytes += f.FreeBytes
		if !strings.Contains(out.Access, f.Access) {
			out.Access = strings.TrimPrefix(out.Access+", "+f.Access, ", ")
		}
		for _, x := range f.Families {
			key := [2]string{x.Table, x.Name}
			at, ok := families[key]
			if !ok {
				at = len(out.Families)
				families[key] = at
				out.Families = append(out.Families, retold.Family{Name: x.Name, Table: x.Table, Known: x.Known})
			}
			out.Families[at] = plus(out.Families[at], x)
		}
		for _, v := range f.Versions {
			key := [2]string{v.Family, v.V}
			at, ok := versions[key]
			if !ok {
				at = len(out.Versions)
				versions[key] = at
				out.Versions = append(out.Versions, retold.Version{Family: v.Family, V: v.V, Known: v.Known})
			}
			out.Versions[at].Rows += v.Rows
		}
	}
	slices.SortStableFunc(out.Families, func(a, b retold.Family) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return out
}

// plus adds the counts of b to a.
func plus(a, b retold.Family) retold.Family {
	a.Rows += b.Rows
	a.Bytes += b.Bytes
	a.Shown += b.Shown
	a.Empty += b.Empty
	a.Orphans += b.Orphans
	a.Tombstones += b.Tombstones
	a.Malformed += b.Malformed
	return a
}

// account prints the account of one file as lines that add up.
func (a *app) account(f library.FileReport) {
	a.title(oneLine(f.Path))
	a.line("  %s", a.style.dim(fmt.Sprintf("%s · %s · %s", oneLine(f.Agent), size(f.FileBytes), accessed(f))))
	rows := [][]string{{"kind of record", "rows", "bytes", "shown", "empty", "orphans", "deleted", "malformed", "other"}}
	if !slices.ContainsFunc(f.Families, func(x retold.Family) bool { return unexplained(x) != 0 }) {
		rows[0] = rows[0][:len(rows[0])-1]
	}
	var all retold.Family
	for _, x := range f.Families {
		if x.Rows == 0 {
			continue
		}
		name := x.Name
		if !strings.HasPrefix(x.Name, x.Table) {
			name = x.Table + " " + x.Name
		}
		if !x.Known {
			name += " (unknown)"
		}
		rows = append(rows, familyRow(name, x))
		all = plus(all, x)
	}
	overhead := "overhead of the file"
	if f.FreeBytes > 0 {
		overhead += fmt.Sprintf(" (%s of it free)", size(f.FreeBytes))
	}
	rows = append(rows, []string{overhead, "", number(f.Overhead)})
	all.Bytes += f.Overhead
	total := "sum = size of the file"
	if all.Bytes != f.FileBytes {
		total = fmt.Sprintf("sum, but the file has %s", number(f.FileBytes))
	}
	rows = append(rows, familyRow(total, all))
	for i := range rows {
		rows[i] = rows[i][:min(len(rows[i]), len(rows[0]))]
	}
	a.grid(rows)
	var versions []string
	for _, v := range f.Versions {
		text := fmt.Sprintf("%s _v %s: %s", oneLine(v.Family), oneLine(cmp.Or(v.V, "absent")), number(v.Rows))
		if !v.Known {
			text += " (never seen before)"
		}
		versions = append(versions, text)
	}
	if len(versions) > 0 {
		a.line("  %s", a.style.dim("versions · "+strings.Join(versions, " · ")))
	}
}

func familyRow(name string, f retold.Family) []string {
	return []string{name, number(f.Rows), number(f.Bytes), some(f.Shown), some(f.Empty), some(f.Orphans), some(f.Tombstones), some(f.Malformed), some(unexplained(f))}
}

// unexplained is how many rows of a family reach no conversation without one of
// the other columns saying why: settings and caches, most of all.
func unexplained(f retold.Family) int64 {
	return f.Rows - f.Shown - f.Empty - f.Orphans - f.Tombstones - f.Malformed
}

// accessed says how a file was read.
func accessed(f library.FileReport) string {
	if f.Access == "" || f.Access == "unreadable" {
		return "could not be read"
	}
	return "read as " + oneLine(f.Access)
}

// some is a count of what often is not there at all.
func some(n int64) string {
	if n == 0 {
		return "·"
	}
	return number(n)
}

// grid prints aligned rows under a heading, names to the left and numbers to
// the right, in pipes as well: it is read by people wherever it goes.
func (a *app) grid(rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			row[i] = oneLine(row[i])
			widths[i] = max(widths[i], cells(row[i]))
		}
	}
	widths[0] = min(widths[0], 56)
	for n, row := range rows {
		var b strings.Builder
		for i, text := range row {
			b.WriteString("  " + fit(text, widths[i], i > 0, false))
		}
		line := strings.TrimRight(b.String(), " ")
		switch n {
		case 0:
			line = a.style.dim(line)
		case len(rows) - 1:
			line = a.style.bold(line)
		}
		a.line("%s", line)
	}
}

// number writes a number with its thousands apart.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// size writes bytes as people say them.
func size(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, names := float64(n), "kMGTPE"
	at := -1
	for value >= unit && at < len(names)-1 {
		value /= unit
		at++
	}
	return fmt.Sprintf("%.1f %cB", value, names[at])
}
