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
