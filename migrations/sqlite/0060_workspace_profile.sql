-- What integrators see of a workspace. A slug that was not given is made from the name.
ALTER TABLE workspace ADD COLUMN slug TEXT;
ALTER TABLE workspace ADD COLUMN status TEXT NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'INACTIVE'));
ALTER TABLE workspace ADD COLUMN logo_url TEXT;
