-- Runs of the reconciliation with the provider, and what they found.

CREATE TABLE reconciliation (
    id           UUID NOT NULL PRIMARY KEY,
    workspace_id BIGINT NOT NULL,
    requested_by TEXT NOT NULL,
    -- The entries that the provider made within this time.
    from_at      TIMESTAMPTZ NOT NULL,
    to_at        TIMESTAMPTZ NOT NULL,
    stage        TEXT NOT NULL CHECK (stage IN ('listing', 'missing', 'ended', 'failed')),
    -- The provider's place in its list.
    cursor       TEXT,
    -- The last entry of ours that was looked for.
    after_at     TIMESTAMPTZ,
    after_entry  UUID,
    requests     BIGINT NOT NULL,
    failures     BIGINT NOT NULL,
    -- JSON, once it ended.
    counts       TEXT,
    reason       TEXT,
    version      BIGINT NOT NULL,
    started_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL,
    CONSTRAINT a_time_has_two_ends CHECK (from_at < to_at),
    CONSTRAINT a_place_is_of_its_stage CHECK ((cursor IS NULL OR stage = 'listing')
        AND (after_at IS NULL OR stage = 'missing') AND (after_at IS NULL) = (after_entry IS NULL)),
    CONSTRAINT what_ended_has_its_counts CHECK ((counts IS NOT NULL) = (stage IN ('ended', 'failed'))),
    CONSTRAINT a_failure_has_a_reason CHECK ((reason IS NOT NULL) = (stage = 'failed'))
);

-- One run of a workspace at a time.
CREATE UNIQUE INDEX reconciliation_open ON reconciliation (workspace_id) WHERE stage IN ('listing', 'missing');
CREATE INDEX reconciliation_page ON reconciliation (workspace_id, started_at DESC, id);
CREATE INDEX reconciliation_page_of_all ON reconciliation (started_at DESC, id);

-- What a run found of an entry. What matches stays until the next run: a run knows by it which entries it has been at.
CREATE TABLE reconciled_entry (
    reconciliation_id UUID NOT NULL REFERENCES reconciliation (id),
    entry_id          UUID NOT NULL,
    document_id       UUID,
    number            TEXT,
    outcome           TEXT NOT NULL CHECK (outcome IN ('matching', 'settling', 'different', 'only_here', 'only_there')),
    -- JSON.
    divergences       TEXT NOT NULL,
    PRIMARY KEY (reconciliation_id, entry_id),
    CONSTRAINT only_what_is_nowhere_here_has_no_document CHECK ((document_id IS NULL) = (outcome = 'only_there'))
);

CREATE INDEX reconciled_entry_open ON reconciled_entry (reconciliation_id, entry_id) WHERE outcome <> 'matching';
CREATE INDEX submission_entry_filed ON submission_entry (created_at, entry_id);

-- The stand-in lists its entries. A release before this column stores them without it.
ALTER TABLE sandbox_entry ADD COLUMN created_at TIMESTAMPTZ NOT NULL DEFAULT 'epoch';
UPDATE sandbox_entry SET created_at = (body::jsonb ->> 'created_at')::timestamptz WHERE body::jsonb ->> 'created_at' IS NOT NULL;
CREATE INDEX sandbox_entry_created ON sandbox_entry (created_at, id);
