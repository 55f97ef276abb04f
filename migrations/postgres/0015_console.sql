-- What the console needs: sessions of people who signed in, when a client was last used, and how submissions fared over time.

-- The cookie itself is never here, only the SHA-256 of its secret.
CREATE TABLE console_session (
    hash         BYTEA NOT NULL PRIMARY KEY,
    client_id    UUID NOT NULL REFERENCES client (id),
    created_at   TIMESTAMPTZ NOT NULL,
    last_used_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX console_session_of_client ON console_session (client_id);
CREATE INDEX console_session_age ON console_session (last_used_at);

-- To the minute or so: a request costs no write.
CREATE TABLE client_use (
    client_id    UUID NOT NULL PRIMARY KEY REFERENCES client (id),
    last_used_at TIMESTAMPTZ NOT NULL
);

-- Verdicts of a quarter of an hour, and how long documents waited for them.
CREATE TABLE verdict_count (
    bucket_start TIMESTAMPTZ NOT NULL,
    workspace_id BIGINT NOT NULL,
    accepted     BIGINT NOT NULL,
    rejected     BIGINT NOT NULL,
    waited_ms    BIGINT NOT NULL,
    PRIMARY KEY (bucket_start, workspace_id)
);

-- Calls to the provider in a quarter of an hour, of every process together.
CREATE TABLE provider_call_count (
    bucket_start TIMESTAMPTZ NOT NULL PRIMARY KEY,
    calls        BIGINT NOT NULL,
    failed       BIGINT NOT NULL,
    took_ms      BIGINT NOT NULL
);
