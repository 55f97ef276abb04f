-- What the authority holds of every attempt, each under an entry of its own: two records of one sale must never be accepted.
ALTER TABLE submission ADD COLUMN entry_digest text;
ALTER TABLE submission ADD COLUMN check_earlier_attempts boolean NOT NULL DEFAULT FALSE;

ALTER TABLE submission_attempt ADD COLUMN entry_id uuid;
-- 'nothing', 'refused' or 'accepted'; NULL while nobody knows.
ALTER TABLE submission_attempt ADD COLUMN authority_record text CHECK (authority_record IN ('nothing', 'refused', 'accepted'));
-- The proof of an acceptance that was learned of after the attempt had ended, JSON.
ALTER TABLE submission_attempt ADD COLUMN acceptance text;

UPDATE submission SET check_earlier_attempts = TRUE
    WHERE (SELECT COUNT(*) FROM submission_attempt a WHERE a.document_id = submission.document_id) > 1;
UPDATE submission_attempt SET entry_id = (SELECT e.entry_id FROM submission_entry e WHERE e.document_id = submission_attempt.document_id)
    WHERE (SELECT COUNT(*) FROM submission_entry e WHERE e.document_id = submission_attempt.document_id) = 1;
UPDATE submission_attempt SET authority_record = CASE outcome WHEN 'accepted' THEN 'accepted' ELSE 'refused' END
    WHERE outcome IN ('accepted', 'rejected');
