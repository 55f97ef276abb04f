-- What happened, in order: the event log, and how far each reader of its feed has come.

-- What happened, in order: the event log, and the outbox of whoever has to know.
CREATE TABLE event (
    ord          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT NOT NULL UNIQUE,
    source       TEXT NOT NULL,
    workspace_id INTEGER NOT NULL,
    subject      TEXT NOT NULL,
    sequence     INTEGER NOT NULL CHECK (sequence >= 1),
    type         TEXT NOT NULL,
    time         TEXT NOT NULL,
    actor        TEXT NOT NULL,
    data         TEXT NOT NULL,
    position     INTEGER UNIQUE,
    UNIQUE (source, subject, sequence)
) STRICT;

CREATE INDEX event_not_relayed ON event (ord) WHERE position IS NULL;
CREATE INDEX event_of_workspace ON event (workspace_id, position);

-- The last position of the feed. Its row is the relay's lock: positions are dense and follow commits.
CREATE TABLE feed (
    name     TEXT NOT NULL PRIMARY KEY,
    position INTEGER NOT NULL
) STRICT;

INSERT INTO feed (name, position) VALUES ('events', 0);

-- How far each consumer of the feed has come.
CREATE TABLE consumer (
    name       TEXT NOT NULL PRIMARY KEY,
    position   INTEGER NOT NULL,
    updated_at TEXT NOT NULL
) STRICT;
