-- The caller's own time of the command that submits a document. It decides the issue date, also when the request that gave it
-- died and the background takes the first step.
ALTER TABLE submission ADD COLUMN issue_at TIMESTAMPTZ;
