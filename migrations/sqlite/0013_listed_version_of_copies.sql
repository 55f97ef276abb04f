-- Of which version of the document the values are that lists of copies are filtered by. A release before these columns writes a
-- copy without them: then they are of an older version, or of none, until a process of a newer release derives them.

ALTER TABLE finance_document ADD COLUMN listed_version INTEGER;

CREATE INDEX finance_document_unlisted ON finance_document (document_id)
    WHERE listed_version IS NULL OR listed_version <> version;
