-- The platform: where guests stay, what is sold and what it costs, bookings, people and tasks.

-- The instant of the newest row that pages list in the order (created_at, id), as for documents: those and platform rows do
-- not wait for each other.
CREATE TABLE creation_clock (
    at TIMESTAMPTZ NOT NULL
);

INSERT INTO creation_clock (at) VALUES ('1970-01-01T00:00:00Z');

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

CREATE INDEX unit_page_of_workspace ON unit (workspace_id, created_at, id);
CREATE INDEX unit_changes ON unit (workspace_id, updated_at);
CREATE INDEX unit_of_type ON unit (unit_type_id);
CREATE INDEX unit_status ON unit (status, created_at, id) WHERE +workspace_id IS NOT NULL;
CREATE INDEX unit_status_of_workspace ON unit (workspace_id, status, created_at, id);
CREATE INDEX unit_page ON unit (created_at, id) WHERE +workspace_id IS NOT NULL;

CREATE TABLE unit_amenity (
    unit_id    UUID NOT NULL REFERENCES unit (id),
    amenity_id UUID NOT NULL REFERENCES amenity (id),
    PRIMARY KEY (unit_id, amenity_id)
);

CREATE TABLE media_item (
    id       UUID NOT NULL PRIMARY KEY,
    unit_id  UUID NOT NULL REFERENCES unit (id),
    position BIGINT NOT NULL,
    url      TEXT NOT NULL,
    UNIQUE (unit_id, position)
);

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
    cancelation_policy_id              TEXT,
    contract_template_external_id      TEXT,
    created_at                         TIMESTAMPTZ NOT NULL,
    updated_at                         TIMESTAMPTZ NOT NULL,
    CONSTRAINT starts_are_in_order CHECK (contract_earliest_start_date <= contract_latest_start_date),
    CONSTRAINT ends_are_in_order CHECK (contract_earliest_end_date <= contract_latest_end_date),
    CONSTRAINT the_earliest_start_is_before_the_earliest_end CHECK (contract_earliest_start_date <= contract_earliest_end_date),
    CONSTRAINT the_latest_start_is_before_the_latest_end CHECK (contract_latest_start_date <= contract_latest_end_date),
    CONSTRAINT publishing_starts_before_it_ends CHECK (publishing_start_date <= publishing_end_date)
);

CREATE INDEX product_group_page_of_workspace ON product_group (workspace_id, created_at, id);
CREATE INDEX product_group_state ON product_group (state, created_at, id) WHERE +workspace_id IS NOT NULL;
CREATE INDEX product_group_state_of_workspace ON product_group (workspace_id, state, created_at, id);
CREATE INDEX product_group_reference ON product_group (internal_reference);
CREATE INDEX product_group_page ON product_group (created_at, id) WHERE +workspace_id IS NOT NULL;

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

-- What nights cost. No two tariffs of a plan share a night: whoever writes one holds the row of the plan.
CREATE TABLE rate_plan (
    id           UUID NOT NULL PRIMARY KEY,
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    unit_id      UUID NOT NULL REFERENCES unit (id),
    name         TEXT NOT NULL,
    currency     TEXT NOT NULL,
    min_stay     BIGINT NOT NULL CHECK (min_stay >= 1),
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL
);

CREATE INDEX rate_plan_unit ON rate_plan (unit_id, created_at, id);

CREATE TABLE tariff (
    id           UUID NOT NULL PRIMARY KEY,
    rate_plan_id UUID NOT NULL REFERENCES rate_plan (id),
    start_date   DATE NOT NULL,
    end_date     DATE NOT NULL,
    price        TEXT NOT NULL,
    min_stay     BIGINT CHECK (min_stay >= 1),
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL,
    CONSTRAINT a_tariff_has_a_night CHECK (start_date <= end_date)
);

CREATE INDEX tariff_nights ON tariff (rate_plan_id, start_date);

-- When a client last wrote rates of a unit through the legacy API: it may do so once in a while, whichever replica it asks.
CREATE TABLE rate_write (
    client_id UUID NOT NULL REFERENCES client (id),
    unit_id   UUID NOT NULL REFERENCES unit (id),
    at        TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (client_id, unit_id)
);

