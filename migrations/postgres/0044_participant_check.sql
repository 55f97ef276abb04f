-- What the delivery network said of participants, and what was known of how each document reaches its recipient when it was issued.

-- The newest answer about a participant and a type of documents.
CREATE TABLE participant_answer (
    participant   TEXT COLLATE "C" NOT NULL,
    document_type TEXT COLLATE "C" NOT NULL,
    outcome       TEXT NOT NULL,
    checked_at    TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (participant, document_type)
);

-- A document of a remote invoice data service has one too, so that it refers to no invoice here.
CREATE TABLE participant_check (
    document_id   UUID NOT NULL PRIMARY KEY,
    workspace_id  BIGINT NOT NULL,
    participant   TEXT NOT NULL,
    document_type TEXT NOT NULL,
    outcome       TEXT NOT NULL,
    -- Why the network did not say.
    doubt         TEXT,
    checked_at    TIMESTAMPTZ NOT NULL
);

-- A draft that is deleted takes it along, also where a release before this one deletes it.
CREATE FUNCTION document_takes_participant_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM participant_check WHERE document_id = OLD.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER document_takes_participant_check AFTER DELETE ON invoice FOR EACH ROW
    EXECUTE FUNCTION document_takes_participant_check();
