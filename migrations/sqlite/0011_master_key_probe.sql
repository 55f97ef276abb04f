-- Something that each master key sealed, so that another key under the same id is noticed before anything is done with it.

CREATE TABLE master_key_probe (
    key_id     TEXT NOT NULL PRIMARY KEY,
    sealed     BLOB NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
