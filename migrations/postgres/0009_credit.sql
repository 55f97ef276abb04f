-- What is given back of a document: the credit notes that refer to it, and money returned.
CREATE TABLE invoice_reference (
    document_id   UUID NOT NULL REFERENCES invoice (id) ON DELETE CASCADE,
    referenced_id UUID NOT NULL,
    PRIMARY KEY (document_id, referenced_id)
);

CREATE INDEX invoice_reference_to ON invoice_reference (referenced_id);

CREATE TABLE refund (
    id           UUID NOT NULL PRIMARY KEY,
    document_id  UUID NOT NULL,
    workspace_id BIGINT NOT NULL,
    amount       TEXT NOT NULL,
    reference    TEXT,
    at           TIMESTAMPTZ NOT NULL,
    actor        TEXT NOT NULL,
    recorded_at  TIMESTAMPTZ NOT NULL
);

CREATE INDEX refund_document ON refund (document_id);
