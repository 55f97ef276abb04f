-- Due work is looked for by kind: what waits of one kind is not read in the search for another.

CREATE INDEX job_due_of_kind ON job (kind, run_at, id);
