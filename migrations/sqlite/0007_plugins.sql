-- Tax-regime plugins: components by their content, versions that never change, and which version serves whom.

CREATE TABLE plugin_artifact (
    digest       TEXT NOT NULL PRIMARY KEY,
    bytes        BLOB NOT NULL,
    size         INTEGER NOT NULL,
    signature    TEXT,
    installed_at TEXT NOT NULL,
    installed_by TEXT NOT NULL,
    CONSTRAINT a_digest_is_sha256_in_hex CHECK (length(digest) = 64)
) STRICT;

-- A version is one artifact for ever. A blocked one misbehaved and serves nobody until it is activated again.
CREATE TABLE plugin_version (
    key            TEXT NOT NULL,
    version        TEXT NOT NULL,
    digest         TEXT NOT NULL UNIQUE REFERENCES plugin_artifact (digest),
    description    TEXT NOT NULL,
    blocked_at     TEXT,
    blocked_reason TEXT,
    PRIMARY KEY (key, version),
    CONSTRAINT a_block_has_a_reason CHECK ((blocked_at IS NULL) = (blocked_reason IS NULL))
) STRICT;

-- Every change of what is in force. The newest row of a key and a workspace counts (workspace 0: every workspace
-- without a row of its own); without a version the key is out of force. previous is the row a rollback returns to.
CREATE TABLE plugin_activation (
    key          TEXT NOT NULL,
    workspace_id INTEGER NOT NULL,
    generation   INTEGER NOT NULL,
    version      TEXT,
    previous     INTEGER,
    at           TEXT NOT NULL,
    actor        TEXT NOT NULL,
    PRIMARY KEY (key, workspace_id, generation),
    FOREIGN KEY (key, version) REFERENCES plugin_version (key, version),
    FOREIGN KEY (key, workspace_id, previous) REFERENCES plugin_activation (key, workspace_id, generation),
    CONSTRAINT previous_is_earlier CHECK (previous < generation)
) STRICT;

-- Grows with every change; replicas look at it to see that there is one. Its row is the lock of every change.
CREATE TABLE plugin_registry (
    id         INTEGER NOT NULL PRIMARY KEY,
    generation INTEGER NOT NULL,
    CONSTRAINT there_is_one CHECK (id = 1)
) STRICT;

INSERT INTO plugin_registry (id, generation) VALUES (1, 0);

-- How far each process has followed, and what kept it.
CREATE TABLE plugin_replica (
    id         TEXT NOT NULL PRIMARY KEY,
    address    TEXT NOT NULL,
    generation INTEGER NOT NULL,
    problem    TEXT,
    seen_at    TEXT NOT NULL
) STRICT;
