-- What the operator is to be told of outside. next is when it is due; NULL of one that does not wait any more and only stays,
-- until a time, so that nothing with the same once is told again.
CREATE TABLE notice (
	number   INTEGER PRIMARY KEY,
	id       TEXT    NOT NULL UNIQUE CHECK (id <> ''),
	kind     TEXT    NOT NULL,
	user     TEXT    NOT NULL,
	once     TEXT    NOT NULL,
	until    INTEGER,
	workflow TEXT    NOT NULL,
	approval TEXT    NOT NULL,
	attempt  TEXT    NOT NULL,
	client   TEXT    NOT NULL,
	at       INTEGER NOT NULL,
	expires  INTEGER,
	tries    INTEGER NOT NULL CHECK (tries >= 0),
	worker   TEXT    NOT NULL,
	next     INTEGER
) STRICT;

CREATE UNIQUE INDEX notice_once ON notice (once) WHERE once <> '';
CREATE INDEX notice_next ON notice (next) WHERE next IS NOT NULL;
CREATE INDEX notice_user ON notice (kind, user) WHERE next IS NOT NULL;
CREATE INDEX notice_until ON notice (until) WHERE next IS NULL;
