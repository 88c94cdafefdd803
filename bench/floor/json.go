package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite"
)

// request is a call of a tool: of echo, or a move of a workflow, whose arguments have a text one level deeper.
type request struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type params struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type arguments struct {
	Text       string `json:"text"`
	WorkflowID string `json:"workflowId"`
	Version    int64  `json:"expectedVersion"`
	Transition string `json:"transition"`
	Arguments  struct {
		Text string `json:"text"`
	} `json:"arguments"`
}

// decoded answers a call with the text of its arguments, once they are inserted; a nil insert keeps nothing.
func decoded(insert func(*arguments) error) answer {
	return func(out, body []byte) ([]byte, error) {
		var r request
		var p params
		var a arguments
		if err := errors.Join(json.Unmarshal(body, &r), json.Unmarshal(r.Params, &p), json.Unmarshal(p.Arguments, &a)); err != nil {
			return nil, err
		}
		if r.Version != "2.0" || r.Method != "tools/call" {
			return nil, errors.New("not a call")
		}
		if a.Text == "" {
			a.Text = a.Arguments.Text
		}
		if insert != nil {
			if err := insert(&a); err != nil {
				return nil, err
			}
		}
		text, err := json.Marshal(a.Text)
		if err != nil {
			return nil, err
		}
		out = append(out, `{"jsonrpc":"2.0","id":`...)
		out = append(out, r.ID...)
		out = append(out, `,"result":{"content":[{"type":"text","text":`...)
		out = append(out, text...)
		return append(out, `}]}}`...), nil
	}
}

// openDatabase is the insert of a database as a careful program has it: one connection that writes, a prepared statement,
// and every transaction on the disk before its answer.
func openDatabase(dir string) (func(*arguments) error, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "floor.db")+
		"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE event (seq INTEGER PRIMARY KEY, workflow TEXT NOT NULL, version INTEGER NOT NULL,
		transition TEXT NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL) STRICT`); err != nil {
		return nil, err
	}
	insert, err := db.Prepare(`INSERT INTO event (workflow, version, transition, at, text) VALUES (?, ?, ?, ?, ?)`)
	if err != nil {
		return nil, err
	}
	return func(a *arguments) error {
		_, err := insert.Exec(a.WorkflowID, a.Version, a.Transition, time.Now().UnixMilli(), a.Text)
		return err
	}, nil
}
