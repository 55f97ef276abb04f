-- Versions that come in force at a time, because a law does.

-- At most one for a key, a workspace and a time (workspace 0: every workspace without a version of its own). The row goes when
-- it is carried out or taken back, which the audit trail keeps; it stays, with what kept it, where it cannot be carried out.
CREATE TABLE plugin_schedule (
    key          TEXT NOT NULL,
    workspace_id INTEGER NOT NULL,
    due_at       TEXT NOT NULL,
    version      TEXT NOT NULL,
    at           TEXT NOT NULL,
    actor        TEXT NOT NULL,
    problem      TEXT,
    PRIMARY KEY (key, workspace_id, due_at),
    FOREIGN KEY (key, version) REFERENCES plugin_version (key, version)
) STRICT;
