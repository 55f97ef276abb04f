-- Who may call: clients, keyed hashes of their secrets, and the keys that sign tokens.
CREATE TABLE client (
    id          TEXT NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL,
    permissions TEXT NOT NULL,
    workspaces  TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    disabled_at TEXT
) STRICT;

CREATE TABLE client_secret (
    id         TEXT NOT NULL PRIMARY KEY,
    client_id  TEXT NOT NULL REFERENCES client (id),
    key_id     TEXT NOT NULL,
    hash       BLOB NOT NULL,
    created_at TEXT NOT NULL,
    revoked_at TEXT
) STRICT;

CREATE INDEX client_secret_live ON client_secret (client_id) WHERE revoked_at IS NULL;

-- The private key is sealed. A retired key signs no more and stays published until its last token expired.
CREATE TABLE signing_key (
    kid        TEXT NOT NULL PRIMARY KEY,
    sealed     BLOB NOT NULL,
    jwk        TEXT NOT NULL,
    created_at TEXT NOT NULL,
    retired_at TEXT,
    expires_at TEXT,
    CONSTRAINT a_retired_key_expires CHECK ((retired_at IS NULL) = (expires_at IS NULL))
) STRICT;

-- One key signs at a time.
CREATE UNIQUE INDEX signing_key_active ON signing_key ((retired_at IS NULL)) WHERE retired_at IS NULL;
