-- From when on a job is claimed before others of its kind, because time runs out for what it is about. NULL: never.

ALTER TABLE job ADD COLUMN urgent_at TIMESTAMPTZ;

UPDATE job SET urgent_at = d.alert_at FROM filing_deadline d WHERE job.kind = 'submission' AND job.subject = d.document_id::text;

CREATE INDEX job_urgent ON job (kind, urgent_at, id) WHERE urgent_at IS NOT NULL;
