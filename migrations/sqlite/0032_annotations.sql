-- What people keep beside a document: a note, tags, files. None of it is part of the document. A draft that is deleted takes it along,
-- also where a release before this one deletes it.
CREATE TABLE annotation (
    document_id TEXT NOT NULL PRIMARY KEY REFERENCES invoice (id) ON DELETE CASCADE,
    note        TEXT,
    -- JSON: a list of texts.
    tags        TEXT NOT NULL,
    version     INTEGER NOT NULL CHECK (version > 0),
    actor       TEXT NOT NULL,
    updated_at  TEXT NOT NULL
) STRICT;

CREATE TABLE attachment (
    document_id TEXT NOT NULL REFERENCES invoice (id) ON DELETE CASCADE,
    id          TEXT NOT NULL,
    name        TEXT NOT NULL,
    media_type  TEXT NOT NULL,
    size        INTEGER NOT NULL,
    -- SHA-256 of the content, hexadecimal.
    digest      TEXT NOT NULL,
    actor       TEXT NOT NULL,
    created_at  TEXT NOT NULL,
    content     BLOB NOT NULL,
    PRIMARY KEY (document_id, id),
    CONSTRAINT an_attachment_is_bounded CHECK (length(content) <= 5242880)
) STRICT;
