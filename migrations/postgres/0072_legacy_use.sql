-- Which routes of the legacy API each client used, so that operators know who still has to move.
CREATE TABLE legacy_use (
    client_id UUID NOT NULL REFERENCES client (id),
    route     TEXT NOT NULL,
    requests  BIGINT NOT NULL CHECK (requests > 0),
    first_at  TIMESTAMPTZ NOT NULL,
    last_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (client_id, route)
);
