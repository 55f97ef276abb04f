-- Background work with leases: one row per thing to do, woken when there is news.

CREATE TABLE job (
    id          UUID NOT NULL PRIMARY KEY,
    kind        TEXT NOT NULL,
    subject     TEXT NOT NULL,
    run_at      TIMESTAMPTZ NOT NULL,
    lease_owner TEXT,
    lease_until TIMESTAMPTZ,
    attempts    BIGINT NOT NULL,
    wakeups     BIGINT NOT NULL,
    UNIQUE (kind, subject),
    CONSTRAINT a_lease_has_an_end CHECK ((lease_owner IS NULL) = (lease_until IS NULL))
);

CREATE INDEX job_due ON job (run_at);

-- One holder at a time of each named duty; the fence grows with every change of holder.
CREATE TABLE lease (
    name       TEXT NOT NULL PRIMARY KEY,
    owner      TEXT NOT NULL,
    fence      BIGINT NOT NULL,
    held_until TIMESTAMPTZ NOT NULL
);
