-- Amendments of issued documents: what a document is to become, the attempt that files it, and what the authority held before.
CREATE TABLE amendment (
    id             TEXT NOT NULL PRIMARY KEY,
    document_id    TEXT NOT NULL,
    workspace_id   INTEGER NOT NULL,
    -- Its place among the document's amendments, from 1.
    ordinal        INTEGER NOT NULL CHECK (ordinal > 0),
    number         TEXT NOT NULL,
    -- JSON: paths that change, the content that is filed, the record before with its stamps and what was sent.
    changes        TEXT NOT NULL,
    content        TEXT NOT NULL,
    replaced       TEXT NOT NULL,
    job_id         TEXT NOT NULL UNIQUE,
    entry_id       TEXT NOT NULL,
    plugin_key     TEXT NOT NULL,
    plugin_version TEXT NOT NULL,
    plugin_digest  TEXT NOT NULL,
    -- As sent, byte for byte.
    structured     TEXT NOT NULL,
    entry_digest   TEXT,
    state          TEXT NOT NULL CHECK (state IN ('uploading', 'starting', 'waiting', 'accepted', 'refused', 'withdrawn')),
    taken_at       TEXT,
    retries        INTEGER NOT NULL,
    problem        TEXT,
    -- JSON: how it ended.
    outcome        TEXT,
    ended_at       TEXT,
    actor          TEXT NOT NULL,
    version        INTEGER NOT NULL,
    created_at     TEXT NOT NULL,
    updated_at     TEXT NOT NULL,
    UNIQUE (document_id, ordinal),
    CONSTRAINT only_a_job_that_was_taken_is_waited_for CHECK ((taken_at IS NOT NULL) = (state = 'waiting')),
    CONSTRAINT what_ended_says_how CHECK ((ended_at IS NOT NULL) = (state IN ('accepted', 'refused', 'withdrawn'))
        AND (outcome IS NOT NULL) = (ended_at IS NOT NULL) AND (problem IS NULL OR ended_at IS NULL))
) STRICT;

-- One amendment of a document at a time.
CREATE UNIQUE INDEX amendment_open ON amendment (document_id) WHERE state IN ('uploading', 'starting', 'waiting');
