-- Who may call: clients with keyed hashes of their secrets, the keys that sign tokens, and what was done.

CREATE TABLE client (
    id          UUID NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL,
    permissions TEXT NOT NULL,
    workspaces  TEXT NOT NULL,
    disabled_at TIMESTAMPTZ,
    created_at  TIMESTAMPTZ NOT NULL
);

CREATE TABLE client_secret (
    id         UUID NOT NULL PRIMARY KEY,
    client_id  UUID NOT NULL REFERENCES client (id),
    key_id     TEXT NOT NULL,
    hash       BYTEA NOT NULL,
    revoked_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE INDEX client_secret_live ON client_secret (client_id) WHERE revoked_at IS NULL;

-- The private key is sealed. A retired key signs no more and stays published until its last token expired.
CREATE TABLE signing_key (
    kid        TEXT NOT NULL PRIMARY KEY,
    sealed     BYTEA NOT NULL,
    jwk        TEXT NOT NULL,
    retired_at TIMESTAMPTZ,
    expires_at TIMESTAMPTZ,
    -- A new signing key is published before it signs, so that whoever checks tokens knows it by then. None: since it was made.
    signs_from TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    CONSTRAINT a_retired_key_expires CHECK ((retired_at IS NULL) = (expires_at IS NULL))
);

-- One key signs at a time.
CREATE UNIQUE INDEX signing_key_active ON signing_key ((retired_at IS NULL)) WHERE retired_at IS NULL;

-- Who changed what outside of documents: clients, configuration, plugins, keys.
CREATE TABLE audit (
    id      UUID NOT NULL PRIMARY KEY,
    at      TIMESTAMPTZ NOT NULL,
    actor   TEXT NOT NULL,
    action  TEXT NOT NULL,
    subject TEXT NOT NULL,
    data    TEXT NOT NULL
);

CREATE INDEX audit_page ON audit (at, id);

-- Answers by idempotency key, so that a repeated request is answered and not repeated.
CREATE TABLE idempotency (
    scope        TEXT NOT NULL,
    key          TEXT NOT NULL,
    request_hash BYTEA NOT NULL,
    status       BIGINT,
    response     TEXT,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (scope, key),
    CONSTRAINT an_answer_has_a_status CHECK ((status IS NULL) = (response IS NULL))
);

CREATE INDEX idempotency_age ON idempotency (created_at);

-- Which routes of the legacy API each client used, so that operators know who still has to move.
CREATE TABLE legacy_use (
    client_id UUID NOT NULL REFERENCES client (id),
    route     TEXT NOT NULL,
    requests  BIGINT NOT NULL CHECK (requests > 0),
    first_at  TIMESTAMPTZ NOT NULL,
    last_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (client_id, route)
);
