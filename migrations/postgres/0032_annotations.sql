-- What people keep beside a document: a note, tags, files. None of it is part of the document. A draft that is deleted takes it along,
-- also where a release before this one deletes it.
CREATE TABLE annotation (
    document_id UUID NOT NULL PRIMARY KEY REFERENCES invoice (id) ON DELETE CASCADE,
    note        TEXT,
    -- JSON: a list of texts.
    tags        TEXT NOT NULL,
    version     BIGINT NOT NULL CHECK (version > 0),
    actor       TEXT NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL
);

CREATE TABLE attachment (
    document_id UUID NOT NULL REFERENCES invoice (id) ON DELETE CASCADE,
    id          UUID NOT NULL,
    name        TEXT NOT NULL,
    media_type  TEXT NOT NULL,
    size        BIGINT NOT NULL,
    -- SHA-256 of the content, hexadecimal.
    digest      TEXT NOT NULL,
    actor       TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    content     BYTEA NOT NULL,
    PRIMARY KEY (document_id, id),
    CONSTRAINT an_attachment_is_bounded CHECK (length(content) <= 5242880)
);
