-- The legal clock: until when documents have to be filed, and the evidence of what stood in the way.
CREATE TABLE filing_deadline (
    document_id  TEXT NOT NULL PRIMARY KEY,
    workspace_id INTEGER NOT NULL,
    number       TEXT NOT NULL,
    issued_at    TEXT NOT NULL,
    -- NULL: the law sets no limit.
    file_by      TEXT,
    -- What the filing carries, by a name of the plugin's own.
    mark         TEXT,
    note         TEXT,
    checked_at   TEXT NOT NULL,
    -- When somebody is told that the time runs out, and when it was looked whether that is due.
    alert_at     TEXT,
    alerted_at   TEXT,
    CONSTRAINT only_a_limit_is_told CHECK ((alert_at IS NULL) = (file_by IS NULL))
) STRICT;

CREATE INDEX filing_deadline_to_tell ON filing_deadline (alert_at) WHERE alerted_at IS NULL AND alert_at IS NOT NULL;

CREATE TABLE outage (
    id             TEXT NOT NULL PRIMARY KEY,
    side           TEXT NOT NULL CHECK (side IN ('issuer', 'provider', 'authority')),
    call           TEXT NOT NULL,
    began_at       TEXT NOT NULL,
    -- NULL: the calls have not failed for so long that it counts as an outage; the next answer deletes the row.
    counts_since   TEXT,
    ended_at       TEXT,
    failures       INTEGER NOT NULL CHECK (failures > 0),
    last_failed_at TEXT NOT NULL,
    last_error     TEXT NOT NULL,
    -- Of everything above, by the master key of this id.
    seal_key       TEXT NOT NULL,
    seal           BLOB NOT NULL,
    CONSTRAINT only_what_counts_ends CHECK (ended_at IS NULL OR counts_since IS NOT NULL),
    CONSTRAINT it_ends_after_it_began CHECK (ended_at IS NULL OR ended_at >= began_at)
) STRICT;

-- One of a side and a kind of call at a time.
CREATE UNIQUE INDEX outage_open ON outage (side, call) WHERE ended_at IS NULL;
CREATE INDEX outage_ended ON outage (ended_at);
CREATE INDEX outage_began ON outage (began_at, id) WHERE counts_since IS NOT NULL;
