-- What the audit trail is narrowed by: who did something, and to what, by the beginning of each.

-- By the bytes of the texts: the collation of a database may pass over their signs.
CREATE INDEX audit_actor ON audit (actor COLLATE "C", at, id);
CREATE INDEX audit_subject ON audit (subject COLLATE "C", at, id);
