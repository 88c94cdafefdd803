-- In a block of many users, what is few of one stands with others in one row (pos from 8589934592 on): a row and a place in
-- an index each is what a block spent most on. To such rows leads lead, which are written in runs: one of each block, and as
-- they get many, one instead of several.
CREATE TABLE lead_run (
	number INTEGER PRIMARY KEY,
	level  INTEGER NOT NULL CHECK (level >= 0),
	first  INTEGER NOT NULL CHECK (first > 0),
	last   INTEGER NOT NULL CHECK (last >= first),
	bytes  INTEGER NOT NULL CHECK (bytes > 0)
) STRICT;

CREATE INDEX lead_run_level ON lead_run (level, last);

-- The leads of a run in the order of their keys, a page at a time. key is that of the first in it.
CREATE TABLE lead (
	run   INTEGER NOT NULL REFERENCES lead_run (number),
	key   INTEGER NOT NULL,
	leads BLOB    NOT NULL,
	PRIMARY KEY (run, key)
) STRICT;

DROP INDEX block_user_workflow;
CREATE INDEX block_user_workflow ON block_user (user, chain, seq) WHERE pos >= 4294967296 AND pos < 8589934592;
