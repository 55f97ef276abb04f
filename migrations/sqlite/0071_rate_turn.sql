-- When a client last wrote rates of a unit through the legacy API: it may do so once in a while, whichever replica it asks.
CREATE TABLE rate_turn (
    client_id TEXT NOT NULL REFERENCES client (id),
    unit_id   TEXT NOT NULL REFERENCES unit (id),
    at        TEXT NOT NULL,
    PRIMARY KEY (client_id, unit_id)
) STRICT;
