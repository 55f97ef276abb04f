-- What an attempt sent to the tax authority, as the provider made it: the message itself, byte for byte.
CREATE TABLE submission_message (
    job_id     UUID NOT NULL PRIMARY KEY REFERENCES submission_attempt (job_id),
    media_type TEXT NOT NULL,
    body       TEXT NOT NULL,
    kept_at    TIMESTAMPTZ NOT NULL,
    CONSTRAINT a_message_is_bounded CHECK (octet_length(body) <= 1048576)
);
