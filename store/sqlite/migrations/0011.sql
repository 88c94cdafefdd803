-- When clients used their tokens last. A token is known by a keyed digest of its hash.
CREATE TABLE client_use (
	client TEXT    NOT NULL CHECK (client <> ''),
	token  TEXT    NOT NULL CHECK (token <> ''),
	at     INTEGER NOT NULL,
	PRIMARY KEY (client, token)
) STRICT, WITHOUT ROWID;
