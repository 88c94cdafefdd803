package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"prax/store/sqlite"
)

// TestPlans: a document is read by its key, and namespaces are counted, through indexes and not by
// walking all that somebody keeps: that would hold up the writer, and let others' documents slow it down.
func TestPlans(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := open(t, sqlite.Config{Dir: dir}).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "prax.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, tt := range map[string]struct {
		statement string
		arguments []any
		want      string // how every step that reads documents begins
	}{
		"by key":     {sqlite.ByKey, []any{1, "note", "", "slug"}, "SEARCH document USING INDEX document_key (owner=? AND kind=? AND namespace=? AND key=?)"},
		"namespaces": {sqlite.ByNamespace, []any{1, "concept", 1, "concept", 1, "concept", 10}, "SEARCH document USING COVERING INDEX document_"},
	} {
		rows, err := db.Query("EXPLAIN QUERY PLAN "+tt.statement, tt.arguments...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(step, " document ") {
				got = append(got, step)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		walks := func(step string) bool { return !strings.HasPrefix(step, tt.want) }
		if len(got) == 0 || slices.ContainsFunc(got, walks) {
			t.Errorf("%s: the plan is %q", name, got)
		}
	}
}
