-- A document in Issuing changes no more, so its last change is when it entered; issuing_at is what the caller says, which may
-- be months ago. Ages are counted from the entry.
DROP VIEW issuing_document;
CREATE VIEW issuing_document AS
    SELECT id, workspace_id, number, issuing_at, updated_at AS since FROM invoice WHERE status = 'issuing'
    UNION ALL
    SELECT b.document_id, b.workspace_id, b.number, b.issuing_started_at, b.updated_at FROM booking_document b
    WHERE b.status = 'issuing' AND b.number IS NOT NULL AND b.issuing_started_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM invoice i WHERE i.id = b.document_id);

DROP VIEW kept_document;
CREATE VIEW kept_document AS
    SELECT workspace_id, status, CASE WHEN status = 'issuing' THEN updated_at END AS issuing_since FROM invoice
    UNION ALL
    SELECT b.workspace_id, b.status, CASE WHEN b.status = 'issuing' THEN b.updated_at END FROM booking_document b
    WHERE EXISTS (SELECT 1 FROM finance_feed)
        AND NOT EXISTS (SELECT 1 FROM invoice i WHERE i.id = b.document_id)
        AND NOT EXISTS (SELECT 1 FROM finance_document f WHERE f.document_id = b.document_id AND f.data IS NULL);

DROP INDEX invoice_waiting;
CREATE INDEX invoice_waiting ON invoice (updated_at, id) WHERE status = 'issuing';
DROP INDEX booking_document_issuing;
CREATE INDEX booking_document_issuing ON booking_document (updated_at, document_id) WHERE status = 'issuing';
