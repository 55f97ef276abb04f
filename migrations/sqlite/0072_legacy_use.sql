-- Which routes of the legacy API each client used, so that operators know who still has to move.
CREATE TABLE legacy_use (
    client_id TEXT NOT NULL REFERENCES client (id),
    route     TEXT NOT NULL,
    requests  INTEGER NOT NULL CHECK (requests > 0),
    first_at  TEXT NOT NULL,
    last_at   TEXT NOT NULL,
    PRIMARY KEY (client_id, route)
) STRICT;
