-- Where guests stay. Everything of a workspace is read in pages in the order (created_at, id).
CREATE TABLE building (
    id           UUID NOT NULL PRIMARY KEY,
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    name         TEXT NOT NULL,
    address      TEXT,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL
);

CREATE TABLE unit_type (
    id           UUID NOT NULL PRIMARY KEY,
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    building_id  UUID NOT NULL REFERENCES building (id),
    code         TEXT NOT NULL,
    name         TEXT,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL
);

-- The same in every workspace.
CREATE TABLE amenity (
    id         UUID NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE unit (
    id                  UUID NOT NULL PRIMARY KEY,
    workspace_id        BIGINT NOT NULL REFERENCES workspace (id),
    unit_type_id        UUID NOT NULL REFERENCES unit_type (id),
    code                TEXT NOT NULL,
    status              TEXT NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE', 'ARCHIVED')),
    number_of_bedrooms  BIGINT CHECK (number_of_bedrooms >= 0),
    number_of_bathrooms BIGINT CHECK (number_of_bathrooms >= 0),
    size_in_sqm         TEXT,
    features            TEXT NOT NULL,
    created_at          TIMESTAMPTZ NOT NULL,
    updated_at          TIMESTAMPTZ NOT NULL
);

CREATE INDEX unit_page ON unit (created_at, id);
CREATE INDEX unit_page_of_workspace ON unit (workspace_id, created_at, id);
CREATE INDEX unit_changes ON unit (workspace_id, updated_at);
CREATE INDEX unit_of_type ON unit (unit_type_id);

CREATE TABLE unit_amenity (
    unit_id    UUID NOT NULL REFERENCES unit (id),
    amenity_id UUID NOT NULL REFERENCES amenity (id),
    PRIMARY KEY (unit_id, amenity_id)
);

CREATE TABLE media_item (
    id      UUID NOT NULL PRIMARY KEY,
    unit_id UUID NOT NULL REFERENCES unit (id),
    place   BIGINT NOT NULL,
    url     TEXT NOT NULL,
    UNIQUE (unit_id, place)
);
