-- Answers by idempotency key, so that a repeated request is answered and not repeated.
CREATE TABLE idempotency (
    scope        TEXT NOT NULL,
    key          TEXT NOT NULL,
    request_hash BLOB NOT NULL,
    status       INTEGER,
    response     TEXT,
    created_at   TEXT NOT NULL,
    PRIMARY KEY (scope, key),
    CONSTRAINT an_answer_has_a_status CHECK ((status IS NULL) = (response IS NULL))
) STRICT;

CREATE INDEX idempotency_age ON idempotency (created_at);
