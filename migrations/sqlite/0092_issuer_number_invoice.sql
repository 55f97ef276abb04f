-- Drafts are deleted, and whether one has a number is looked up then.
CREATE INDEX issuer_number_invoice ON issuer_number (invoice_id);
CREATE INDEX invoice_number_invoice ON invoice_number (invoice_id);
