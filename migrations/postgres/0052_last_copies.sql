-- A plugin is tried with the last documents of a workspace; finance finds them among its copies.
CREATE INDEX finance_document_last ON finance_document (workspace_id, created_at, document_id);
