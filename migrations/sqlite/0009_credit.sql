-- What is given back of a document: the credit notes that refer to it, and money returned.
CREATE TABLE invoice_reference (
    document_id   TEXT NOT NULL REFERENCES invoice (id) ON DELETE CASCADE,
    referenced_id TEXT NOT NULL,
    PRIMARY KEY (document_id, referenced_id)
) STRICT;

CREATE INDEX invoice_reference_to ON invoice_reference (referenced_id);

CREATE TABLE refund (
    id           TEXT NOT NULL PRIMARY KEY,
    document_id  TEXT NOT NULL,
    workspace_id INTEGER NOT NULL,
    amount       TEXT NOT NULL,
    reference    TEXT,
    at           TEXT NOT NULL,
    actor        TEXT NOT NULL,
    recorded_at  TEXT NOT NULL
) STRICT;

CREATE INDEX refund_document ON refund (document_id);
