-- The invoice data service: documents, the gapless series their numbers come from, and what refers to what.

-- The instant of the newest document. Who makes one holds this row until the transaction ends, so that documents stand in
-- the order in which they can be seen.
CREATE TABLE document_creation_clock (
    at TIMESTAMPTZ NOT NULL
);

INSERT INTO document_creation_clock (at) VALUES ('1970-01-01T00:00:00Z');

-- What a series gives next: its row is the lock of whoever numbers a document.
CREATE TABLE series (
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    kind         TEXT NOT NULL CHECK (kind IN ('invoice', 'credit_note')),
    year         BIGINT NOT NULL,
    next_no      BIGINT NOT NULL CHECK (next_no >= 1),
    PRIMARY KEY (workspace_id, kind, year)
);

CREATE TABLE invoice (
    id                    UUID NOT NULL PRIMARY KEY,
    workspace_id          BIGINT NOT NULL REFERENCES workspace (id),
    kind                  TEXT NOT NULL CHECK (kind IN ('invoice', 'credit_note', 'proforma', 'receipt')),
    status                TEXT NOT NULL CHECK (status IN ('draft', 'issuing', 'issued', 'rejected')),
    content               TEXT NOT NULL,
    totals                TEXT NOT NULL,
    number                TEXT,
    send_to_tax_authority BOOLEAN NOT NULL,
    issuing_at            TIMESTAMPTZ,
    issued_at             TIMESTAMPTZ,
    acceptance            TEXT,
    rejected_at           TIMESTAMPTZ,
    rejection_reason      TEXT,
    booking_id            UUID,
    issue_date            TEXT,
    version               BIGINT NOT NULL,
    created_at            TIMESTAMPTZ NOT NULL,
    updated_at            TIMESTAMPTZ NOT NULL,
    UNIQUE (workspace_id, number),
    CONSTRAINT a_draft_has_no_number CHECK ((status = 'draft') = (number IS NULL)),
    CONSTRAINT issuing_at_only_while_issuing CHECK ((status = 'issuing') = (issuing_at IS NOT NULL)),
    CONSTRAINT issued_at_only_when_issued CHECK ((status = 'issued') = (issued_at IS NOT NULL)),
    CONSTRAINT acceptance_only_when_issued CHECK (acceptance IS NULL OR status = 'issued'),
    CONSTRAINT rejected_at_only_when_rejected CHECK ((status = 'rejected') = (rejected_at IS NOT NULL)),
    CONSTRAINT a_rejection_has_a_reason CHECK ((status = 'rejected') = (rejection_reason IS NOT NULL))
);

CREATE INDEX invoice_page ON invoice (workspace_id, created_at, id);
CREATE INDEX invoice_changes ON invoice (workspace_id, updated_at);
CREATE INDEX invoice_booking ON invoice (booking_id) WHERE booking_id IS NOT NULL;
CREATE INDEX invoice_export ON invoice (workspace_id, issue_date, id) WHERE status = 'issued';
CREATE INDEX invoice_waiting ON invoice (updated_at, id) WHERE status = 'issuing';

-- Every list, here and in the files after this one, finds its rows by an index that begins with what the request names and goes on in the order of the list;
-- the lists of clients that see all workspaces begin with the order. Which index answers which list is in the code of storage.
-- Those of all workspaces hold every row, and yet are partial: a statement may use them only when it says the same, which one
-- about some workspaces does not. Else a plan for whatever workspace reads the rows of all others to find those of a small one.
CREATE INDEX invoice_page_of_all ON invoice (created_at, id) WHERE +workspace_id IS NOT NULL;
CREATE INDEX invoice_status ON invoice (status, created_at, id) WHERE +workspace_id IS NOT NULL;
CREATE INDEX invoice_status_of_workspace ON invoice (workspace_id, status, created_at, id);
CREATE INDEX invoice_numbered ON invoice (number) WHERE number IS NOT NULL;
CREATE INDEX invoice_changes_of_all ON invoice (updated_at) WHERE +workspace_id IS NOT NULL;

-- Every number that was ever given, with the document it was given to: a rejected document keeps its old numbers here.
CREATE TABLE invoice_number (
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    kind         TEXT NOT NULL CHECK (kind IN ('invoice', 'credit_note')),
    year         BIGINT NOT NULL,
    no           BIGINT NOT NULL,
    number       TEXT NOT NULL,
    invoice_id   UUID NOT NULL REFERENCES invoice (id),
    given_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (workspace_id, kind, year, no),
    UNIQUE (workspace_id, number)
);

CREATE INDEX invoice_number_invoice ON invoice_number (invoice_id);

-- A number that was given is never changed and never forgotten.
CREATE FUNCTION invoice_number_is_for_ever() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an invoice number is for ever';
END
$$;

CREATE TRIGGER invoice_number_is_for_ever BEFORE UPDATE OR DELETE ON invoice_number
    FOR EACH ROW EXECUTE FUNCTION invoice_number_is_for_ever();

-- Every number by who issued it: one supplier uses none twice, however many workspaces and patterns it has.
CREATE TABLE issuer_number (
    issuer     TEXT COLLATE "C" NOT NULL,
    number     TEXT COLLATE "C" NOT NULL,
    invoice_id UUID NOT NULL REFERENCES invoice (id),
    PRIMARY KEY (issuer, number)
);

-- Drafts are deleted, and whether one has a number is looked up then.
CREATE INDEX issuer_number_invoice ON issuer_number (invoice_id);

CREATE TRIGGER issuer_number_is_for_ever BEFORE UPDATE OR DELETE ON issuer_number
    FOR EACH ROW EXECUTE FUNCTION invoice_number_is_for_ever();

-- The documents that a credit note refers to.
CREATE TABLE invoice_reference (
    document_id   UUID NOT NULL REFERENCES invoice (id) ON DELETE CASCADE,
    referenced_id UUID NOT NULL,
    PRIMARY KEY (document_id, referenced_id)
);

CREATE INDEX invoice_reference_to ON invoice_reference (referenced_id);

-- Rejection strategy B: the corrective draft of a rejected invoice, blocked until that invoice is issued and credited.
CREATE TABLE corrective (
    document_id UUID NOT NULL PRIMARY KEY REFERENCES invoice (id) ON DELETE CASCADE,
    original_id UUID NOT NULL UNIQUE,
    released_at TIMESTAMPTZ
);
