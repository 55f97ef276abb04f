-- The way of a document to the tax authority: its submission, one attempt per provider job, every entry id ever used.
CREATE TABLE submission (
    document_id    TEXT NOT NULL PRIMARY KEY,
    workspace_id   INTEGER NOT NULL,
    stage          TEXT NOT NULL,
    number         TEXT,
    entry_id       TEXT,
    entry_renewed  INTEGER NOT NULL CHECK (entry_renewed IN (0, 1)),
    job_id         TEXT,
    structured     TEXT,
    plugin_key     TEXT,
    plugin_version TEXT,
    plugin_digest  TEXT,
    settlement     TEXT,
    alert_code     TEXT,
    alert_message  TEXT,
    retries        INTEGER NOT NULL,
    version        INTEGER NOT NULL,
    actor          TEXT NOT NULL,
    created_at     TEXT NOT NULL,
    updated_at     TEXT NOT NULL,
    CONSTRAINT a_plugin_is_named_in_full
        CHECK ((plugin_key IS NULL) = (plugin_version IS NULL) AND (plugin_key IS NULL) = (plugin_digest IS NULL)),
    CONSTRAINT an_alert_has_a_message CHECK ((alert_code IS NULL) = (alert_message IS NULL))
) STRICT;

CREATE INDEX submission_page ON submission (workspace_id, updated_at, document_id);
CREATE INDEX submission_alerts ON submission (alert_code) WHERE alert_code IS NOT NULL;

-- An entry id belongs to one document for ever; the webhook finds the document by it.
CREATE TABLE submission_entry (
    entry_id    TEXT NOT NULL PRIMARY KEY,
    document_id TEXT NOT NULL REFERENCES submission (document_id),
    created_at  TEXT NOT NULL
) STRICT;

CREATE INDEX submission_entry_document ON submission_entry (document_id);

CREATE TABLE submission_attempt (
    job_id         TEXT NOT NULL PRIMARY KEY,
    document_id    TEXT NOT NULL REFERENCES submission (document_id),
    ordinal        INTEGER NOT NULL,
    number         TEXT,
    plugin_key     TEXT,
    plugin_version TEXT,
    plugin_digest  TEXT,
    started_at     TEXT NOT NULL,
    ended_at       TEXT,
    outcome        TEXT,
    faults         TEXT NOT NULL,
    UNIQUE (document_id, ordinal),
    CONSTRAINT an_outcome_ends_an_attempt CHECK ((ended_at IS NULL) = (outcome IS NULL))
) STRICT;
