-- What the signed token left of a client that started an instance, asked a person, or caused an attempt: as whom it goes on.
ALTER TABLE instance ADD COLUMN lent TEXT NOT NULL DEFAULT '';
ALTER TABLE approval ADD COLUMN lent TEXT NOT NULL DEFAULT '';
ALTER TABLE attempt ADD COLUMN lent TEXT NOT NULL DEFAULT '';
