-- Notices by mail: which wait to be sent, and how each group of recipients was written to so far.

-- A notice, by its event in the log, until everybody who is to have it has it.
CREATE TABLE mail_notice (
    event_id UUID NOT NULL PRIMARY KEY
);

CREATE TABLE mail_digest (
    -- Their addresses in order, with commas between.
    recipients TEXT NOT NULL PRIMARY KEY,
    sent_at    TIMESTAMPTZ,
    failures   BIGINT NOT NULL DEFAULT 0 CHECK (failures >= 0),
    failed_at  TIMESTAMPTZ
);
