-- What whoever vets the guest of a booking told of it; the status itself is the booking's.
CREATE TABLE guest_verification (
    booking_id  UUID NOT NULL PRIMARY KEY REFERENCES booking (id),
    source      TEXT,
    external_id TEXT,
    guest       TEXT,
    created_at  TIMESTAMPTZ NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL
);
