-- A new signing key is published before it signs, so that whoever checks tokens knows it by then. None: since it was made.
ALTER TABLE signing_key ADD COLUMN signs_from TIMESTAMPTZ;
