-- What the console needs: sessions of people who signed in, when a client was last used, and how submissions fared over time.

-- The cookie itself is never here, only the SHA-256 of its secret.
CREATE TABLE console_session (
    hash         BYTEA NOT NULL PRIMARY KEY,
    client_id    UUID NOT NULL REFERENCES client (id),
    created_at   TIMESTAMPTZ NOT NULL,
    last_used_at TIMESTAMPTZ NOT NULL
);
CREATE INDEX console_session_of_client ON console_session (client_id);
CREATE INDEX console_session_age ON console_session (last_used_at);

-- To the minute or so: a request costs no write.
CREATE TABLE client_use (
    client_id    UUID NOT NULL PRIMARY KEY REFERENCES client (id),
    last_used_at TIMESTAMPTZ NOT NULL
);

-- Verdicts of a quarter of an hour, and how long documents waited for them.
CREATE TABLE verdict_count (
    bucket_start TIMESTAMPTZ NOT NULL,
    workspace_id BIGINT NOT NULL,
    accepted     BIGINT NOT NULL,
    rejected     BIGINT NOT NULL,
    waited_ms    BIGINT NOT NULL,
    PRIMARY KEY (bucket_start, workspace_id)
);

-- Calls to the provider in a quarter of an hour, of every process together.
CREATE TABLE provider_call_count (
    bucket_start TIMESTAMPTZ NOT NULL PRIMARY KEY,
    calls        BIGINT NOT NULL,
    failed       BIGINT NOT NULL,
    took_ms      BIGINT NOT NULL
);

-- What reports add up is read from indexes alone: rows of documents are wide.
CREATE INDEX invoice_report ON invoice (workspace_id, issue_date, status, kind, currency, net_ten_thousandths, tax_ten_thousandths,
    gross_ten_thousandths, retained_ten_thousandths, payable_ten_thousandths, id) WHERE status = 'issued';
CREATE INDEX invoice_rate_report ON invoice_rate (document_id, category, rate, exemption, surcharge, base_ten_thousandths, amount_ten_thousandths);
DROP INDEX invoice_rate_of_document;
