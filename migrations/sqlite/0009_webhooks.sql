-- Webhooks out: where customers want to be told of changes, what is to be told there, and what became of each try.

CREATE TABLE webhook_endpoint (
    id               TEXT NOT NULL PRIMARY KEY,
    workspace_id     INTEGER NOT NULL REFERENCES workspace (id),
    url              TEXT NOT NULL,
    -- Names of events, a JSON array; empty: all of them.
    events           TEXT NOT NULL,
    -- Sealed with the keyring. The old one signs too until its time.
    secret           BLOB NOT NULL,
    old_secret       BLOB,
    old_secret_until TEXT,
    disabled         TEXT CHECK (disabled IN ('owner', 'operator', 'failing', 'gone')),
    disabled_at      TEXT,
    failures         INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
    failing_since    TEXT,
    failed_at        TEXT,
    succeeded_at     TEXT,
    -- Only what is behind this place of the feed is told.
    from_position    INTEGER NOT NULL,
    -- When somebody has to look after it; none while nothing waits.
    due_at           TEXT,
    lease_owner      TEXT,
    lease_until      TEXT,
    created_at       TEXT NOT NULL,
    updated_at       TEXT NOT NULL,
    CONSTRAINT disabled_has_a_time CHECK ((disabled IS NULL) = (disabled_at IS NULL)),
    CONSTRAINT old_secret_has_an_end CHECK ((old_secret IS NULL) = (old_secret_until IS NULL)),
    CONSTRAINT lease_has_an_owner CHECK ((lease_owner IS NULL) = (lease_until IS NULL))
) STRICT;

CREATE INDEX webhook_endpoint_of_workspace ON webhook_endpoint (workspace_id, created_at, id);
CREATE INDEX webhook_endpoint_due ON webhook_endpoint (due_at) WHERE due_at IS NOT NULL AND disabled IS NULL;

-- An event as customers are told it, once for all endpoints of its workspace.
CREATE TABLE webhook_message (
    id           TEXT NOT NULL PRIMARY KEY,
    workspace_id INTEGER NOT NULL,
    type         TEXT NOT NULL,
    -- Its place in the feed; none for a test.
    position     INTEGER,
    time         TEXT NOT NULL,
    body         TEXT NOT NULL,
    created_at   TEXT NOT NULL
) STRICT;

CREATE INDEX webhook_message_of_workspace ON webhook_message (workspace_id, time);
CREATE INDEX webhook_message_old ON webhook_message (created_at);

-- An event on its way to one endpoint.
CREATE TABLE webhook_delivery (
    id          TEXT NOT NULL PRIMARY KEY,
    endpoint_id TEXT NOT NULL REFERENCES webhook_endpoint (id) ON DELETE CASCADE,
    message_id  TEXT NOT NULL REFERENCES webhook_message (id) ON DELETE CASCADE,
    state       TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
    -- Since it was made, or replayed.
    attempts    INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    due_at      TEXT NOT NULL,
    done_at     TEXT,
    created_at  TEXT NOT NULL,
    UNIQUE (message_id, endpoint_id),
    CONSTRAINT done_has_a_time CHECK ((state = 'pending') = (done_at IS NULL))
) STRICT;

CREATE INDEX webhook_delivery_due ON webhook_delivery (endpoint_id, due_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_of_endpoint ON webhook_delivery (endpoint_id, created_at, id);
CREATE INDEX webhook_delivery_state ON webhook_delivery (endpoint_id, state, created_at, id);

-- One try of a delivery.
CREATE TABLE webhook_attempt (
    ord         INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery_id TEXT NOT NULL REFERENCES webhook_delivery (id) ON DELETE CASCADE,
    at          TEXT NOT NULL,
    duration_ms INTEGER NOT NULL,
    -- Of the answer; none when there was none.
    status      INTEGER,
    -- Why it counts as a failure; none when it was a success.
    error       TEXT,
    -- The beginning of the answer, or what happened.
    detail      TEXT NOT NULL
) STRICT;

CREATE INDEX webhook_attempt_of_delivery ON webhook_attempt (delivery_id);
