-- How the documents of a workspace look: its logo, a PNG, its own settings of the renderer, a JSON object, and
-- whether the record that the tax authority received lies in the file.
CREATE TABLE workspace_printing (
    workspace_id  BIGINT NOT NULL PRIMARY KEY REFERENCES workspace (id),
    logo          BYTEA,
    template      TEXT,
    attach_record BOOLEAN,
    updated_at    TIMESTAMPTZ NOT NULL
);
