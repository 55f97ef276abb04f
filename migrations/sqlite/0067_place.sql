-- The instant of the newest row that pages list in the order (created_at, id). Who makes such a row holds this one until
-- the transaction ends, so that rows stand in the order in which they can be seen.
CREATE TABLE place (
    at TEXT NOT NULL
) STRICT;

INSERT INTO place (at) VALUES ('1970-01-01T00:00:00.000000Z');
