-- Which signed tokens of a client are good. Only a client that had one has a row.
CREATE TABLE epoch (
	client TEXT    NOT NULL PRIMARY KEY CHECK (client <> ''),
	number INTEGER NOT NULL CHECK (number > 0),
	seal   TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- Signed tokens that are none any more, until they have lapsed anyway.
CREATE TABLE revoked_token (
	id    TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
	until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
