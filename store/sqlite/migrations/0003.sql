-- Up to which event a chain was archived and removed: what is left follows it. It is signed, because
-- whoever can write here could otherwise remove what nobody has archived.
CREATE TABLE anchor (
	chain     TEXT    PRIMARY KEY,
	seq       INTEGER NOT NULL CHECK (seq > 0),
	hash      TEXT    NOT NULL,
	at        INTEGER NOT NULL,
	signature TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
