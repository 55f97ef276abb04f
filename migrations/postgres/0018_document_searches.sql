-- What documents are searched for besides: the beginning of a number, and the confirmation code of the booking that they bill.

-- By the bytes of the number: the collation of a database may pass over its hyphens.
CREATE INDEX invoice_number_prefix ON invoice (number COLLATE "C", id) WHERE number IS NOT NULL;
CREATE INDEX finance_document_number_prefix ON finance_document (number COLLATE "C", document_id) WHERE number IS NOT NULL;
CREATE INDEX booking_confirmation_code ON booking (confirmation_code);
