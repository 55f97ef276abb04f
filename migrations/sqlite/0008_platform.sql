-- The platform: where guests stay, what is sold and what it costs, bookings, people and tasks.

-- The instant of the newest row that pages list in the order (created_at, id), as for documents: those and platform rows do
-- not wait for each other.
CREATE TABLE creation_clock (
    at TEXT NOT NULL
) STRICT;

INSERT INTO creation_clock (at) VALUES ('1970-01-01T00:00:00.000000Z');

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
CREATE INDEX unit_status ON unit (status, created_at, id);
CREATE INDEX unit_status_of_workspace ON unit (workspace_id, status, created_at, id);

CREATE TABLE unit_amenity (
    unit_id    TEXT NOT NULL REFERENCES unit (id),
    amenity_id TEXT NOT NULL REFERENCES amenity (id),
    PRIMARY KEY (unit_id, amenity_id)
) STRICT;

CREATE TABLE media_item (
    id       TEXT NOT NULL PRIMARY KEY,
    unit_id  TEXT NOT NULL REFERENCES unit (id),
    position INTEGER NOT NULL,
    url      TEXT NOT NULL,
    UNIQUE (unit_id, position)
) STRICT;

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
CREATE INDEX product_group_state ON product_group (state, created_at, id);
CREATE INDEX product_group_state_of_workspace ON product_group (workspace_id, state, created_at, id);
CREATE INDEX product_group_reference ON product_group (internal_reference);

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

-- What nights cost. No two tariffs of a plan share a night: whoever writes one holds the row of the plan.
CREATE TABLE rate_plan (
    id           TEXT NOT NULL PRIMARY KEY,
    workspace_id INTEGER NOT NULL REFERENCES workspace (id),
    unit_id      TEXT NOT NULL REFERENCES unit (id),
    name         TEXT NOT NULL,
    currency     TEXT NOT NULL,
    min_stay     INTEGER NOT NULL CHECK (min_stay >= 1),
    created_at   TEXT NOT NULL,
    updated_at   TEXT NOT NULL
) STRICT;

CREATE INDEX rate_plan_unit ON rate_plan (unit_id, created_at, id);

CREATE TABLE tariff (
    id           TEXT NOT NULL PRIMARY KEY,
    rate_plan_id TEXT NOT NULL REFERENCES rate_plan (id),
    start_date   TEXT NOT NULL CHECK (length(start_date) = 10),
    end_date     TEXT NOT NULL CHECK (length(end_date) = 10),
    price        TEXT NOT NULL,
    min_stay     INTEGER CHECK (min_stay >= 1),
    created_at   TEXT NOT NULL,
    updated_at   TEXT NOT NULL,
    CONSTRAINT a_tariff_has_a_night CHECK (start_date <= end_date)
) STRICT;

CREATE INDEX tariff_nights ON tariff (rate_plan_id, start_date);

-- When a client last wrote rates of a unit through the legacy API: it may do so once in a while, whichever replica it asks.
CREATE TABLE rate_write (
    client_id TEXT NOT NULL REFERENCES client (id),
    unit_id   TEXT NOT NULL REFERENCES unit (id),
    at        TEXT NOT NULL,
    PRIMARY KEY (client_id, unit_id)
) STRICT;

-- Stays of guests in units, and what is written about them.
CREATE TABLE booking (
    id                TEXT NOT NULL PRIMARY KEY,
    workspace_id      INTEGER NOT NULL REFERENCES workspace (id),
    unit_id           TEXT NOT NULL REFERENCES unit (id),
    product_id        TEXT REFERENCES product (id),
    confirmation_code TEXT NOT NULL,
    status            TEXT NOT NULL CHECK (status IN ('ENQUIRY', 'PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT', 'CANCELLED', 'EXPIRED')),
    check_in          TEXT NOT NULL CHECK (length(check_in) = 10),
    check_out         TEXT NOT NULL CHECK (length(check_out) = 10),
    adults            INTEGER NOT NULL CHECK (adults >= 0),
    children          INTEGER NOT NULL CHECK (children >= 0),
    contacts          TEXT NOT NULL,
    platform          TEXT,
    payment_status    TEXT,
    vetting_status    TEXT NOT NULL CHECK (vetting_status IN ('UNVETTED', 'PENDING', 'NEEDS_REVIEW', 'APPROVED', 'FAILED')),
    created_at        TEXT NOT NULL,
    updated_at        TEXT NOT NULL,
    CONSTRAINT a_stay_has_a_night CHECK (check_in < check_out)
) STRICT;

