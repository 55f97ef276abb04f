-- Since when the provider has the job of a submission: what takes too long is somebody's to look at.
ALTER TABLE submission ADD COLUMN job_taken_at TIMESTAMPTZ;
