-- What is to be done about units and bookings.
CREATE TABLE task (
    id                       TEXT NOT NULL PRIMARY KEY,
    workspace_id             INTEGER NOT NULL REFERENCES workspace (id),
    title                    TEXT NOT NULL,
    kind                     TEXT,
    due_date                 TEXT CHECK (length(due_date) = 10),
    start_time               TEXT,
    estimated_duration_hours TEXT,
    notes                    TEXT,
    unit_id                  TEXT REFERENCES unit (id),
    booking_id               TEXT REFERENCES booking (id),
    created_at               TEXT NOT NULL,
    updated_at               TEXT NOT NULL
) STRICT;

CREATE INDEX task_page ON task (created_at, id);
CREATE INDEX task_page_of_workspace ON task (workspace_id, created_at, id);
