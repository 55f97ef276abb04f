-- Documents that the tax authority accepted with remarks, which it calls errors: a list of them is for whoever has to amend them.

ALTER TABLE invoice ADD COLUMN accepted_with_errors BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE finance_document ADD COLUMN accepted_with_errors BOOLEAN NOT NULL DEFAULT FALSE;

UPDATE invoice SET accepted_with_errors = TRUE WHERE acceptance IS NOT NULL AND acceptance::jsonb -> 'warnings' NOT IN ('null', '[]');
UPDATE finance_document SET accepted_with_errors = TRUE WHERE data IS NOT NULL AND jsonb_typeof(data::jsonb -> 'acceptance' -> 'warnings') = 'array' AND data::jsonb -> 'acceptance' -> 'warnings' <> '[]';

CREATE INDEX invoice_with_errors ON invoice (created_at, id) WHERE accepted_with_errors;
CREATE INDEX invoice_with_errors_of_workspace ON invoice (workspace_id, created_at, id) WHERE accepted_with_errors;
CREATE INDEX finance_document_with_errors ON finance_document (created_at, document_id) WHERE accepted_with_errors;
CREATE INDEX finance_document_with_errors_of_workspace ON finance_document (workspace_id, created_at, document_id) WHERE accepted_with_errors;
