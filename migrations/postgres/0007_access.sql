-- Who may call: clients, keyed hashes of their secrets, and the keys that sign tokens.
CREATE TABLE client (
    id          UUID NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL,
    permissions TEXT NOT NULL,
    workspaces  TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    disabled_at TIMESTAMPTZ
);

CREATE TABLE client_secret (
    id         UUID NOT NULL PRIMARY KEY,
    client_id  UUID NOT NULL REFERENCES client (id),
    key_id     TEXT NOT NULL,
    hash       BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    revoked_at TIMESTAMPTZ
);

CREATE INDEX client_secret_live ON client_secret (client_id) WHERE revoked_at IS NULL;

-- The private key is sealed. A retired key signs no more and stays published until its last token expired.
CREATE TABLE signing_key (
    kid        TEXT NOT NULL PRIMARY KEY,
    sealed     BYTEA NOT NULL,
    jwk        TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    retired_at TIMESTAMPTZ,
    expires_at TIMESTAMPTZ,
    CONSTRAINT a_retired_key_expires CHECK ((retired_at IS NULL) = (expires_at IS NULL))
);

-- One key signs at a time.
CREATE UNIQUE INDEX signing_key_active ON signing_key ((retired_at IS NULL)) WHERE retired_at IS NULL;
