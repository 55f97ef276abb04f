-- What the watchdog found and nobody mended yet: said once an hour, counted by the metrics.
CREATE TABLE watchdog_alert (
    document_id  UUID NOT NULL PRIMARY KEY,
    workspace_id BIGINT NOT NULL,
    code         TEXT NOT NULL,
    since        TIMESTAMPTZ NOT NULL,
    said_at      TIMESTAMPTZ NOT NULL
);
