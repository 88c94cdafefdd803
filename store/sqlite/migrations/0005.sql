-- number is the order in which they were opened. user, shared and definition are the instance's, where there is
-- one: who may see it is told by them. bytes is what it counts against its user's instance_bytes. While ended is
-- missing its instance waits for it. What is long stands last.
CREATE TABLE attempt (
	number      INTEGER PRIMARY KEY,
	id          TEXT    NOT NULL UNIQUE CHECK (id <> ''),
	instance    INTEGER REFERENCES instance (number),
	user        TEXT    NOT NULL REFERENCES owner (user),
	shared      INTEGER NOT NULL CHECK (shared IN (0, 1)),
	definition  TEXT    NOT NULL,
	version     INTEGER NOT NULL CHECK (version >= 0),
	status      TEXT    NOT NULL CHECK (status IN ('running', 'unknown', 'done', 'kept', 'failed', 'applied', 'not_applied')),
	fence       INTEGER NOT NULL CHECK (fence >= 0),
	lease       INTEGER NOT NULL,
	worker      TEXT    NOT NULL,
	tries       INTEGER NOT NULL CHECK (tries > 0),
	choice      INTEGER NOT NULL CHECK (choice >= 0),
	bytes       INTEGER NOT NULL CHECK (bytes >= 0),
	created     INTEGER NOT NULL,
	updated     INTEGER NOT NULL,
	ended       INTEGER,
	parent      TEXT    NOT NULL,
	part        INTEGER NOT NULL CHECK (part >= 0),
	client      TEXT    NOT NULL,
	actor       TEXT    NOT NULL,
	state       TEXT    NOT NULL,
	transition  TEXT    NOT NULL,
	tool        TEXT    NOT NULL,
	kind        TEXT    NOT NULL,
	tier        TEXT    NOT NULL,
	digest      TEXT    NOT NULL,
	key         TEXT    NOT NULL,
	approval    TEXT    NOT NULL,
	class       TEXT    NOT NULL,
	settler     TEXT    NOT NULL,
	correlation TEXT    NOT NULL,
	request     TEXT    NOT NULL,
	message     TEXT    NOT NULL,
	note        TEXT    NOT NULL,
	work        TEXT    CHECK (work IS NULL OR json_valid(work)),
	output      TEXT    CHECK (output IS NULL OR json_valid(output)),
	CHECK ((ended IS NULL) = (status IN ('running', 'unknown'))),
	CHECK ((instance IS NULL) = (tool <> ''))
) STRICT;

-- An instance waits for one attempt at most.
CREATE UNIQUE INDEX attempt_blocking ON attempt (instance) WHERE ended IS NULL;
CREATE INDEX attempt_kept ON attempt (instance, version, digest) WHERE status = 'kept' AND output IS NOT NULL;
CREATE INDEX attempt_lease ON attempt (lease) WHERE status = 'running';
CREATE INDEX attempt_instance ON attempt (instance) WHERE instance IS NOT NULL;
CREATE INDEX attempt_user ON attempt (user, status);
CREATE INDEX attempt_direct ON attempt (user, status) WHERE instance IS NULL;
CREATE INDEX attempt_ended ON attempt (user, ended) WHERE instance IS NULL AND ended IS NOT NULL;
CREATE INDEX attempt_status ON attempt (status);
CREATE INDEX attempt_shared ON attempt (definition) WHERE shared = 1;
