-- Runs of the reconciliation go on with the tax authority's own list.

-- A run is there while its stage is 'missing' and this is set: a release before this column ends it without the authority.
ALTER TABLE reconciliation ADD COLUMN authority_stage TEXT CHECK (authority_stage IN ('listing', 'missing'));
-- What the plugin made of the page before, and pages so far.
ALTER TABLE reconciliation ADD COLUMN authority_cursor TEXT;
ALTER TABLE reconciliation ADD COLUMN authority_pages BIGINT NOT NULL DEFAULT 0;

-- Where a row was found. A record of the authority has no entry: its id is made of run, number and day.
ALTER TABLE reconciled_entry ADD COLUMN source TEXT NOT NULL DEFAULT 'provider' CHECK (source IN ('provider', 'authority', 'chain'));
CREATE INDEX reconciled_entry_of_authority ON reconciled_entry (reconciliation_id, document_id) WHERE source = 'authority';

-- The authority lists numbers.
CREATE INDEX submission_attempt_number ON submission_attempt (number);
