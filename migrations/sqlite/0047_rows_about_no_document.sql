-- What is broken in the chain may be about no document: a number that is missing. It is a difference like any other.

-- A constraint changes with its table only.
CREATE TABLE reconciled_entry_rebuilt (
    reconciliation_id TEXT NOT NULL REFERENCES reconciliation (id),
    entry_id          TEXT NOT NULL,
    document_id       TEXT,
    number            TEXT,
    outcome           TEXT NOT NULL CHECK (outcome IN ('matching', 'settling', 'different', 'only_here', 'only_there')),
    -- JSON.
    divergences       TEXT NOT NULL,
    -- Where a row was found. A record of the authority has no entry: its id is made of run, number and day.
    source            TEXT NOT NULL DEFAULT 'provider' CHECK (source IN ('provider', 'authority', 'chain')),
    PRIMARY KEY (reconciliation_id, entry_id),
    CONSTRAINT only_what_is_nowhere_here_has_no_document
        CHECK ((document_id IS NULL) = (outcome = 'only_there') OR source = 'chain')
) STRICT;
INSERT INTO reconciled_entry_rebuilt (reconciliation_id, entry_id, document_id, number, outcome, divergences, source)
    SELECT reconciliation_id, entry_id, document_id, number, outcome, divergences, source FROM reconciled_entry;
DROP TABLE reconciled_entry;
ALTER TABLE reconciled_entry_rebuilt RENAME TO reconciled_entry;

CREATE INDEX reconciled_entry_open ON reconciled_entry (reconciliation_id, entry_id) WHERE outcome <> 'matching';
CREATE INDEX reconciled_entry_of_authority ON reconciled_entry (reconciliation_id, document_id) WHERE source = 'authority';
