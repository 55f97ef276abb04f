-- A submission holds exactly what exists in its stage: what older versions may have left beside that is mended first.

-- The entry of a number that went out was taken from the submission when every number got an entry of its own; its attempt
-- still knows it, as it knows the number.
UPDATE submission SET entry_id = (SELECT a.entry_id FROM submission_attempt a WHERE a.job_id = submission.job_id)
    WHERE entry_id IS NULL AND structured IS NOT NULL AND job_id IS NOT NULL;
UPDATE submission SET job_id = (SELECT a.job_id FROM submission_attempt a WHERE a.document_id = submission.document_id
        ORDER BY a.ordinal DESC LIMIT 1)
    WHERE job_id IS NULL AND stage IN ('settling', 'accepted', 'rejected');
UPDATE submission SET number = (SELECT a.number FROM submission_attempt a WHERE a.job_id = submission.job_id)
    WHERE number IS NULL AND job_id IS NOT NULL AND stage NOT IN ('requested', 'withdrawn');
-- A document without an entry, or the other way round, was never at the provider: it is made again before it is sent.
UPDATE submission SET entry_id = NULL, structured = NULL, entry_renewed = FALSE, entry_digest = NULL
    WHERE entry_id IS NULL OR structured IS NULL;

-- A verdict that is to be told and is not there was asked for again.
UPDATE submission SET stage = 'waiting' WHERE stage = 'settling' AND settlement IS NULL;
UPDATE submission SET settlement = NULL
    WHERE settlement IS NOT NULL AND stage IN ('requested', 'converting', 'uploading', 'starting', 'waiting', 'withdrawn');
-- What lacks its entry, its document or its job was converted again; its attempts are looked at before anything is sent.
-- Without a job, the attempt of what waits had ended.
UPDATE submission SET stage = 'converting', check_earlier_attempts = TRUE
    WHERE (stage IN ('uploading', 'starting') AND job_id IS NULL)
        OR (stage IN ('uploading', 'starting', 'waiting') AND (entry_id IS NULL OR plugin_key IS NULL))
        OR (stage = 'settling' AND job_id IS NULL);
UPDATE submission SET settlement = NULL, job_id = NULL WHERE stage = 'converting';
UPDATE submission SET check_earlier_attempts = TRUE WHERE stage = 'waiting' AND job_id IS NULL;
-- Without a number, the invoice data service is asked for it again.
UPDATE submission SET stage = 'requested', check_earlier_attempts = TRUE
    WHERE number IS NULL AND stage IN ('converting', 'uploading', 'starting', 'waiting', 'settling');

-- What ended and does not say how, ended otherwise.
UPDATE submission SET stage = 'superseded'
    WHERE (stage IN ('accepted', 'rejected') AND (number IS NULL OR job_id IS NULL))
        OR (stage = 'accepted' AND json_extract(settlement, '$.settlement') IS NOT 'accept')
        OR (stage = 'rejected' AND json_extract(settlement, '$.settlement') IS NOT 'reject');
-- Without a number there was no attempt that counts.
UPDATE submission SET check_earlier_attempts = (check_earlier_attempts OR job_id IS NOT NULL), number = NULL, entry_id = NULL,
        entry_renewed = FALSE, entry_digest = NULL, structured = NULL, plugin_key = NULL, plugin_version = NULL,
        plugin_digest = NULL, job_id = NULL, job_taken_at = NULL, settlement = NULL
    WHERE stage IN ('requested', 'withdrawn') OR (stage = 'superseded' AND number IS NULL);
UPDATE submission SET settlement = NULL WHERE stage = 'superseded' AND job_id IS NULL;
-- Between two attempts, either all of the last one is known or nothing.
UPDATE submission SET entry_id = NULL, entry_renewed = FALSE, entry_digest = NULL, structured = NULL, plugin_key = NULL,
        plugin_version = NULL, plugin_digest = NULL, job_taken_at = NULL
    WHERE stage IN ('converting', 'superseded') AND job_id IS NULL AND (entry_id IS NULL OR plugin_key IS NULL);

