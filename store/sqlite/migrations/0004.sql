-- What a user's instances take: how many are open, and the bytes of all that is kept of any of them.
ALTER TABLE owner ADD COLUMN instances INTEGER NOT NULL DEFAULT 0 CHECK (instances >= 0);
ALTER TABLE owner ADD COLUMN instance_bytes INTEGER NOT NULL DEFAULT 0 CHECK (instance_bytes >= 0);

CREATE TABLE definition (
	id      TEXT    NOT NULL CHECK (id <> ''),
	hash    TEXT    NOT NULL,
	version INTEGER NOT NULL CHECK (version > 0),
	text    TEXT    NOT NULL CHECK (json_valid(text)),
	created INTEGER NOT NULL,
	PRIMARY KEY (id, hash)
) STRICT;

CREATE UNIQUE INDEX definition_version ON definition (id, version);

-- number is the order of the starts. What is long stands last, so that a walk along the rest reads none of it.
CREATE TABLE instance (
	number             INTEGER PRIMARY KEY,
	id                 TEXT    NOT NULL UNIQUE CHECK (id <> ''),
	user               TEXT    NOT NULL REFERENCES owner (user),
	client             TEXT    NOT NULL,
	run_id             TEXT    NOT NULL,
	trace_id           TEXT    NOT NULL,
	definition         TEXT    NOT NULL,
	definition_version INTEGER NOT NULL,
	hash               TEXT    NOT NULL,
	shared             INTEGER NOT NULL CHECK (shared IN (0, 1)),
	state              TEXT    NOT NULL,
	version            INTEGER NOT NULL CHECK (version > 0),
	status             TEXT    NOT NULL CHECK (status IN ('open', 'completed', 'cancelled')),
	bytes              INTEGER NOT NULL CHECK (bytes >= 0),
	evidence           INTEGER NOT NULL CHECK (evidence >= 0),
	due                INTEGER,
	created            INTEGER NOT NULL,
	updated            INTEGER NOT NULL,
	ended              INTEGER,
	reason             TEXT    NOT NULL,
	summary            TEXT    NOT NULL,
	memo               TEXT    NOT NULL CHECK (json_valid(memo)),
	input              TEXT    NOT NULL CHECK (json_valid(input)),
	context            TEXT    NOT NULL CHECK (json_valid(context)),
	FOREIGN KEY (definition, hash) REFERENCES definition (id, hash)
) STRICT;

CREATE UNIQUE INDEX instance_run ON instance (user, run_id) WHERE run_id <> '';
CREATE INDEX instance_user ON instance (user, status);
CREATE INDEX instance_definition ON instance (definition);
CREATE INDEX instance_status ON instance (status);
CREATE INDEX instance_open ON instance (definition, hash) WHERE status = 'open';
CREATE INDEX instance_shared ON instance (definition) WHERE shared = 1;
CREATE INDEX instance_due ON instance (due) WHERE status = 'open' AND due IS NOT NULL;

CREATE TABLE step (
	instance    INTEGER NOT NULL REFERENCES instance (number),
	seq         INTEGER NOT NULL CHECK (seq > 0),
	kind        TEXT    NOT NULL,
	transition  TEXT    NOT NULL,
	from_state  TEXT    NOT NULL,
	to_state    TEXT    NOT NULL,
	actor       TEXT    NOT NULL,
	client      TEXT    NOT NULL,
	user        TEXT    NOT NULL,
	correlation TEXT    NOT NULL,
	at          INTEGER NOT NULL,
	arguments   TEXT    CHECK (arguments IS NULL OR json_valid(arguments)),
	output      TEXT    CHECK (output IS NULL OR json_valid(output)),
	delta       TEXT    CHECK (delta IS NULL OR json_valid(delta)),
	PRIMARY KEY (instance, seq)
) STRICT, WITHOUT ROWID;

