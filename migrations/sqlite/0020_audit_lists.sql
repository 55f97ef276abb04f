-- What the audit trail is narrowed by: who did something, and to what, by the beginning of each.
CREATE INDEX audit_actor ON audit (actor, at, id);
CREATE INDEX audit_subject ON audit (subject, at, id);