CREATE INDEX booking_page ON booking (created_at, id);
CREATE INDEX booking_page_of_workspace ON booking (workspace_id, created_at, id);
CREATE INDEX booking_changes ON booking (workspace_id, updated_at);
CREATE INDEX booking_nights ON booking (unit_id, check_out) WHERE status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT');
CREATE INDEX booking_unit ON booking (unit_id, check_in);

-- The backstop against booking a unit twice.
CREATE TRIGGER booking_is_not_made_twice BEFORE INSERT ON booking
WHEN NEW.status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT') AND EXISTS (
    SELECT 1 FROM booking
    WHERE unit_id = NEW.unit_id AND status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT')
        AND check_out > NEW.check_in AND check_in < NEW.check_out AND id <> NEW.id
)
BEGIN
    SELECT RAISE(ABORT, 'the unit is booked for one of these nights');
END;

CREATE TRIGGER booking_is_not_moved_onto_another BEFORE UPDATE OF unit_id, status, check_in, check_out ON booking
WHEN NEW.status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT') AND EXISTS (
    SELECT 1 FROM booking
    WHERE unit_id = NEW.unit_id AND status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT')
        AND check_out > NEW.check_in AND check_in < NEW.check_out AND id <> NEW.id
)
BEGIN
    SELECT RAISE(ABORT, 'the unit is booked for one of these nights');
END;

-- What whoever vets the guest of a booking told of it; the status itself is the booking's.
CREATE TABLE guest_verification (
    booking_id  TEXT NOT NULL PRIMARY KEY REFERENCES booking (id),
    source      TEXT,
    external_id TEXT,
    guest       TEXT,
    created_at  TEXT NOT NULL,
    updated_at  TEXT NOT NULL
) STRICT;

CREATE TABLE conversation (
    id           TEXT NOT NULL PRIMARY KEY,
    workspace_id INTEGER NOT NULL REFERENCES workspace (id),
    booking_id   TEXT NOT NULL UNIQUE REFERENCES booking (id),
    created_at   TEXT NOT NULL,
    updated_at   TEXT NOT NULL
) STRICT;

CREATE TABLE message (
    id              TEXT NOT NULL PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversation (id),
    body            TEXT NOT NULL,
    content_type    TEXT NOT NULL,
    source          TEXT,
    sent_at         TEXT NOT NULL,
    created_at      TEXT NOT NULL,
    updated_at      TEXT NOT NULL
) STRICT;

CREATE INDEX message_page_of_conversation ON message (conversation_id, sent_at, id);

-- People who work with the platform. An account is seen by whoever sees one of the workspaces of its roles.
CREATE TABLE team (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE account (
    id         TEXT NOT NULL PRIMARY KEY,
    email      TEXT NOT NULL,
    name       TEXT,
    nickname   TEXT,
    status     TEXT NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE', 'INVITED', 'SUSPENDED')),
    joined_at  TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;

CREATE INDEX account_page ON account (created_at, id);
CREATE INDEX account_status ON account (status, created_at, id);

CREATE TABLE role_binding (
    account_id   TEXT NOT NULL REFERENCES account (id),
    workspace_id INTEGER NOT NULL REFERENCES workspace (id),
    roles        TEXT NOT NULL,
    PRIMARY KEY (account_id, workspace_id)
) STRICT;

CREATE INDEX role_binding_workspace ON role_binding (workspace_id, account_id);

CREATE TABLE team_member (
    account_id TEXT NOT NULL REFERENCES account (id),
    team_id    TEXT NOT NULL REFERENCES team (id),
    PRIMARY KEY (account_id, team_id)
) STRICT;

CREATE INDEX team_member_team ON team_member (team_id, account_id);

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
CREATE INDEX task_unit ON task (unit_id, created_at, id) WHERE unit_id IS NOT NULL;
