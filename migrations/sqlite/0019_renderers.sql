-- Renderers, which make documents for people: versions that never change, by their content, and which one is in force.

-- The component stands last: what is in front of it is read without it.
CREATE TABLE renderer_version (
    digest       TEXT NOT NULL PRIMARY KEY,
    name         TEXT NOT NULL,
    version      TEXT NOT NULL,
    size         INTEGER NOT NULL,
    signature    TEXT,
    installed_at TEXT NOT NULL,
    installed_by TEXT NOT NULL,
    bytes        BLOB NOT NULL,
    CONSTRAINT a_version_is_one_component UNIQUE (name, version),
    CONSTRAINT a_digest_is_sha256_in_hex CHECK (length(digest) = 64)
) STRICT;

-- Every change of what is in force, numbered by plugin_registry. The newest row counts; without a digest the database names no
-- renderer. previous is the row a rollback returns to.
CREATE TABLE renderer_activation (
    generation INTEGER NOT NULL PRIMARY KEY,
    digest     TEXT REFERENCES renderer_version (digest),
    previous   INTEGER REFERENCES renderer_activation (generation),
    at         TEXT NOT NULL,
    actor      TEXT NOT NULL,
    CONSTRAINT previous_is_earlier CHECK (previous < generation)
) STRICT;
