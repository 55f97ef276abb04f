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
