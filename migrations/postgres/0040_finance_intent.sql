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
