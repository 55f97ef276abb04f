-- The finance service: the way of a document to the tax authority, what is given back, and what finance keeps of its own.

-- Where the submissions of this database go, so that a real invoice never ends at the stand-in by accident.
CREATE TABLE destination (
    id      SMALLINT NOT NULL PRIMARY KEY CHECK (id = 1),
    goes_to TEXT NOT NULL CHECK (goes_to IN ('sandbox', 'provider'))
);

-- How far a document is on its way to the tax authority: exactly what exists in its stage.
CREATE TABLE submission (
    document_id            UUID NOT NULL PRIMARY KEY,
    workspace_id           BIGINT NOT NULL,
    stage                  TEXT NOT NULL,
    number                 TEXT,
    entry_id               UUID,
    entry_renewed          BOOLEAN NOT NULL,
    job_id                 UUID,
    structured             TEXT,
    plugin_key             TEXT,
    plugin_version         TEXT,
    plugin_digest          TEXT,
    settlement             TEXT,
    alert_code             TEXT,
    alert_message          TEXT,
    retries                BIGINT NOT NULL,
    version                BIGINT NOT NULL,
    actor                  TEXT NOT NULL,
    -- How the last call failed, and until when calls are held back.
    last_error             TEXT,
    held_until             TIMESTAMPTZ,
    -- What the last report was given by the tax authority, for the documents that refer to this one, JSON.
    stamps                 TEXT,
    -- Since when the provider has the job: what takes too long is somebody's to look at.
    job_taken_at           TIMESTAMPTZ,
    -- SHA-256 of the document as the provider showed it after the upload.
    entry_digest           TEXT,
    -- Before an upload the attempts before it are looked at: two records of one sale must never be accepted.
    check_earlier_attempts BOOLEAN NOT NULL DEFAULT FALSE,
    -- The caller's own time of the command. It decides the issue date, also when the request that gave it died and the
    -- background takes the first step.
    issue_at               TIMESTAMPTZ,
    created_at             TIMESTAMPTZ NOT NULL,
    updated_at             TIMESTAMPTZ NOT NULL,
    CONSTRAINT a_plugin_is_named_in_full
        CHECK ((plugin_key IS NULL) = (plugin_version IS NULL) AND (plugin_key IS NULL) = (plugin_digest IS NULL)),
    CONSTRAINT an_alert_has_a_message CHECK ((alert_code IS NULL) = (alert_message IS NULL)),
    CONSTRAINT an_entry_holds_a_document CHECK ((entry_id IS NULL) = (structured IS NULL)
        AND (entry_id IS NOT NULL OR (NOT entry_renewed AND entry_digest IS NULL))),
    CONSTRAINT what_ended_calls_nobody CHECK (stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn')
        OR (retries = 0 AND last_error IS NULL AND held_until IS NULL)),
    CONSTRAINT a_stage_holds_what_exists_in_it CHECK (CASE stage
        WHEN 'requested' THEN number IS NULL AND entry_id IS NULL AND plugin_key IS NULL AND job_id IS NULL
            AND job_taken_at IS NULL AND settlement IS NULL
        WHEN 'converting' THEN number IS NOT NULL AND job_id IS NULL AND settlement IS NULL
            AND (entry_id IS NULL) = (plugin_key IS NULL) AND (entry_id IS NOT NULL OR job_taken_at IS NULL)
        WHEN 'uploading' THEN number IS NOT NULL AND entry_id IS NOT NULL AND plugin_key IS NOT NULL AND job_id IS NOT NULL
            AND job_taken_at IS NULL AND settlement IS NULL
        WHEN 'starting' THEN number IS NOT NULL AND entry_id IS NOT NULL AND plugin_key IS NOT NULL AND job_id IS NOT NULL
            AND settlement IS NULL AND NOT check_earlier_attempts
        -- Without a job, the attempt ended before anything was sent, and the operator's retry begins another one.
        WHEN 'waiting' THEN number IS NOT NULL AND entry_id IS NOT NULL AND plugin_key IS NOT NULL AND settlement IS NULL
            AND (job_id IS NULL) = check_earlier_attempts AND (job_id IS NULL OR job_taken_at IS NOT NULL)
        WHEN 'settling' THEN number IS NOT NULL AND job_id IS NOT NULL AND settlement IS NOT NULL
            AND NOT check_earlier_attempts
        WHEN 'accepted' THEN number IS NOT NULL AND job_id IS NOT NULL AND NOT check_earlier_attempts
            AND settlement::jsonb ->> 'settlement' IS NOT DISTINCT FROM 'accept'
        WHEN 'rejected' THEN number IS NOT NULL AND job_id IS NOT NULL AND NOT check_earlier_attempts
            AND settlement::jsonb ->> 'settlement' IS NOT DISTINCT FROM 'reject'
        WHEN 'superseded' THEN (job_id IS NOT NULL AND number IS NOT NULL AND NOT check_earlier_attempts)
            OR (job_id IS NULL AND settlement IS NULL AND (entry_id IS NULL) = (plugin_key IS NULL)
                AND (number IS NOT NULL OR entry_id IS NULL) AND (entry_id IS NOT NULL OR job_taken_at IS NULL))
        WHEN 'withdrawn' THEN number IS NULL AND entry_id IS NULL AND plugin_key IS NULL AND job_id IS NULL
            AND job_taken_at IS NULL AND settlement IS NULL
        ELSE FALSE END)
);

