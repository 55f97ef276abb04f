-- What whoever vets the guest of a booking told of it; the status itself is the booking's.
CREATE TABLE guest_verification (
    booking_id  TEXT NOT NULL PRIMARY KEY REFERENCES booking (id),
    source      TEXT,
    external_id TEXT,
    guest       TEXT,
    created_at  TEXT NOT NULL,
    updated_at  TEXT NOT NULL
) STRICT;
