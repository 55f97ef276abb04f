-- Who changed what outside of documents: clients, configuration, plugins, keys.
CREATE TABLE audit (
    id      UUID NOT NULL PRIMARY KEY,
    at      TIMESTAMPTZ NOT NULL,
    actor   TEXT NOT NULL,
    action  TEXT NOT NULL,
    subject TEXT NOT NULL,
    data    TEXT NOT NULL
);

CREATE INDEX audit_page ON audit (at, id);
