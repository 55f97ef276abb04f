-- The instant of the newest invoice document, likewise (see 0067): documents and platform rows do not wait for each other.
CREATE TABLE document_place (
    at TEXT NOT NULL
) STRICT;

INSERT INTO document_place (at) VALUES ('1970-01-01T00:00:00.000000Z');
