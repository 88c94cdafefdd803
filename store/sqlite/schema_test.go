package sqlite_test

import (
	"path/filepath"
	"strings"
	"testing"

	"prax/store/sqlite"
)

// TestSchemaTrustsNoClock: times are handed in as integers. A default by SQL's clock is text without a
// zone, which reads back as another time or none; a table that is not strict would keep it.
func TestSchemaTrustsNoClock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := open(t, sqlite.Config{Dir: dir}).Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "prax.db")
	schema := strings.ToUpper(query(t, path, "SELECT group_concat(sql, ';') FROM sqlite_schema"))
	if !strings.Contains(schema, "CREATE TABLE EVENT") {
		t.Fatalf("no schema: %q", schema)
	}
	for _, clock := range []string{"CURRENT_", "DATETIME", "JULIANDAY", "STRFTIME", "UNIXEPOCH", "'NOW'"} {
		if strings.Contains(schema, clock) {
			t.Errorf("the schema has %s", clock)
		}
	}
	for what, text := range map[string]string{
		"tables that are not strict": `SELECT coalesce(group_concat(name), '') FROM pragma_table_list
			WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`,
		"times that are no integers": `SELECT coalesce(group_concat(t.name || '.' || c.name), '') FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
			WHERE t.schema = 'main' AND t.type = 'table' AND c.name IN ('at', 'created', 'updated') AND (c.type <> 'INTEGER' OR c."notnull" = 0 OR c.dflt_value IS NOT NULL)`,
	} {
		if got := query(t, path, text); got != "" {
			t.Errorf("%s: %s", what, got)
		}
	}
	if got := query(t, path, `SELECT count(*) FROM pragma_table_list AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table' AND c.name = 'at'`); got == "0" {
		t.Error("no time was looked at")
	}
}
