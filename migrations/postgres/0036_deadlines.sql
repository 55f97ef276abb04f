-- The legal clock: until when documents have to be filed, and the evidence of what stood in the way.
CREATE TABLE filing_deadline (
    document_id  UUID NOT NULL PRIMARY KEY,
    workspace_id BIGINT NOT NULL,
    number       TEXT NOT NULL,
    issued_at    TIMESTAMPTZ NOT NULL,
    -- NULL: the law sets no limit.
    file_by      TIMESTAMPTZ,
    -- What the filing carries, by a name of the plugin's own.
    mark         TEXT,
    note         TEXT,
    checked_at   TIMESTAMPTZ NOT NULL,
    -- When somebody is told that the time runs out, and when it was looked whether that is due.
    alert_at     TIMESTAMPTZ,
    alerted_at   TIMESTAMPTZ,
    CONSTRAINT only_a_limit_is_told CHECK ((alert_at IS NULL) = (file_by IS NULL))
);

CREATE INDEX filing_deadline_to_tell ON filing_deadline (alert_at) WHERE alerted_at IS NULL AND alert_at IS NOT NULL;

CREATE TABLE outage (
    id             UUID NOT NULL PRIMARY KEY,
    side           TEXT NOT NULL CHECK (side IN ('issuer', 'provider', 'authority')),
    call           TEXT NOT NULL,
    began_at       TIMESTAMPTZ NOT NULL,
    -- NULL: the calls have not failed for so long that it counts as an outage; the next answer deletes the row.
    counts_since   TIMESTAMPTZ,
    ended_at       TIMESTAMPTZ,
    failures       BIGINT NOT NULL CHECK (failures > 0),
    last_failed_at TIMESTAMPTZ NOT NULL,
    last_error     TEXT NOT NULL,
    -- Of everything above, by the master key of this id.
    seal_key       TEXT NOT NULL,
    seal           BYTEA NOT NULL,
    CONSTRAINT only_what_counts_ends CHECK (ended_at IS NULL OR counts_since IS NOT NULL),
    CONSTRAINT it_ends_after_it_began CHECK (ended_at IS NULL OR ended_at >= began_at)
);

-- One of a side and a kind of call at a time.
CREATE UNIQUE INDEX outage_open ON outage (side, call) WHERE ended_at IS NULL;
CREATE INDEX outage_ended ON outage (ended_at);
CREATE INDEX outage_began ON outage (began_at, id) WHERE counts_since IS NOT NULL;
