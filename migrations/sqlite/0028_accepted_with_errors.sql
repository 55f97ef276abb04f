-- Documents that the tax authority accepted with remarks, which it calls errors: a list of them is for whoever has to amend them.

ALTER TABLE invoice ADD COLUMN accepted_with_errors INTEGER NOT NULL DEFAULT 0 CHECK (accepted_with_errors IN (0, 1));
ALTER TABLE finance_document ADD COLUMN accepted_with_errors INTEGER NOT NULL DEFAULT 0 CHECK (accepted_with_errors IN (0, 1));

UPDATE invoice SET accepted_with_errors = 1 WHERE acceptance IS NOT NULL AND json_array_length(acceptance, '$.warnings') > 0;
UPDATE finance_document SET accepted_with_errors = 1 WHERE data IS NOT NULL AND json_array_length(data, '$.acceptance.warnings') > 0;

CREATE INDEX invoice_with_errors ON invoice (created_at, id) WHERE accepted_with_errors;
CREATE INDEX invoice_with_errors_of_workspace ON invoice (workspace_id, created_at, id) WHERE accepted_with_errors;
CREATE INDEX finance_document_with_errors ON finance_document (created_at, document_id) WHERE accepted_with_errors;
CREATE INDEX finance_document_with_errors_of_workspace ON finance_document (workspace_id, created_at, document_id) WHERE accepted_with_errors;
