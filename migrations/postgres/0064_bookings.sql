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

CREATE INDEX booking_page ON booking (created_at, id);
CREATE INDEX booking_page_of_workspace ON booking (workspace_id, created_at, id);
CREATE INDEX booking_changes ON booking (workspace_id, updated_at);
CREATE INDEX booking_nights ON booking (unit_id, check_out) WHERE status IN ('PENDING', 'CONFIRMED', 'CHECKED_IN', 'CHECKED_OUT');
CREATE INDEX booking_unit ON booking (unit_id, check_in);

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
