-- From when on a job is claimed before others of its kind, because time runs out for what it is about. NULL: never.

ALTER TABLE job ADD COLUMN urgent_at TEXT;

UPDATE job SET urgent_at = (SELECT alert_at FROM filing_deadline WHERE document_id = job.subject) WHERE kind = 'submission';

CREATE INDEX job_urgent ON job (kind, urgent_at, id) WHERE urgent_at IS NOT NULL;
