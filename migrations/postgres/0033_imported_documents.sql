-- Documents that another system issued: where they come from, and their files as that system made them. None of the columns and
-- tables here is written by a release before them.
ALTER TABLE invoice ADD COLUMN imported TEXT CONSTRAINT only_issued_documents_are_imported CHECK (imported IS NULL OR status = 'issued');

-- The numbers of a workspace that were not given here.
CREATE INDEX invoice_imported ON invoice (workspace_id, number) WHERE imported IS NOT NULL;

CREATE TABLE imported_file (
    document_id UUID NOT NULL REFERENCES invoice (id),
    media_type  TEXT NOT NULL CHECK (media_type IN ('application/pdf', 'application/xml')),
    content     BYTEA NOT NULL,
    PRIMARY KEY (document_id, media_type),
    CONSTRAINT an_imported_file_is_bounded CHECK (length(content) <= 524288)
);
