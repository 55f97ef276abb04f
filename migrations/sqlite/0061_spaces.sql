-- Where guests stay. Everything of a workspace is read in pages in the order (created_at, id).
CREATE TABLE building (
    id           TEXT NOT NULL PRIMARY KEY,
    workspace_id INTEGER NOT NULL REFERENCES workspace (id),
    name         TEXT NOT NULL,
    address      TEXT,
    created_at   TEXT NOT NULL,
    updated_at   TEXT NOT NULL
) STRICT;

CREATE TABLE unit_type (
    id           TEXT NOT NULL PRIMARY KEY,
    workspace_id INTEGER NOT NULL REFERENCES workspace (id),
    building_id  TEXT NOT NULL REFERENCES building (id),
    code         TEXT NOT NULL,
    name         TEXT,
    created_at   TEXT NOT NULL,
    updated_at   TEXT NOT NULL
) STRICT;

-- The same in every workspace.
CREATE TABLE amenity (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE unit (
    id                  TEXT NOT NULL PRIMARY KEY,
    workspace_id        INTEGER NOT NULL REFERENCES workspace (id),
    unit_type_id        TEXT NOT NULL REFERENCES unit_type (id),
    code                TEXT NOT NULL,
    status              TEXT NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE', 'ARCHIVED')),
    number_of_bedrooms  INTEGER CHECK (number_of_bedrooms >= 0),
    number_of_bathrooms INTEGER CHECK (number_of_bathrooms >= 0),
    size_in_sqm         TEXT,
    features            TEXT NOT NULL,
    created_at          TEXT NOT NULL,
    updated_at          TEXT NOT NULL
) STRICT;

CREATE INDEX unit_page ON unit (created_at, id);
CREATE INDEX unit_page_of_workspace ON unit (workspace_id, created_at, id);
CREATE INDEX unit_changes ON unit (workspace_id, updated_at);
CREATE INDEX unit_of_type ON unit (unit_type_id);

CREATE TABLE unit_amenity (
    unit_id    TEXT NOT NULL REFERENCES unit (id),
    amenity_id TEXT NOT NULL REFERENCES amenity (id),
    PRIMARY KEY (unit_id, amenity_id)
) STRICT;

CREATE TABLE media_item (
    id      TEXT NOT NULL PRIMARY KEY,
    unit_id TEXT NOT NULL REFERENCES unit (id),
    place   INTEGER NOT NULL,
    url     TEXT NOT NULL,
    UNIQUE (unit_id, place)
) STRICT;
