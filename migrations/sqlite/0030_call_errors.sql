-- Why a submission waits: how its last call failed, and until when calls are held back.
ALTER TABLE submission ADD COLUMN last_error TEXT;
ALTER TABLE submission ADD COLUMN held_until TEXT;

CREATE INDEX submission_open ON submission (updated_at)
    WHERE stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn');
