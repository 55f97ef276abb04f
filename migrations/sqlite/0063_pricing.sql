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
