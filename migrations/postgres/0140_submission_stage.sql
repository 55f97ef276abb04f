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
        OR (stage = 'accepted' AND settlement::jsonb ->> 'settlement' IS DISTINCT FROM 'accept')
        OR (stage = 'rejected' AND settlement::jsonb ->> 'settlement' IS DISTINCT FROM 'reject');
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

ALTER TABLE submission
    ADD CONSTRAINT an_entry_holds_a_document CHECK ((entry_id IS NULL) = (structured IS NULL)
        AND (entry_id IS NOT NULL OR (NOT entry_renewed AND entry_digest IS NULL))),
    ADD CONSTRAINT what_ended_calls_nobody CHECK (stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn')
        OR (retries = 0 AND last_error IS NULL AND held_until IS NULL)),
    ADD CONSTRAINT a_stage_holds_what_exists_in_it CHECK (CASE stage
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
        ELSE FALSE END);