CREATE INDEX submission_open ON submission (updated_at)
    WHERE stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn');
CREATE INDEX submission_page ON submission (workspace_id, (alert_code IS NULL), updated_at DESC, document_id);
CREATE INDEX submission_page_of_all ON submission ((alert_code IS NULL), updated_at DESC, document_id) WHERE +workspace_id IS NOT NULL;
CREATE INDEX submission_stage ON submission (stage, (alert_code IS NULL), updated_at DESC, document_id) WHERE +workspace_id IS NOT NULL;
CREATE INDEX submission_stage_of_workspace ON submission (workspace_id, stage, (alert_code IS NULL), updated_at DESC, document_id);
CREATE INDEX submission_alerted ON submission (updated_at DESC, document_id)
    WHERE alert_code IS NOT NULL AND +workspace_id IS NOT NULL;
CREATE INDEX submission_alerted_of_workspace ON submission (workspace_id, updated_at DESC, document_id) WHERE alert_code IS NOT NULL;

-- An entry id belongs to one document for ever; the webhook finds the document by it.
CREATE TABLE submission_entry (
    entry_id    UUID NOT NULL PRIMARY KEY,
    document_id UUID NOT NULL REFERENCES submission (document_id),
    created_at  TIMESTAMPTZ NOT NULL
);

CREATE INDEX submission_entry_document ON submission_entry (document_id);

-- One attempt per provider job.
CREATE TABLE submission_attempt (
    job_id           UUID NOT NULL PRIMARY KEY,
    document_id      UUID NOT NULL REFERENCES submission (document_id),
    ordinal          BIGINT NOT NULL,
    number           TEXT,
    plugin_key       TEXT,
    plugin_version   TEXT,
    plugin_digest    TEXT,
    started_at       TIMESTAMPTZ NOT NULL,
    ended_at         TIMESTAMPTZ,
    outcome          TEXT,
    faults           TEXT NOT NULL,
    entry_id         UUID,
    -- 'nothing', 'refused' or 'accepted'; NULL while nobody knows.
    authority_record TEXT CHECK (authority_record IN ('nothing', 'refused', 'accepted')),
    -- The proof of an acceptance that was learned of after the attempt had ended, JSON.
    acceptance       TEXT,
    -- As of the submission, when the attempt ended.
    entry_digest     TEXT,
    UNIQUE (document_id, ordinal),
    CONSTRAINT an_outcome_ends_an_attempt CHECK ((ended_at IS NULL) = (outcome IS NULL))
);

-- Attempts that ended here while nobody knows what the authority holds are watched.
CREATE INDEX submission_attempt_unsettled ON submission_attempt (ended_at) WHERE authority_record IS NULL AND ended_at IS NOT NULL;

-- What an attempt sent to the tax authority, as the provider made it: the message itself, byte for byte.
CREATE TABLE submission_message (
    job_id     UUID NOT NULL PRIMARY KEY REFERENCES submission_attempt (job_id),
    media_type TEXT NOT NULL,
    body       TEXT NOT NULL,
    kept_at    TIMESTAMPTZ NOT NULL,
    CONSTRAINT a_message_is_bounded CHECK (octet_length(body) <= 1048576)
);

-- Money returned for a document.
CREATE TABLE refund (
    id           UUID NOT NULL PRIMARY KEY,
    document_id  UUID NOT NULL,
    workspace_id BIGINT NOT NULL,
    amount       TEXT NOT NULL,
    reference    TEXT,
    at           TIMESTAMPTZ NOT NULL,
    actor        TEXT NOT NULL,
    recorded_at  TIMESTAMPTZ NOT NULL
);

CREATE INDEX refund_document ON refund (document_id);

