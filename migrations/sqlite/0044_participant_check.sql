-- What the delivery network said of participants, and what was known of how each document reaches its recipient when it was issued.

-- The newest answer about a participant and a type of documents.
CREATE TABLE participant_answer (
    participant   TEXT NOT NULL,
    document_type TEXT NOT NULL,
    outcome       TEXT NOT NULL,
    checked_at    TEXT NOT NULL,
    PRIMARY KEY (participant, document_type)
) STRICT;

-- A document of a remote invoice data service has one too, so that it refers to no invoice here.
CREATE TABLE participant_check (
    document_id   TEXT NOT NULL PRIMARY KEY,
    workspace_id  INTEGER NOT NULL,
    participant   TEXT NOT NULL,
    document_type TEXT NOT NULL,
    outcome       TEXT NOT NULL,
    -- Why the network did not say.
    doubt         TEXT,
    checked_at    TEXT NOT NULL
) STRICT;

-- A draft that is deleted takes it along, also where a release before this one deletes it.
CREATE TRIGGER document_takes_participant_check AFTER DELETE ON invoice
BEGIN
    DELETE FROM participant_check WHERE document_id = OLD.id;
END;
