-- The last number that an owner's documents of a kind were given. It outlives what was numbered, so
-- that no number is given twice.
CREATE TABLE counter (
	owner INTEGER NOT NULL REFERENCES owner (id),
	kind  TEXT    NOT NULL,
	last  INTEGER NOT NULL CHECK (last > 0),
	PRIMARY KEY (owner, kind)
) STRICT, WITHOUT ROWID;
