-- Documents of the invoice data service, and the gapless series their numbers come from.
CREATE TABLE series (
    workspace_id INTEGER NOT NULL REFERENCES workspace (id),
    kind         TEXT NOT NULL CHECK (kind IN ('invoice', 'credit_note')),
    year         INTEGER NOT NULL,
    next_no      INTEGER NOT NULL CHECK (next_no >= 1),
    PRIMARY KEY (workspace_id, kind, year)
) STRICT;

CREATE TABLE invoice (
    id                    TEXT NOT NULL PRIMARY KEY,
    workspace_id          INTEGER NOT NULL REFERENCES workspace (id),
    kind                  TEXT NOT NULL CHECK (kind IN ('invoice', 'credit_note', 'proforma', 'receipt')),
    status                TEXT NOT NULL CHECK (status IN ('draft', 'issuing', 'issued', 'rejected')),
    content               TEXT NOT NULL,
    totals                TEXT NOT NULL,
    number                TEXT,
    send_to_tax_authority INTEGER NOT NULL CHECK (send_to_tax_authority IN (0, 1)),
    issuing_at            TEXT,
    issued_at             TEXT,
    acceptance            TEXT,
    rejected_at           TEXT,
    rejection_reason      TEXT,
    booking_id            TEXT,
    issue_date            TEXT,
    version               INTEGER NOT NULL,
    created_at            TEXT NOT NULL,
    updated_at            TEXT NOT NULL,
    UNIQUE (workspace_id, number),
    CONSTRAINT a_draft_has_no_number CHECK ((status = 'draft') = (number IS NULL)),
    CONSTRAINT issuing_at_only_while_issuing CHECK ((status = 'issuing') = (issuing_at IS NOT NULL)),
    CONSTRAINT issued_at_only_when_issued CHECK ((status = 'issued') = (issued_at IS NOT NULL)),
    CONSTRAINT acceptance_only_when_issued CHECK (acceptance IS NULL OR status = 'issued'),
    CONSTRAINT rejected_at_only_when_rejected CHECK ((status = 'rejected') = (rejected_at IS NOT NULL)),
    CONSTRAINT a_rejection_has_a_reason CHECK ((status = 'rejected') = (rejection_reason IS NOT NULL))
) STRICT;

CREATE INDEX invoice_page ON invoice (workspace_id, created_at, id);
CREATE INDEX invoice_changes ON invoice (workspace_id, updated_at);
CREATE INDEX invoice_booking ON invoice (booking_id) WHERE booking_id IS NOT NULL;
CREATE INDEX invoice_waiting ON invoice (issuing_at) WHERE issuing_at IS NOT NULL;
CREATE INDEX invoice_export ON invoice (workspace_id, issue_date) WHERE status = 'issued';

-- Every number that was ever given, with the document it was given to: a rejected document keeps its old numbers here.
CREATE TABLE invoice_number (
    workspace_id INTEGER NOT NULL REFERENCES workspace (id),
    kind         TEXT NOT NULL CHECK (kind IN ('invoice', 'credit_note')),
    year         INTEGER NOT NULL,
    no           INTEGER NOT NULL,
    number       TEXT NOT NULL,
    invoice_id   TEXT NOT NULL REFERENCES invoice (id),
    given_at     TEXT NOT NULL,
    PRIMARY KEY (workspace_id, kind, year, no),
    UNIQUE (workspace_id, number)
) STRICT;

-- A number that was given is never changed and never forgotten.
CREATE TRIGGER invoice_number_is_not_changed BEFORE UPDATE ON invoice_number
BEGIN
    SELECT RAISE(ABORT, 'an invoice number is for ever');
END;
CREATE TRIGGER invoice_number_is_not_deleted BEFORE DELETE ON invoice_number
BEGIN
    SELECT RAISE(ABORT, 'an invoice number is for ever');
END;
