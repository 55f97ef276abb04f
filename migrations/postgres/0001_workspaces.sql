-- Tenants: suppliers of invoices, and how each sends them to a tax authority.

CREATE TABLE workspace (
    id                 BIGINT NOT NULL PRIMARY KEY,
    name               TEXT NOT NULL,
    legal_name         TEXT NOT NULL,
    tax_id             TEXT NOT NULL,
    country            TEXT NOT NULL,
    time_zone          TEXT NOT NULL,
    address            TEXT,
    invoice_pattern    TEXT NOT NULL,
    credit_pattern     TEXT NOT NULL,
    rejection_strategy TEXT NOT NULL CHECK (rejection_strategy IN ('a', 'b')),
    -- Some tax systems ask for it.
    email              TEXT,
    -- What integrators see of a workspace. A slug that was not given is made from the name.
    slug               TEXT,
    status             TEXT NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'INACTIVE')),
    logo_url           TEXT,
    created_at         TIMESTAMPTZ NOT NULL,
    updated_at         TIMESTAMPTZ NOT NULL,
    CONSTRAINT one_number_is_never_an_invoice_and_a_credit_note CHECK (invoice_pattern <> credit_pattern)
);

-- Two workspaces of one supplier must not give the same numbers.
CREATE UNIQUE INDEX workspace_supplier_invoice_pattern ON workspace (country, tax_id, invoice_pattern) WHERE tax_id <> '';
CREATE UNIQUE INDEX workspace_supplier_credit_pattern ON workspace (country, tax_id, credit_pattern) WHERE tax_id <> '';

-- The tokens are sealed; of the webhook token a keyed hash finds the workspace.
CREATE TABLE e_invoicing (
    workspace_id       BIGINT NOT NULL PRIMARY KEY REFERENCES workspace (id),
    regime             TEXT NOT NULL,
    company_id         UUID NOT NULL,
    workflow_id        UUID NOT NULL,
    token              BYTEA NOT NULL,
    webhook_token      BYTEA,
    webhook_token_hash BYTEA,
    settings           TEXT NOT NULL,
    updated_at         TIMESTAMPTZ NOT NULL,
    CONSTRAINT a_webhook_token_has_a_hash CHECK ((webhook_token IS NULL) = (webhook_token_hash IS NULL))
);

CREATE INDEX e_invoicing_webhook ON e_invoicing (webhook_token_hash) WHERE webhook_token_hash IS NOT NULL;
