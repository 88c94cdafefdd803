-- The chain in tables by row number. A table in the order of its key keeps a quarter of a page of each row and lays the
-- rest on pages of its own, so that an event took a whole page, and comparing two keys read whole blocks of calls. What
-- the rows say is not checked as JSON a second time: the hash of the chain is over every byte of it.
ALTER TABLE block_user RENAME TO block_user_by_key;
ALTER TABLE event RENAME TO event_by_key;

CREATE TABLE event (
	chain TEXT    NOT NULL,
	seq   INTEGER NOT NULL CHECK (seq > 0),
	prev  TEXT    NOT NULL,
	hash  TEXT    NOT NULL,
	at    INTEGER NOT NULL,
	kind  TEXT    NOT NULL,
	body  TEXT    NOT NULL,
	PRIMARY KEY (chain, seq)
) STRICT;

INSERT INTO event SELECT * FROM event_by_key ORDER BY chain, seq;

CREATE TABLE block_user (
	chain TEXT    NOT NULL,
	seq   INTEGER NOT NULL,
	pos   INTEGER NOT NULL,
	user  TEXT    NOT NULL,
	calls TEXT,
	PRIMARY KEY (chain, seq, pos),
	FOREIGN KEY (chain, seq) REFERENCES event (chain, seq)
) STRICT;

INSERT INTO block_user SELECT * FROM block_user_by_key ORDER BY chain, seq, pos;
DROP TABLE block_user_by_key;
DROP TABLE event_by_key;

CREATE INDEX block_user_recent ON block_user (user, chain, seq) WHERE pos < 4294967296;
CREATE INDEX block_user_workflow ON block_user (user, chain, seq) WHERE pos >= 4294967296;
