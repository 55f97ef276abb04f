-- Lists of finance's copies: what they are filtered by. A copy without a status, of a document that is gone or cannot be
-- read, stands in no list.

ALTER TABLE finance_document ADD COLUMN status TEXT;
ALTER TABLE finance_document ADD COLUMN booking_id TEXT;
ALTER TABLE finance_document ADD COLUMN number TEXT;

UPDATE finance_document SET
    status = (SELECT b.status FROM booking_document b WHERE b.document_id = finance_document.document_id),
    booking_id = (SELECT b.booking_id FROM booking_document b WHERE b.document_id = finance_document.document_id),
    number = (SELECT b.number FROM booking_document b WHERE b.document_id = finance_document.document_id)
    WHERE data IS NOT NULL;

CREATE INDEX finance_document_page ON finance_document (created_at, document_id);
CREATE INDEX finance_document_status ON finance_document (status, created_at, document_id);
CREATE INDEX finance_document_status_of_workspace ON finance_document (workspace_id, status, created_at, document_id);
CREATE INDEX finance_document_booking ON finance_document (booking_id) WHERE booking_id IS NOT NULL;
CREATE INDEX finance_document_number ON finance_document (number) WHERE number IS NOT NULL;
CREATE INDEX finance_document_changes ON finance_document (updated_at);
