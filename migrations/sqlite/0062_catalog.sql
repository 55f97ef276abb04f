-- Product groups with their contract windows, and the products in them. What a publishing window is today is not stored.
CREATE TABLE product_group (
    id                                 TEXT NOT NULL PRIMARY KEY,
    workspace_id                       INTEGER NOT NULL REFERENCES workspace (id),
    internal_reference                 TEXT NOT NULL,
    contract_earliest_start_date       TEXT NOT NULL CHECK (length(contract_earliest_start_date) = 10),
    contract_latest_start_date         TEXT NOT NULL CHECK (length(contract_latest_start_date) = 10),
    contract_earliest_end_date         TEXT NOT NULL CHECK (length(contract_earliest_end_date) = 10),
    contract_latest_end_date           TEXT NOT NULL CHECK (length(contract_latest_end_date) = 10),
    default_expiry_duration_in_seconds INTEGER CHECK (default_expiry_duration_in_seconds >= 0),
    allow_booking_expiry_timer         INTEGER CHECK (allow_booking_expiry_timer IN (0, 1)),
    academic_year                      TEXT,
    product_segment                    TEXT CHECK (product_segment IN ('FULL_YEAR', 'ACADEMIC_YEAR', 'SEMESTER_1', 'SEMESTER_2')),
    state                              TEXT NOT NULL CHECK (state IN ('ACTIVE', 'INACTIVE')),
    publishing_start_date              TEXT CHECK (length(publishing_start_date) = 10),
    publishing_end_date                TEXT CHECK (length(publishing_end_date) = 10),
    requires_cancelation_policy        INTEGER NOT NULL CHECK (requires_cancelation_policy IN (0, 1)),
    cancelation_policy_id              TEXT,
    contract_template_external_id      TEXT,
    created_at                         TEXT NOT NULL,
    updated_at                         TEXT NOT NULL,
    CONSTRAINT starts_are_in_order CHECK (contract_earliest_start_date <= contract_latest_start_date),
    CONSTRAINT ends_are_in_order CHECK (contract_earliest_end_date <= contract_latest_end_date),
    CONSTRAINT the_earliest_start_is_before_the_earliest_end CHECK (contract_earliest_start_date <= contract_earliest_end_date),
    CONSTRAINT the_latest_start_is_before_the_latest_end CHECK (contract_latest_start_date <= contract_latest_end_date),
    CONSTRAINT publishing_starts_before_it_ends CHECK (publishing_start_date <= publishing_end_date)
) STRICT;

CREATE INDEX product_group_page ON product_group (created_at, id);
CREATE INDEX product_group_page_of_workspace ON product_group (workspace_id, created_at, id);

CREATE TABLE product (
    id               TEXT NOT NULL PRIMARY KEY,
    workspace_id     INTEGER NOT NULL REFERENCES workspace (id),
    product_group_id TEXT NOT NULL REFERENCES product_group (id),
    name             TEXT NOT NULL,
    created_at       TEXT NOT NULL,
    updated_at       TEXT NOT NULL
) STRICT;

CREATE INDEX product_page_of_group ON product (product_group_id, created_at, id);

CREATE TABLE product_unit (
    product_id TEXT NOT NULL REFERENCES product (id),
    unit_id    TEXT NOT NULL REFERENCES unit (id),
    PRIMARY KEY (product_id, unit_id)
) STRICT;

CREATE INDEX product_unit_unit ON product_unit (unit_id);
