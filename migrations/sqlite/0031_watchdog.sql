-- What the watchdog found and nobody mended yet: said once an hour, counted by the metrics.
CREATE TABLE watchdog_alert (
    document_id  TEXT NOT NULL PRIMARY KEY,
    workspace_id INTEGER NOT NULL,
    code         TEXT NOT NULL,
    since        TEXT NOT NULL,
    said_at      TEXT NOT NULL
) STRICT;
