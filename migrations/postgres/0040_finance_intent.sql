-- What finance keeps of its own when the invoice data service is elsewhere: what it is about to ask of it, committed
-- before the call, which credit notes it wrote, and which corrective drafts (rejection strategy B).
CREATE TABLE finance_intent (
    document_id  UUID NOT NULL PRIMARY KEY,
    id           UUID NOT NULL UNIQUE,
    workspace_id BIGINT NOT NULL,
    body         TEXT NOT NULL,
    actor        TEXT NOT NULL,
    retries      BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL
);

CREATE TABLE finance_credit_note (
    original_id  UUID NOT NULL,
    note_id      UUID NOT NULL,
    workspace_id BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (original_id, note_id)
);

CREATE TABLE finance_corrective (
    document_id UUID NOT NULL PRIMARY KEY,
    original_id UUID NOT NULL UNIQUE,
    released_at TIMESTAMPTZ
);

-- How far finance has read the event feed of an invoice data service elsewhere.
CREATE TABLE finance_feed (
    service    TEXT NOT NULL PRIMARY KEY,
    cursor     TEXT NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

-- Documents at the tax authority, wherever they are kept: those elsewhere as the event feed tells of them.
CREATE VIEW issuing_document AS
    SELECT id, workspace_id, number, issuing_at FROM invoice WHERE status = 'issuing'
    UNION ALL
    SELECT b.document_id, b.workspace_id, b.number, b.issuing_started_at FROM booking_document b
    WHERE b.status = 'issuing' AND b.number IS NOT NULL AND b.issuing_started_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM invoice i WHERE i.id = b.document_id);

-- Every document there is, wherever it is kept: those elsewhere, once a feed was read, as it tells of them.
CREATE VIEW kept_document AS
    SELECT workspace_id, status, issuing_at FROM invoice
    UNION ALL
    SELECT b.workspace_id, b.status, b.issuing_started_at FROM booking_document b
    WHERE EXISTS (SELECT 1 FROM finance_feed)
        AND NOT EXISTS (SELECT 1 FROM invoice i WHERE i.id = b.document_id)
        AND NOT EXISTS (SELECT 1 FROM finance_document f WHERE f.document_id = b.document_id AND f.data IS NULL);

CREATE INDEX booking_document_issuing ON booking_document (issuing_started_at, document_id) WHERE status = 'issuing';
