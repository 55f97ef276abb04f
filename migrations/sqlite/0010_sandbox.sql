-- The stand-in provider: its entries and jobs, the notifications it still owes, and the authority's memory.

CREATE TABLE sandbox_entry (
    id      TEXT NOT NULL PRIMARY KEY,
    key     TEXT UNIQUE,
    body    TEXT NOT NULL,
    version INTEGER NOT NULL
) STRICT;

-- How often an entry was sent, refused calls included.
CREATE TABLE sandbox_call (
    entry_id TEXT NOT NULL PRIMARY KEY,
    calls    INTEGER NOT NULL
) STRICT;

CREATE TABLE sandbox_job (
    id       TEXT NOT NULL PRIMARY KEY,
    key      TEXT UNIQUE,
    entry_id TEXT NOT NULL REFERENCES sandbox_entry (id),
    body     TEXT NOT NULL,
    run_at   TEXT
) STRICT;

CREATE INDEX sandbox_job_open ON sandbox_job (run_at, id) WHERE run_at IS NOT NULL;

CREATE TABLE sandbox_delivery (
    id       TEXT NOT NULL PRIMARY KEY,
    body     TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    since    TEXT NOT NULL,
    due_at   TEXT NOT NULL
) STRICT;

CREATE INDEX sandbox_delivery_due ON sandbox_delivery (due_at, id);

-- What the authority filed, opaque: one record per key, and the last one of every chain.
CREATE TABLE sandbox_record (
    regime     TEXT NOT NULL,
    record_key TEXT NOT NULL,
    record     TEXT NOT NULL,
    PRIMARY KEY (regime, record_key)
) STRICT;

CREATE TABLE sandbox_chain (
    regime  TEXT NOT NULL,
    chain   TEXT NOT NULL,
    record  TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (regime, chain)
) STRICT;
