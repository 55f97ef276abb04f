-- Documents of the invoice data service, and the gapless series their numbers come from.
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
CREATE INDEX invoice_waiting ON invoice (issuing_at) WHERE issuing_at IS NOT NULL;
CREATE INDEX invoice_export ON invoice (workspace_id, issue_date) WHERE status = 'issued';

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

-- A number that was given is never changed and never forgotten.
CREATE FUNCTION invoice_number_is_for_ever() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an invoice number is for ever';
END
$$;
CREATE TRIGGER invoice_number_is_for_ever BEFORE UPDATE OR DELETE ON invoice_number
    FOR EACH ROW EXECUTE FUNCTION invoice_number_is_for_ever();
