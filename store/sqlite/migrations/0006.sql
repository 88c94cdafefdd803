-- The history of instances in the order in which it was written. In the order of the instances, each move had
-- a page of its own to change; now those of many instances are in one, and only the index leads to each.
ALTER TABLE step RENAME TO step_by_instance;

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
) STRICT;

INSERT INTO step SELECT * FROM step_by_instance ORDER BY instance, seq;
DROP TABLE step_by_instance;
