-- What lists of documents are narrowed by besides: the kind, the issue date, the gross and the recipient; and what reports add up.
-- All of it is derived from the document. A release before these columns writes documents without them: `filters_version` is the version that they are
-- of, and a process of a newer release derives them where it is behind. Of copies it takes the place of `listed_version`, which
-- stays for that older release.

ALTER TABLE invoice ADD COLUMN currency TEXT;
ALTER TABLE invoice ADD COLUMN net_ten_thousandths INTEGER;
ALTER TABLE invoice ADD COLUMN tax_ten_thousandths INTEGER;
ALTER TABLE invoice ADD COLUMN gross_ten_thousandths INTEGER;
ALTER TABLE invoice ADD COLUMN retained_ten_thousandths INTEGER;
ALTER TABLE invoice ADD COLUMN payable_ten_thousandths INTEGER;
ALTER TABLE invoice ADD COLUMN filters_version INTEGER;
ALTER TABLE finance_document ADD COLUMN document_type TEXT;
ALTER TABLE finance_document ADD COLUMN issue_date TEXT;
ALTER TABLE finance_document ADD COLUMN gross_ten_thousandths INTEGER;
ALTER TABLE finance_document ADD COLUMN filters_version INTEGER;

-- The words of a recipient's name and its tax id, folded: a search finds those that begin with what was typed.
CREATE TABLE invoice_recipient_term (
    document_id  TEXT NOT NULL REFERENCES invoice (id) ON DELETE CASCADE,
    workspace_id INTEGER NOT NULL,
    term         TEXT NOT NULL,
    PRIMARY KEY (document_id, term)
) STRICT;
CREATE INDEX invoice_recipient_term_of_workspace ON invoice_recipient_term (workspace_id, term, document_id);
CREATE INDEX invoice_recipient_term_of_all ON invoice_recipient_term (term, document_id);

-- The breakdown of a document by rate, for reports.
CREATE TABLE invoice_rate (
    document_id            TEXT NOT NULL REFERENCES invoice (id) ON DELETE CASCADE,
    category               TEXT NOT NULL,
    rate                   TEXT,
    exemption              TEXT,
    surcharge              TEXT,
    base_ten_thousandths   INTEGER NOT NULL,
    amount_ten_thousandths INTEGER NOT NULL
) STRICT;
CREATE INDEX invoice_rate_of_document ON invoice_rate (document_id);

CREATE TABLE finance_document_recipient_term (
    document_id  TEXT NOT NULL REFERENCES finance_document (document_id) ON DELETE CASCADE,
    workspace_id INTEGER NOT NULL,
    term         TEXT NOT NULL,
    PRIMARY KEY (document_id, term)
) STRICT;
CREATE INDEX finance_document_recipient_term_of_workspace ON finance_document_recipient_term (workspace_id, term, document_id);
CREATE INDEX finance_document_recipient_term_of_all ON finance_document_recipient_term (term, document_id);

CREATE INDEX invoice_kind ON invoice (kind, created_at, id);
CREATE INDEX invoice_kind_of_workspace ON invoice (workspace_id, kind, created_at, id);
CREATE INDEX invoice_issue_date ON invoice (issue_date);
CREATE INDEX invoice_issue_date_of_workspace ON invoice (workspace_id, issue_date);
CREATE INDEX invoice_gross ON invoice (gross_ten_thousandths);
CREATE INDEX invoice_gross_of_workspace ON invoice (workspace_id, gross_ten_thousandths);
CREATE INDEX invoice_without_filters ON invoice (id) WHERE filters_version IS NULL OR filters_version <> version;

DROP INDEX finance_document_unlisted;
CREATE INDEX finance_document_kind ON finance_document (document_type, created_at, document_id);
CREATE INDEX finance_document_kind_of_workspace ON finance_document (workspace_id, document_type, created_at, document_id);
CREATE INDEX finance_document_issue_date ON finance_document (issue_date);
CREATE INDEX finance_document_issue_date_of_workspace ON finance_document (workspace_id, issue_date);
CREATE INDEX finance_document_gross ON finance_document (gross_ten_thousandths);
CREATE INDEX finance_document_gross_of_workspace ON finance_document (workspace_id, gross_ten_thousandths);
CREATE INDEX finance_document_without_filters ON finance_document (document_id) WHERE filters_version IS NULL OR filters_version <> version;
