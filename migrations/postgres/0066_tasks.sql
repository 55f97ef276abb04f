-- What is to be done about units and bookings.
CREATE TABLE task (
    id                       UUID NOT NULL PRIMARY KEY,
    workspace_id             BIGINT NOT NULL REFERENCES workspace (id),
    title                    TEXT NOT NULL,
    kind                     TEXT,
    due_date                 DATE,
    start_time               TEXT,
    estimated_duration_hours TEXT,
    notes                    TEXT,
    unit_id                  UUID REFERENCES unit (id),
    booking_id               UUID REFERENCES booking (id),
    created_at               TIMESTAMPTZ NOT NULL,
    updated_at               TIMESTAMPTZ NOT NULL
);

CREATE INDEX task_page ON task (created_at, id);
CREATE INDEX task_page_of_workspace ON task (workspace_id, created_at, id);
