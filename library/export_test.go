package library_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/library"
)

// What is exported together is what is listed and exported one by one.
func TestExportAllIsEveryExport(t *testing.T) {
	l, _ := openDemo(t)
	filter := retold.Filter{Agents: []string{"cursor"}}
	var all bytes.Buffer
	report, err := l.ExportAll(t.Context(), &all, filter, export.JSON, export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	listing, err := l.List(t.Context(), filter, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if report.Sessions != len(listing.Data) || len(report.Problems) != len(listing.Problems) {
		t.Errorf("%d sessions and %d problems in the export, %d and %d in the list", report.Sessions, len(report.Problems), len(listing.Data), len(listing.Problems))
	}
	var together []json.RawMessage
	if err := json.Unmarshal(all.Bytes(), &together); err != nil || len(together) < 20 {
		t.Fatalf("%d sessions, %v", len(together), err)
	}
	for i, s := range listing.Data {
		var one bytes.Buffer
		if err := l.Export(t.Context(), &one, s.ID, export.JSON, export.Options{}); err != nil {
			t.Fatal(err)
		}
		var want, got any
		if err := errors.Join(json.Unmarshal(one.Bytes(), &want), json.Unmarshal(together[i], &got)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s alone (-) and among all (+): %s", s.ID, diff)
		}
	}
}

// A session that cannot be read is told of, and the others are written. Formats
// have their other names here too.
func TestExportAllAroundABadSession(t *testing.T) {
	src := tidepool()
	src.memory.sessions[1].err = errors.New("rows are gone")
	l := openHooked(t, library.Options{}, src)
	var b strings.Builder
	report, err := l.ExportAll(t.Context(), &b, retold.Filter{}, "markdown", export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report.Sessions != 2 || len(report.Problems) != 1 || !strings.Contains(report.Problems[0].Reason, "read session two: rows are gone") {
		t.Errorf("%+v", report)
	}
	for text, want := range map[string]bool{"a quokka": true, "another quokka": false, "none": true} {
		if strings.Contains(b.String(), text) != want {
			t.Errorf("%q is there: %v\n%s", text, !want, b.String())
		}
	}
}

// A page without a limit says that it is the only one.
func TestPagesWithoutLimit(t *testing.T) {
	l := openHooked(t, library.Options{}, many(30))
	found, err := l.Search(t.Context(), retold.Query{Filter: retold.Filter{Roles: []retold.Role{retold.RoleUser}}}, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := l.List(t.Context(), retold.Filter{}, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := retold.Pagination{Total: 30, Limit: 30}
	if found.Pagination != want || listed.Pagination != want || len(found.Data) != 30 || len(listed.Data) != 30 {
		t.Errorf("%d hits, %+v; %d sessions, %+v", len(found.Data), found.Pagination, len(listed.Data), listed.Pagination)
	}
}
