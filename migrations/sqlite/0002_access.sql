-- Who may call: clients with keyed hashes of their secrets, the keys that sign tokens, and what was done.

CREATE TABLE client (
    id          TEXT NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL,
    permissions TEXT NOT NULL,
    workspaces  TEXT NOT NULL,
    disabled_at TEXT,
    created_at  TEXT NOT NULL
) STRICT;

CREATE TABLE client_secret (
    id         TEXT NOT NULL PRIMARY KEY,
    client_id  TEXT NOT NULL REFERENCES client (id),
    key_id     TEXT NOT NULL,
    hash       BLOB NOT NULL,
    revoked_at TEXT,
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX client_secret_live ON client_secret (client_id) WHERE revoked_at IS NULL;

-- The private key is sealed. A retired key signs no more and stays published until its last token expired.
CREATE TABLE signing_key (
    kid        TEXT NOT NULL PRIMARY KEY,
    sealed     BLOB NOT NULL,
    jwk        TEXT NOT NULL,
    retired_at TEXT,
    expires_at TEXT,
    -- A new signing key is published before it signs, so that whoever checks tokens knows it by then. None: since it was made.
    signs_from TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT a_retired_key_expires CHECK ((retired_at IS NULL) = (expires_at IS NULL))
) STRICT;

-- One key signs at a time.
CREATE UNIQUE INDEX signing_key_active ON signing_key ((retired_at IS NULL)) WHERE retired_at IS NULL;

-- Who changed what outside of documents: clients, configuration, plugins, keys.
CREATE TABLE audit (
    id      TEXT NOT NULL PRIMARY KEY,
    at      TEXT NOT NULL,
    actor   TEXT NOT NULL,
    action  TEXT NOT NULL,
    subject TEXT NOT NULL,
    data    TEXT NOT NULL
) STRICT;

CREATE INDEX audit_page ON audit (at, id);

-- Answers by idempotency key, so that a repeated request is answered and not repeated.
CREATE TABLE idempotency (
    scope        TEXT NOT NULL,
    key          TEXT NOT NULL,
    request_hash BLOB NOT NULL,
    status       INTEGER,
    response     TEXT,
    created_at   TEXT NOT NULL,
    PRIMARY KEY (scope, key),
    CONSTRAINT an_answer_has_a_status CHECK ((status IS NULL) = (response IS NULL))
) STRICT;

CREATE INDEX idempotency_age ON idempotency (created_at);

-- Which routes of the legacy API each client used, so that operators know who still has to move.
CREATE TABLE legacy_use (
    client_id TEXT NOT NULL REFERENCES client (id),
    route     TEXT NOT NULL,
    requests  INTEGER NOT NULL CHECK (requests > 0),
    first_at  TEXT NOT NULL,
    last_at   TEXT NOT NULL,
    PRIMARY KEY (client_id, route)
) STRICT;
