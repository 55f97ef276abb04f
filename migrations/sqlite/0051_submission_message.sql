-- What an attempt sent to the tax authority, as the provider made it: the message itself, byte for byte.
CREATE TABLE submission_message (
    job_id     TEXT NOT NULL PRIMARY KEY REFERENCES submission_attempt (job_id),
    media_type TEXT NOT NULL,
    body       TEXT NOT NULL,
    kept_at    TEXT NOT NULL,
    CONSTRAINT a_message_is_bounded CHECK (length(CAST(body AS BLOB)) <= 1048576)
) STRICT;
