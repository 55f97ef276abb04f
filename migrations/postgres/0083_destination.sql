-- Where the submissions of this database go, so that a real invoice never ends at the stand-in by accident.
CREATE TABLE destination (
    id      SMALLINT NOT NULL PRIMARY KEY CHECK (id = 1),
    goes_to TEXT NOT NULL CHECK (goes_to IN ('sandbox', 'provider'))
);
