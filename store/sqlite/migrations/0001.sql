-- Times are Unix milliseconds, handed in. Users are numbered: the number is part of every term of
-- the search index, so that no two users share a posting list.
CREATE TABLE owner (
	id        INTEGER PRIMARY KEY,
	user      TEXT    NOT NULL UNIQUE CHECK (user <> ''),
	documents INTEGER NOT NULL DEFAULT 0 CHECK (documents >= 0),
	bytes     INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0)
) STRICT;

-- seq grows with every write of any document: the newest is the one written last.
CREATE TABLE document (
	seq         INTEGER PRIMARY KEY,
	owner       INTEGER NOT NULL REFERENCES owner (id),
	id          TEXT    NOT NULL,
	kind        TEXT    NOT NULL,
	namespace   TEXT    NOT NULL,
	key         TEXT    NOT NULL,
	title       TEXT    NOT NULL,
	body        TEXT    NOT NULL,
	tags        TEXT    NOT NULL CHECK (json_valid(tags)),
	source      TEXT    NOT NULL,
	source_type TEXT    NOT NULL,
	importance  REAL    NOT NULL,
	status      TEXT    NOT NULL,
	version     INTEGER NOT NULL CHECK (version > 0),
	created     INTEGER NOT NULL,
	updated     INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX document_id ON document (owner, id);
CREATE UNIQUE INDEX document_key ON document (owner, kind, namespace, key) WHERE key <> '' AND kind <> 'conversation';
CREATE INDEX document_kind ON document (owner, kind, seq);
CREATE INDEX document_namespace ON document (owner, kind, namespace, seq) WHERE namespace <> '';

-- The rowid is the document's seq.
CREATE VIRTUAL TABLE document_word USING fts5 (
	words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'"
);

-- body is the canonical JSON that the hash is over, but for the calls of a block: they are in
-- block_user.
CREATE TABLE event (
	chain TEXT    NOT NULL,
	seq   INTEGER NOT NULL CHECK (seq > 0),
	prev  TEXT    NOT NULL,
	hash  TEXT    NOT NULL,
	at    INTEGER NOT NULL,
	kind  TEXT    NOT NULL,
	body  TEXT    NOT NULL CHECK (json_valid(body)),
	PRIMARY KEY (chain, seq)
) STRICT, WITHOUT ROWID;

-- One row a user and event: it leads to the user's own calls, and to nobody else's. calls is a JSON
-- array, NULL when the event itself is the user's call.
CREATE TABLE block_user (
	chain TEXT    NOT NULL,
	seq   INTEGER NOT NULL,
	pos   INTEGER NOT NULL,
	user  TEXT    NOT NULL,
	calls TEXT    CHECK (calls IS NULL OR json_valid(calls)),
	PRIMARY KEY (chain, seq, pos),
	FOREIGN KEY (chain, seq) REFERENCES event (chain, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX block_user_recent ON block_user (user, chain, seq);

-- One row about the file itself. running is 1 from the start of a server to its end; at and filler
-- are rewritten to find out whether the store can take a write.
CREATE TABLE installation (
	id      INTEGER PRIMARY KEY CHECK (id = 1),
	running INTEGER NOT NULL CHECK (running IN (0, 1)),
	at      INTEGER NOT NULL,
	filler  BLOB    NOT NULL
) STRICT;

INSERT INTO installation (id, running, at, filler) VALUES (1, 0, 0, x'');