-- Earlier attempts are looked at before an upload, and never after it.
UPDATE submission SET check_earlier_attempts = FALSE
    WHERE job_id IS NOT NULL AND stage NOT IN ('requested', 'converting', 'uploading', 'withdrawn');
-- Jobs that the provider took before their time was kept.
UPDATE submission SET job_taken_at = updated_at WHERE stage = 'waiting' AND job_id IS NOT NULL AND job_taken_at IS NULL;
UPDATE submission SET job_taken_at = NULL WHERE stage = 'uploading';
UPDATE submission SET retries = 0, last_error = NULL, held_until = NULL
    WHERE stage IN ('accepted', 'rejected', 'superseded', 'withdrawn');

-- SQLite adds a constraint to no table: the rows move to another one and back. What refers to them does so again at the end.
PRAGMA defer_foreign_keys = ON;
CREATE TABLE submission_kept AS SELECT * FROM submission;
DROP TABLE submission;
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
    last_error     TEXT,
    held_until     TEXT,
    stamps         TEXT,
    job_taken_at   TEXT,
    entry_digest   TEXT,
    check_earlier_attempts INTEGER NOT NULL DEFAULT 0 CHECK (check_earlier_attempts IN (0, 1)),
    issue_at       TEXT,
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
            AND json_extract(settlement, '$.settlement') IS 'accept'
        WHEN 'rejected' THEN number IS NOT NULL AND job_id IS NOT NULL AND NOT check_earlier_attempts
            AND json_extract(settlement, '$.settlement') IS 'reject'
        WHEN 'superseded' THEN (job_id IS NOT NULL AND number IS NOT NULL AND NOT check_earlier_attempts)
            OR (job_id IS NULL AND settlement IS NULL AND (entry_id IS NULL) = (plugin_key IS NULL)
                AND (number IS NOT NULL OR entry_id IS NULL) AND (entry_id IS NOT NULL OR job_taken_at IS NULL))
        WHEN 'withdrawn' THEN number IS NULL AND entry_id IS NULL AND plugin_key IS NULL AND job_id IS NULL
            AND job_taken_at IS NULL AND settlement IS NULL
        ELSE FALSE END)
) STRICT;
INSERT INTO submission (document_id, workspace_id, stage, number, entry_id, entry_renewed, job_id, structured, plugin_key, plugin_version, plugin_digest,
    settlement, alert_code, alert_message, retries, version, actor, created_at, updated_at, last_error, held_until, stamps,
    job_taken_at, entry_digest, check_earlier_attempts, issue_at)
SELECT document_id, workspace_id, stage, number, entry_id, entry_renewed, job_id, structured, plugin_key, plugin_version, plugin_digest,
    settlement, alert_code, alert_message, retries, version, actor, created_at, updated_at, last_error, held_until, stamps,
    job_taken_at, entry_digest, check_earlier_attempts, issue_at
FROM submission_kept;
DROP TABLE submission_kept;

CREATE INDEX submission_open ON submission (updated_at)
    WHERE stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn');
CREATE INDEX submission_page ON submission (workspace_id, (alert_code IS NULL), updated_at DESC, document_id);
CREATE INDEX submission_page_of_all ON submission ((alert_code IS NULL), updated_at DESC, document_id);
CREATE INDEX submission_stage ON submission (stage, (alert_code IS NULL), updated_at DESC, document_id);
CREATE INDEX submission_stage_of_workspace ON submission (workspace_id, stage, (alert_code IS NULL), updated_at DESC, document_id);
CREATE INDEX submission_alerted ON submission (updated_at DESC, document_id) WHERE alert_code IS NOT NULL;
CREATE INDEX submission_alerted_of_workspace ON submission (workspace_id, updated_at DESC, document_id) WHERE alert_code IS NOT NULL;