-- pos is the place among the evidence of its instance.
CREATE TABLE evidence (
	instance   INTEGER NOT NULL REFERENCES instance (number),
	pos        INTEGER NOT NULL,
	id         TEXT    NOT NULL,
	seq        INTEGER NOT NULL CHECK (seq > 0),
	kind       TEXT    NOT NULL,
	uri        TEXT    NOT NULL,
	summary    TEXT    NOT NULL,
	digest     TEXT    NOT NULL,
	confidence REAL    CHECK (confidence IS NULL OR confidence BETWEEN 0 AND 1),
	client     TEXT    NOT NULL,
	user       TEXT    NOT NULL,
	at         INTEGER NOT NULL,
	PRIMARY KEY (instance, pos)
) STRICT, WITHOUT ROWID;

CREATE TABLE acknowledgement (
	instance INTEGER NOT NULL REFERENCES instance (number),
	subject  TEXT    NOT NULL,
	hash     TEXT    NOT NULL,
	at       INTEGER NOT NULL,
	PRIMARY KEY (instance, subject)
) STRICT, WITHOUT ROWID;

-- number is the order in which they were opened. user, shared and definition are the instance's: who may
-- see it is told by them.
CREATE TABLE approval (
	number     INTEGER PRIMARY KEY,
	id         TEXT    NOT NULL UNIQUE CHECK (id <> ''),
	instance   INTEGER NOT NULL REFERENCES instance (number),
	user       TEXT    NOT NULL,
	shared     INTEGER NOT NULL CHECK (shared IN (0, 1)),
	definition TEXT    NOT NULL,
	hash       TEXT    NOT NULL,
	version    INTEGER NOT NULL CHECK (version > 0),
	transition TEXT    NOT NULL,
	digest     TEXT    NOT NULL,
	tier       TEXT    NOT NULL,
	queue      TEXT    NOT NULL,
	client     TEXT    NOT NULL,
	status     TEXT    NOT NULL CHECK (status IN ('open', 'consumed', 'rejected', 'void')),
	answerer   TEXT    NOT NULL,
	created    INTEGER NOT NULL,
	expires    INTEGER NOT NULL,
	resolved   INTEGER,
	arguments  TEXT    CHECK (arguments IS NULL OR json_valid(arguments)),
	material   TEXT    NOT NULL CHECK (json_valid(material))
) STRICT;

CREATE UNIQUE INDEX approval_instance ON approval (instance) WHERE status = 'open';
CREATE INDEX approval_open ON approval (status) WHERE status = 'open';
CREATE INDEX approval_user ON approval (user) WHERE status = 'open';
CREATE INDEX approval_shared ON approval (definition) WHERE status = 'open' AND shared = 1;

-- Every version of every entry; those of everybody have no user.
CREATE TABLE term (
	number      INTEGER PRIMARY KEY,
	user        TEXT    NOT NULL,
	term        TEXT    NOT NULL CHECK (term <> ''),
	version     INTEGER NOT NULL CHECK (version > 0),
	newest      INTEGER NOT NULL CHECK (newest IN (0, 1)),
	entry       TEXT    NOT NULL CHECK (json_valid(entry)),
	client      TEXT    NOT NULL,
	removed     INTEGER NOT NULL CHECK (removed IN (0, 1)),
	created     INTEGER NOT NULL,
	updated     INTEGER NOT NULL,
	accepted    TEXT    NOT NULL,
	accepted_at INTEGER
) STRICT;

CREATE UNIQUE INDEX term_version ON term (term, user, version);
CREATE UNIQUE INDEX term_newest ON term (user, term) WHERE newest = 1;
CREATE INDEX term_user ON term (user);

CREATE TABLE settled_subject (
	user    TEXT    NOT NULL CHECK (user <> ''),
	subject TEXT    NOT NULL CHECK (subject <> ''),
	at      INTEGER NOT NULL,
	PRIMARY KEY (user, subject)
) STRICT, WITHOUT ROWID;

-- Events of workflows are led to from places (pos) behind 4294967296, so that a walk along the calls of a user
-- does not pass them, nor the other way round.
DROP INDEX block_user_recent;
CREATE INDEX block_user_recent ON block_user (user, chain, seq) WHERE pos < 4294967296;
CREATE INDEX block_user_workflow ON block_user (user, chain, seq) WHERE pos >= 4294967296;
