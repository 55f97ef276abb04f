-- SHA-256 of the structured document that an attempt was to send, byte for byte: what is stored of it can be held against it for
-- ever. None of an attempt from before this column.
ALTER TABLE submission_attempt ADD COLUMN document_digest TEXT;
