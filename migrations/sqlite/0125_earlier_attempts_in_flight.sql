-- What was on its way when every number got an entry of its own: it gets one too, and its earlier attempts are looked at.
ALTER TABLE submission_attempt ADD COLUMN entry_digest TEXT;

-- Attempts that ended here while nobody knows what the authority holds are watched.
CREATE INDEX submission_attempt_unsettled ON submission_attempt (ended_at) WHERE authority_record IS NULL AND ended_at IS NOT NULL;

UPDATE submission SET check_earlier_attempts = 1
    WHERE stage IN ('requested', 'converting', 'uploading')
        AND EXISTS (SELECT 1 FROM submission_attempt a
            WHERE a.document_id = submission.document_id
                AND (submission.number IS NULL OR a.number <> submission.number OR a.job_id <> submission.job_id));

-- An upload under an entry that an earlier number had is made again under another one; nothing of it was started.
UPDATE submission_attempt SET ended_at = started_at, outcome = 'superseded', authority_record = 'nothing'
    WHERE ended_at IS NULL AND job_id IN (SELECT s.job_id FROM submission s
        WHERE s.stage = 'uploading' AND EXISTS (SELECT 1 FROM submission_attempt a
            WHERE a.document_id = s.document_id AND a.entry_id = s.entry_id AND a.number <> s.number));
UPDATE submission SET stage = 'converting', entry_id = NULL, entry_renewed = 0, job_id = NULL
    WHERE stage IN ('converting', 'uploading') AND entry_id IS NOT NULL
        AND EXISTS (SELECT 1 FROM submission_attempt a
            WHERE a.document_id = submission.document_id AND a.entry_id = submission.entry_id AND a.number <> submission.number);
UPDATE submission SET entry_id = NULL, entry_renewed = 0, job_id = NULL
    WHERE stage = 'requested' AND entry_id IS NOT NULL;