-- Stays of guests in units, and what is written about them.
CREATE TABLE booking (
    id                UUID NOT NULL PRIMARY KEY,
    workspace_id      BIGINT NOT NULL REFERENCES workspace (id),
    unit_id           UUID NOT NULL REFERENCES unit (id),
    product_id        UUID REFERENCES product (id),
    confirmation_code TEXT NOT NULL,
    status            TEXT NOT NULL CHECK (status IN ('ENQUIRY', 'PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT', 'CANCELLED', 'EXPIRED')),
    check_in          DATE NOT NULL,
    check_out         DATE NOT NULL,
    adults            BIGINT NOT NULL CHECK (adults >= 0),
    children          BIGINT NOT NULL CHECK (children >= 0),
    contacts          TEXT NOT NULL,
    platform          TEXT,
    payment_status    TEXT,
    vetting_status    TEXT NOT NULL CHECK (vetting_status IN ('UNVETTED', 'PENDING', 'NEEDS_REVIEW', 'APPROVED', 'FAILED')),
    created_at        TIMESTAMPTZ NOT NULL,
    updated_at        TIMESTAMPTZ NOT NULL,
    CONSTRAINT a_stay_has_a_night CHECK (check_in < check_out)
);

CREATE INDEX booking_page_of_workspace ON booking (workspace_id, created_at, id);
CREATE INDEX booking_changes ON booking (workspace_id, updated_at);
CREATE INDEX booking_nights ON booking (unit_id, check_out) WHERE status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT');
CREATE INDEX booking_unit ON booking (unit_id, check_in);
CREATE INDEX booking_page ON booking (created_at, id) WHERE +workspace_id IS NOT NULL;

-- The backstop against booking a unit twice. The row of the unit is held, so that two who book at once see each other.
CREATE FUNCTION booking_takes_free_nights() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM unit WHERE id = NEW.unit_id FOR NO KEY UPDATE;
    IF EXISTS (
        SELECT 1 FROM booking
        WHERE unit_id = NEW.unit_id AND status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT')
            AND check_out > NEW.check_in AND check_in < NEW.check_out AND id <> NEW.id
    ) THEN
        RAISE EXCEPTION 'the unit is booked for one of these nights' USING ERRCODE = 'exclusion_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER booking_is_not_made_twice BEFORE INSERT ON booking
    FOR EACH ROW WHEN (NEW.status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT'))
    EXECUTE FUNCTION booking_takes_free_nights();

CREATE TRIGGER booking_is_not_moved_onto_another BEFORE UPDATE OF unit_id, status, check_in, check_out ON booking
    FOR EACH ROW WHEN (NEW.status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT'))
    EXECUTE FUNCTION booking_takes_free_nights();

-- What whoever vets the guest of a booking told of it; the status itself is the booking's.
CREATE TABLE guest_verification (
    booking_id  UUID NOT NULL PRIMARY KEY REFERENCES booking (id),
    source      TEXT,
    external_id TEXT,
    guest       TEXT,
    created_at  TIMESTAMPTZ NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL
);

CREATE TABLE conversation (
    id           UUID NOT NULL PRIMARY KEY,
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    booking_id   UUID NOT NULL UNIQUE REFERENCES booking (id),
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL
);

CREATE TABLE message (
    id              UUID NOT NULL PRIMARY KEY,
    conversation_id UUID NOT NULL REFERENCES conversation (id),
    body            TEXT NOT NULL,
    content_type    TEXT NOT NULL,
    source          TEXT,
    sent_at         TIMESTAMPTZ NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    updated_at      TIMESTAMPTZ NOT NULL
);

CREATE INDEX message_page_of_conversation ON message (conversation_id, sent_at, id);

-- People who work with the platform. An account is seen by whoever sees one of the workspaces of its roles.
CREATE TABLE team (
    id         UUID NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE account (
    id         UUID NOT NULL PRIMARY KEY,
    email      TEXT NOT NULL,
    name       TEXT,
    nickname   TEXT,
    status     TEXT NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE', 'INVITED', 'SUSPENDED')),
    joined_at  TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

CREATE INDEX account_page ON account (created_at, id);
CREATE INDEX account_status ON account (status, created_at, id);

CREATE TABLE role_binding (
    account_id   UUID NOT NULL REFERENCES account (id),
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    roles        TEXT NOT NULL,
    PRIMARY KEY (account_id, workspace_id)
);

CREATE INDEX role_binding_workspace ON role_binding (workspace_id, account_id);

CREATE TABLE team_member (
    account_id UUID NOT NULL REFERENCES account (id),
    team_id    UUID NOT NULL REFERENCES team (id),
    PRIMARY KEY (account_id, team_id)
);

CREATE INDEX team_member_team ON team_member (team_id, account_id);

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

CREATE INDEX task_page_of_workspace ON task (workspace_id, created_at, id);
CREATE INDEX task_unit ON task (unit_id, created_at, id) WHERE unit_id IS NOT NULL;
CREATE INDEX task_page ON task (created_at, id) WHERE +workspace_id IS NOT NULL;
