-- What is broken in the chain may be about no document: a number that is missing. It is a difference like any other.

ALTER TABLE reconciled_entry DROP CONSTRAINT only_what_is_nowhere_here_has_no_document;
-- What is stored held the narrower rule.
ALTER TABLE reconciled_entry ADD CONSTRAINT only_what_is_nowhere_here_has_no_document
    CHECK ((document_id IS NULL) = (outcome = 'only_there') OR source = 'chain') NOT VALID;
