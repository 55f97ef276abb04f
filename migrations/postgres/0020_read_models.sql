-- What consumers of the event feed keep. Both tables follow the feed and can be built again from the event log.

-- Finance's own copy of each document. A deleted document keeps its row without data, so that an event that comes late
-- does not bring it back. The newest by (created_at, version) stays: an id that is used again is a younger document.
CREATE TABLE finance_document (
    document_id  UUID NOT NULL PRIMARY KEY,
    workspace_id BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    version      BIGINT NOT NULL,
    data         TEXT,
    updated_at   TIMESTAMPTZ NOT NULL
);

-- Booking documents read model. A document that was deleted or left its booking keeps its row without a booking.
CREATE TABLE booking_document (
    document_id                      UUID NOT NULL PRIMARY KEY,
    workspace_id                     BIGINT NOT NULL,
    booking_id                       UUID,
    document_type                    TEXT NOT NULL,
    status                           TEXT NOT NULL,
    number                           TEXT,
    issue_date                       TEXT,
    currency                         TEXT NOT NULL,
    payable                          TEXT NOT NULL,
    issuing_started_at               TIMESTAMPTZ,
    issued_at                        TIMESTAMPTZ,
    rejected_by_tax_authority_at     TIMESTAMPTZ,
    rejected_by_tax_authority_reason TEXT,
    version                          BIGINT NOT NULL,
    created_at                       TIMESTAMPTZ NOT NULL,
    updated_at                       TIMESTAMPTZ NOT NULL,
    CONSTRAINT a_rejection_is_told_with_its_reason
        CHECK ((rejected_by_tax_authority_at IS NULL) = (rejected_by_tax_authority_reason IS NULL)),
    CONSTRAINT issuing_ends_with_a_rejection
        CHECK (issuing_started_at IS NULL OR rejected_by_tax_authority_at IS NULL)
);

CREATE INDEX booking_document_booking ON booking_document (booking_id, created_at, document_id) WHERE booking_id IS NOT NULL;

-- The export pages by this order; the index before it did not end with the id.
DROP INDEX invoice_export;
CREATE INDEX invoice_export ON invoice (workspace_id, issue_date, id) WHERE status = 'issued';
