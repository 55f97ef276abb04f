-- What the VAT register of the Union (VIES) said of tax numbers of recipients, and what was known of the recipient of each document when
-- it was issued.

-- The newest answer about a number, in the name of a supplier; an empty requester is nobody.
CREATE TABLE recipient_evidence (
    requester           TEXT COLLATE "C" NOT NULL,
    vat_number          TEXT COLLATE "C" NOT NULL,
    valid               BOOLEAN NOT NULL,
    checked_at          TIMESTAMPTZ NOT NULL,
    -- As the register writes it.
    request_date        TEXT NOT NULL,
    consultation_number TEXT,
    name                TEXT,
    address             TEXT,
    PRIMARY KEY (requester, vat_number)
);

-- A document of a remote invoice data service has one too, so that it refers to no invoice here.
CREATE TABLE recipient_check (
    document_id         UUID NOT NULL PRIMARY KEY,
    workspace_id        BIGINT NOT NULL,
    vat_number          TEXT NOT NULL,
    requester           TEXT,
    outcome             TEXT NOT NULL,
    -- Why the register did not say.
    doubt               TEXT,
    checked_at          TIMESTAMPTZ NOT NULL,
    request_date        TEXT,
    consultation_number TEXT,
    name                TEXT,
    address             TEXT
);

-- A draft that is deleted takes it along, also where a release before this one deletes it.
CREATE FUNCTION document_takes_recipient_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM recipient_check WHERE document_id = OLD.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER document_takes_recipient_check AFTER DELETE ON invoice FOR EACH ROW
    EXECUTE FUNCTION document_takes_recipient_check();
