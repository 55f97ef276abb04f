-- Until when the provider takes the token of a workspace, as the token says; null where it does not say, or where it was stored
-- before anybody read it.
ALTER TABLE e_invoicing ADD COLUMN token_expires_at TEXT;

CREATE INDEX e_invoicing_token_expiry ON e_invoicing (token_expires_at, workspace_id) WHERE token_expires_at IS NOT NULL;
