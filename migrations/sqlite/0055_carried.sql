-- What tax systems learn of a supplier and of documents referred to: an e-mail address, the stamps of the last report.
ALTER TABLE workspace ADD COLUMN email TEXT;
ALTER TABLE submission ADD COLUMN stamps TEXT;
