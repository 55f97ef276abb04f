-- What finance keeps of its own when the invoice data service is elsewhere: what it is about to ask of it, committed
-- before the call, which credit notes it wrote, and which corrective drafts (rejection strategy B).
CREATE TABLE finance_intent (
    document_id  TEXT NOT NULL PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    workspace_id INTEGER NOT NULL,
    body         TEXT NOT NULL,
    actor        TEXT NOT NULL,
    retries      INTEGER NOT NULL,
    created_at   TEXT NOT NULL
) STRICT;

CREATE TABLE finance_credit_note (
    original_id  TEXT NOT NULL,
    note_id      TEXT NOT NULL,
    workspace_id INTEGER NOT NULL,
    created_at   TEXT NOT NULL,
    PRIMARY KEY (original_id, note_id)
) STRICT;

CREATE TABLE finance_corrective (
    document_id TEXT NOT NULL PRIMARY KEY,
    original_id TEXT NOT NULL UNIQUE,
    released_at TEXT
) STRICT;
