-- How the documents of a workspace look: its logo, a PNG, and its own settings of the renderer, a JSON object.
CREATE TABLE workspace_printing (
    workspace_id INTEGER NOT NULL PRIMARY KEY REFERENCES workspace (id),
    logo         BLOB,
    template     TEXT,
    updated_at   TEXT NOT NULL
) STRICT;