-- Finance's own copy of each document. A deleted document keeps its row without data, so that an event that comes late
-- does not bring it back. The newest by (created_at, version) stays: an id that is used again is a younger document.
CREATE TABLE finance_document (
    document_id  UUID NOT NULL PRIMARY KEY,
    workspace_id BIGINT NOT NULL,
    version      BIGINT NOT NULL,
    data         TEXT,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL
);

-- A plugin is tried with the last documents of a workspace; finance finds them among its copies.
CREATE INDEX finance_document_last ON finance_document (workspace_id, created_at, document_id);

-- Booking documents read model. A document that was deleted or left its booking keeps its row without a booking.
CREATE TABLE booking_document (
    document_id                      UUID NOT NULL PRIMARY KEY,
    workspace_id                     BIGINT NOT NULL,
    booking_id                       UUID,
    document_type                    TEXT NOT NULL,
    status                           TEXT NOT NULL,
    number                           TEXT,
    issue_date                       TEXT,
    currency                         TEXT NOT NULL,
    payable                          TEXT NOT NULL,
    issuing_started_at               TIMESTAMPTZ,
    issued_at                        TIMESTAMPTZ,
    rejected_by_tax_authority_at     TIMESTAMPTZ,
    rejected_by_tax_authority_reason TEXT,
    version                          BIGINT NOT NULL,
    created_at                       TIMESTAMPTZ NOT NULL,
    updated_at                       TIMESTAMPTZ NOT NULL,
    CONSTRAINT a_rejection_is_told_with_its_reason
        CHECK ((rejected_by_tax_authority_at IS NULL) = (rejected_by_tax_authority_reason IS NULL)),
    CONSTRAINT issuing_ends_with_a_rejection
        CHECK (issuing_started_at IS NULL OR rejected_by_tax_authority_at IS NULL)
);

CREATE INDEX booking_document_booking ON booking_document (booking_id, created_at, document_id) WHERE booking_id IS NOT NULL;
CREATE INDEX booking_document_issuing ON booking_document (updated_at, document_id) WHERE status = 'issuing';

-- What finance keeps of its own when the invoice data service is elsewhere: what it is about to ask of it, committed
-- before the call, which credit notes it wrote, and which corrective drafts (rejection strategy B).
CREATE TABLE finance_intent (
    document_id  UUID NOT NULL PRIMARY KEY,
    id           UUID NOT NULL UNIQUE,
    workspace_id BIGINT NOT NULL,
    body         TEXT NOT NULL,
    actor        TEXT NOT NULL,
    retries      BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL
);

CREATE TABLE finance_credit_note (
    original_id  UUID NOT NULL,
    note_id      UUID NOT NULL,
    workspace_id BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (original_id, note_id)
);

CREATE TABLE finance_corrective (
    document_id UUID NOT NULL PRIMARY KEY,
    original_id UUID NOT NULL UNIQUE,
    released_at TIMESTAMPTZ
);

-- How far finance has read the event feed of an invoice data service elsewhere.
CREATE TABLE finance_feed (
    service    TEXT NOT NULL PRIMARY KEY,
    cursor     TEXT NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

-- Documents at the tax authority, wherever they are kept: those elsewhere as the event feed tells of them.
CREATE VIEW issuing_document AS
    SELECT id, workspace_id, number, issuing_at, updated_at AS since FROM invoice WHERE status = 'issuing'
    UNION ALL
    SELECT b.document_id, b.workspace_id, b.number, b.issuing_started_at, b.updated_at FROM booking_document b
    WHERE b.status = 'issuing' AND b.number IS NOT NULL AND b.issuing_started_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM invoice i WHERE i.id = b.document_id);

-- Every document there is, wherever it is kept: those elsewhere, once a feed was read, as it tells of them.
CREATE VIEW kept_document AS
    SELECT workspace_id, status, CASE WHEN status = 'issuing' THEN updated_at END AS issuing_since FROM invoice
    UNION ALL
    SELECT b.workspace_id, b.status, CASE WHEN b.status = 'issuing' THEN b.updated_at END FROM booking_document b
    WHERE EXISTS (SELECT 1 FROM finance_feed)
        AND NOT EXISTS (SELECT 1 FROM invoice i WHERE i.id = b.document_id)
        AND NOT EXISTS (SELECT 1 FROM finance_document f WHERE f.document_id = b.document_id AND f.data IS NULL);

-- What the watchdog found and nobody mended yet: logged once an hour, counted by the metrics.
CREATE TABLE watchdog_alert (
    document_id  UUID NOT NULL PRIMARY KEY,
    workspace_id BIGINT NOT NULL,
    code         TEXT NOT NULL,
    since        TIMESTAMPTZ NOT NULL,
    logged_at    TIMESTAMPTZ NOT NULL
);
