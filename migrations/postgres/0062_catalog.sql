-- Product groups with their contract windows, and the products in them. What a publishing window is today is not stored.
CREATE TABLE product_group (
    id                                 UUID NOT NULL PRIMARY KEY,
    workspace_id                       BIGINT NOT NULL REFERENCES workspace (id),
    internal_reference                 TEXT NOT NULL,
    contract_earliest_start_date       DATE NOT NULL,
    contract_latest_start_date         DATE NOT NULL,
    contract_earliest_end_date         DATE NOT NULL,
    contract_latest_end_date           DATE NOT NULL,
    default_expiry_duration_in_seconds BIGINT CHECK (default_expiry_duration_in_seconds >= 0),
    allow_booking_expiry_timer         BOOLEAN,
    academic_year                      TEXT,
    product_segment                    TEXT CHECK (product_segment IN ('FULL_YEAR', 'ACADEMIC_YEAR', 'SEMESTER_1', 'SEMESTER_2')),
    state                              TEXT NOT NULL CHECK (state IN ('ACTIVE', 'INACTIVE')),
    publishing_start_date              DATE,
    publishing_end_date                DATE,
    requires_cancelation_policy        BOOLEAN NOT NULL,
    cancelation_policy_id              UUID,
    contract_template_external_id      TEXT,
    created_at                         TIMESTAMPTZ NOT NULL,
    updated_at                         TIMESTAMPTZ NOT NULL,
    CONSTRAINT starts_are_in_order CHECK (contract_earliest_start_date <= contract_latest_start_date),
    CONSTRAINT ends_are_in_order CHECK (contract_earliest_end_date <= contract_latest_end_date),
    CONSTRAINT the_earliest_start_is_before_the_earliest_end CHECK (contract_earliest_start_date <= contract_earliest_end_date),
    CONSTRAINT the_latest_start_is_before_the_latest_end CHECK (contract_latest_start_date <= contract_latest_end_date),
    CONSTRAINT publishing_starts_before_it_ends CHECK (publishing_start_date <= publishing_end_date)
);

CREATE INDEX product_group_page ON product_group (created_at, id);
CREATE INDEX product_group_page_of_workspace ON product_group (workspace_id, created_at, id);

CREATE TABLE product (
    id               UUID NOT NULL PRIMARY KEY,
    workspace_id     BIGINT NOT NULL REFERENCES workspace (id),
    product_group_id UUID NOT NULL REFERENCES product_group (id),
    name             TEXT NOT NULL,
    created_at       TIMESTAMPTZ NOT NULL,
    updated_at       TIMESTAMPTZ NOT NULL
);

CREATE INDEX product_page_of_group ON product (product_group_id, created_at, id);

CREATE TABLE product_unit (
    product_id UUID NOT NULL REFERENCES product (id),
    unit_id    UUID NOT NULL REFERENCES unit (id),
    PRIMARY KEY (product_id, unit_id)
);

CREATE INDEX product_unit_unit ON product_unit (unit_id);
