-- Sums and counts of documents are kept where documents change, so that no report and no metric reads every document. Triggers write
-- down what each change adds and takes away; the gateway adds that up every few seconds. Whoever reads adds both. Rows of changes
-- and not of sums, so that two transactions about documents of one day do not wait for each other; triggers, so that
-- the releases before this one keep them too. Tables that begin with derived_ are in no backup: the rows they come from fill them.

-- What documents of a day come to together, by state; an empty date or currency is one that is not known.
CREATE TABLE derived_document_sum (
    workspace_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    issue_date TEXT NOT NULL,
    kind TEXT NOT NULL,
    currency TEXT NOT NULL,
    documents INTEGER NOT NULL,
    net_high INTEGER NOT NULL,
    net_low INTEGER NOT NULL,
    tax_high INTEGER NOT NULL,
    tax_low INTEGER NOT NULL,
    gross_high INTEGER NOT NULL,
    gross_low INTEGER NOT NULL,
    retained_high INTEGER NOT NULL,
    retained_low INTEGER NOT NULL,
    payable_high INTEGER NOT NULL,
    payable_low INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, status, issue_date, kind, currency)
) STRICT;

CREATE TABLE derived_document_sum_change (
    id INTEGER NOT NULL PRIMARY KEY,
    workspace_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    issue_date TEXT NOT NULL,
    kind TEXT NOT NULL,
    currency TEXT NOT NULL,
    documents INTEGER NOT NULL,
    net_high INTEGER NOT NULL,
    net_low INTEGER NOT NULL,
    tax_high INTEGER NOT NULL,
    tax_low INTEGER NOT NULL,
    gross_high INTEGER NOT NULL,
    gross_low INTEGER NOT NULL,
    retained_high INTEGER NOT NULL,
    retained_low INTEGER NOT NULL,
    payable_high INTEGER NOT NULL,
    payable_low INTEGER NOT NULL
) STRICT;

-- What rows of the breakdowns of issued documents come to together, by day; an empty text is none.
CREATE TABLE derived_rate_sum (
    workspace_id INTEGER NOT NULL,
    issue_date TEXT NOT NULL,
    category TEXT NOT NULL,
    rate TEXT NOT NULL,
    exemption TEXT NOT NULL,
    surcharge TEXT NOT NULL,
    kind TEXT NOT NULL,
    currency TEXT NOT NULL,
    documents INTEGER NOT NULL,
    base_high INTEGER NOT NULL,
    base_low INTEGER NOT NULL,
    amount_high INTEGER NOT NULL,
    amount_low INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, issue_date, category, rate, exemption, surcharge, kind, currency)
) STRICT;

CREATE TABLE derived_rate_sum_change (
    id INTEGER NOT NULL PRIMARY KEY,
    workspace_id INTEGER NOT NULL,
    issue_date TEXT NOT NULL,
    category TEXT NOT NULL,
    rate TEXT NOT NULL,
    exemption TEXT NOT NULL,
    surcharge TEXT NOT NULL,
    kind TEXT NOT NULL,
    currency TEXT NOT NULL,
    documents INTEGER NOT NULL,
    base_high INTEGER NOT NULL,
    base_low INTEGER NOT NULL,
    amount_high INTEGER NOT NULL,
    amount_low INTEGER NOT NULL
) STRICT;

-- How many documents of a workspace are in a state.
CREATE TABLE derived_document_count (
    workspace_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    documents INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, status)
) STRICT;

CREATE TRIGGER document_comes AFTER INSERT ON invoice
BEGIN
    INSERT INTO derived_document_sum_change (
        workspace_id, status, issue_date, kind, currency, documents, net_high, net_low, tax_high, tax_low, gross_high,
        gross_low, retained_high, retained_low, payable_high, payable_low
    ) VALUES (
        NEW.workspace_id, NEW.status, COALESCE(NEW.issue_date, ''), NEW.kind, COALESCE(NEW.currency, ''), 1,
        COALESCE(NEW.net_ten_thousandths, 0) / 1000000000, COALESCE(NEW.net_ten_thousandths, 0) % 1000000000,
        COALESCE(NEW.tax_ten_thousandths, 0) / 1000000000, COALESCE(NEW.tax_ten_thousandths, 0) % 1000000000,
        COALESCE(NEW.gross_ten_thousandths, 0) / 1000000000, COALESCE(NEW.gross_ten_thousandths, 0) % 1000000000,
        COALESCE(NEW.retained_ten_thousandths, 0) / 1000000000,
        COALESCE(NEW.retained_ten_thousandths, 0) % 1000000000, COALESCE(NEW.payable_ten_thousandths, 0) / 1000000000,
        COALESCE(NEW.payable_ten_thousandths, 0) % 1000000000
    );
END;

CREATE TRIGGER document_goes AFTER DELETE ON invoice
BEGIN
    INSERT INTO derived_document_sum_change (
        workspace_id, status, issue_date, kind, currency, documents, net_high, net_low, tax_high, tax_low, gross_high,
        gross_low, retained_high, retained_low, payable_high, payable_low
    ) VALUES (
        OLD.workspace_id, OLD.status, COALESCE(OLD.issue_date, ''), OLD.kind, COALESCE(OLD.currency, ''), -1,
        -(COALESCE(OLD.net_ten_thousandths, 0) / 1000000000), -(COALESCE(OLD.net_ten_thousandths, 0) % 1000000000),
        -(COALESCE(OLD.tax_ten_thousandths, 0) / 1000000000), -(COALESCE(OLD.tax_ten_thousandths, 0) % 1000000000),
        -(COALESCE(OLD.gross_ten_thousandths, 0) / 1000000000),
        -(COALESCE(OLD.gross_ten_thousandths, 0) % 1000000000),
        -(COALESCE(OLD.retained_ten_thousandths, 0) / 1000000000),
        -(COALESCE(OLD.retained_ten_thousandths, 0) % 1000000000),
        -(COALESCE(OLD.payable_ten_thousandths, 0) / 1000000000),
        -(COALESCE(OLD.payable_ten_thousandths, 0) % 1000000000)
    );
END;

CREATE TRIGGER document_counts_otherwise AFTER UPDATE ON invoice
    WHEN (
        OLD.workspace_id, OLD.status, OLD.issue_date, OLD.kind, OLD.currency, OLD.net_ten_thousandths,
        OLD.tax_ten_thousandths, OLD.gross_ten_thousandths, OLD.retained_ten_thousandths, OLD.payable_ten_thousandths
    ) IS NOT (
        NEW.workspace_id, NEW.status, NEW.issue_date, NEW.kind, NEW.currency, NEW.net_ten_thousandths,
        NEW.tax_ten_thousandths, NEW.gross_ten_thousandths, NEW.retained_ten_thousandths, NEW.payable_ten_thousandths
    )
BEGIN
    INSERT INTO derived_document_sum_change (
        workspace_id, status, issue_date, kind, currency, documents, net_high, net_low, tax_high, tax_low, gross_high,
        gross_low, retained_high, retained_low, payable_high, payable_low
    ) VALUES (
        OLD.workspace_id, OLD.status, COALESCE(OLD.issue_date, ''), OLD.kind, COALESCE(OLD.currency, ''), -1,
        -(COALESCE(OLD.net_ten_thousandths, 0) / 1000000000), -(COALESCE(OLD.net_ten_thousandths, 0) % 1000000000),
        -(COALESCE(OLD.tax_ten_thousandths, 0) / 1000000000), -(COALESCE(OLD.tax_ten_thousandths, 0) % 1000000000),
        -(COALESCE(OLD.gross_ten_thousandths, 0) / 1000000000),
        -(COALESCE(OLD.gross_ten_thousandths, 0) % 1000000000),
        -(COALESCE(OLD.retained_ten_thousandths, 0) / 1000000000),
        -(COALESCE(OLD.retained_ten_thousandths, 0) % 1000000000),
        -(COALESCE(OLD.payable_ten_thousandths, 0) / 1000000000),
        -(COALESCE(OLD.payable_ten_thousandths, 0) % 1000000000)
    );
    INSERT INTO derived_document_sum_change (
        workspace_id, status, issue_date, kind, currency, documents, net_high, net_low, tax_high, tax_low, gross_high,
        gross_low, retained_high, retained_low, payable_high, payable_low
    ) VALUES (
        NEW.workspace_id, NEW.status, COALESCE(NEW.issue_date, ''), NEW.kind, COALESCE(NEW.currency, ''), 1,
        COALESCE(NEW.net_ten_thousandths, 0) / 1000000000, COALESCE(NEW.net_ten_thousandths, 0) % 1000000000,
        COALESCE(NEW.tax_ten_thousandths, 0) / 1000000000, COALESCE(NEW.tax_ten_thousandths, 0) % 1000000000,
        COALESCE(NEW.gross_ten_thousandths, 0) / 1000000000, COALESCE(NEW.gross_ten_thousandths, 0) % 1000000000,
        COALESCE(NEW.retained_ten_thousandths, 0) / 1000000000,
        COALESCE(NEW.retained_ten_thousandths, 0) % 1000000000, COALESCE(NEW.payable_ten_thousandths, 0) / 1000000000,
        COALESCE(NEW.payable_ten_thousandths, 0) % 1000000000
    );
END;

CREATE TRIGGER rate_comes AFTER INSERT ON invoice_rate WHEN NEW.workspace_id IS NOT NULL
BEGIN
    INSERT INTO derived_rate_sum_change (
        workspace_id, issue_date, category, rate, exemption, surcharge, kind, currency, documents, base_high,
        base_low, amount_high, amount_low
    ) VALUES (
        NEW.workspace_id, COALESCE(NEW.issue_date, ''), NEW.category, COALESCE(NEW.rate, ''),
        COALESCE(NEW.exemption, ''), COALESCE(NEW.surcharge, ''), NEW.kind, NEW.currency, 1,
        COALESCE(NEW.base_ten_thousandths, 0) / 1000000000, COALESCE(NEW.base_ten_thousandths, 0) % 1000000000,
        COALESCE(NEW.amount_ten_thousandths, 0) / 1000000000, COALESCE(NEW.amount_ten_thousandths, 0) % 1000000000
    );
END;

CREATE TRIGGER rate_goes AFTER DELETE ON invoice_rate WHEN OLD.workspace_id IS NOT NULL
BEGIN
    INSERT INTO derived_rate_sum_change (
        workspace_id, issue_date, category, rate, exemption, surcharge, kind, currency, documents, base_high,
        base_low, amount_high, amount_low
    ) VALUES (
        OLD.workspace_id, COALESCE(OLD.issue_date, ''), OLD.category, COALESCE(OLD.rate, ''),
        COALESCE(OLD.exemption, ''), COALESCE(OLD.surcharge, ''), OLD.kind, OLD.currency, -1,
        -(COALESCE(OLD.base_ten_thousandths, 0) / 1000000000), -(COALESCE(OLD.base_ten_thousandths, 0) % 1000000000),
        -(COALESCE(OLD.amount_ten_thousandths, 0) / 1000000000),
        -(COALESCE(OLD.amount_ten_thousandths, 0) % 1000000000)
    );
END;

CREATE TRIGGER rate_counts_otherwise AFTER UPDATE ON invoice_rate
    WHEN (
        OLD.workspace_id, OLD.issue_date, OLD.category, OLD.rate, OLD.exemption, OLD.surcharge, OLD.kind,
        OLD.currency, OLD.base_ten_thousandths, OLD.amount_ten_thousandths
    ) IS NOT (
        NEW.workspace_id, NEW.issue_date, NEW.category, NEW.rate, NEW.exemption, NEW.surcharge, NEW.kind,
        NEW.currency, NEW.base_ten_thousandths, NEW.amount_ten_thousandths
    )
BEGIN
    INSERT INTO derived_rate_sum_change (
        workspace_id, issue_date, category, rate, exemption, surcharge, kind, currency, documents, base_high,
        base_low, amount_high, amount_low
    ) SELECT
        OLD.workspace_id, COALESCE(OLD.issue_date, ''), OLD.category, COALESCE(OLD.rate, ''),
        COALESCE(OLD.exemption, ''), COALESCE(OLD.surcharge, ''), OLD.kind, OLD.currency, -1,
        -(COALESCE(OLD.base_ten_thousandths, 0) / 1000000000), -(COALESCE(OLD.base_ten_thousandths, 0) % 1000000000),
        -(COALESCE(OLD.amount_ten_thousandths, 0) / 1000000000),
        -(COALESCE(OLD.amount_ten_thousandths, 0) % 1000000000)
    WHERE OLD.workspace_id IS NOT NULL;
    INSERT INTO derived_rate_sum_change (
        workspace_id, issue_date, category, rate, exemption, surcharge, kind, currency, documents, base_high,
        base_low, amount_high, amount_low
    ) SELECT
        NEW.workspace_id, COALESCE(NEW.issue_date, ''), NEW.category, COALESCE(NEW.rate, ''),
        COALESCE(NEW.exemption, ''), COALESCE(NEW.surcharge, ''), NEW.kind, NEW.currency, 1,
        COALESCE(NEW.base_ten_thousandths, 0) / 1000000000, COALESCE(NEW.base_ten_thousandths, 0) % 1000000000,
        COALESCE(NEW.amount_ten_thousandths, 0) / 1000000000, COALESCE(NEW.amount_ten_thousandths, 0) % 1000000000
    WHERE NEW.workspace_id IS NOT NULL;
END;

INSERT INTO derived_document_sum (
    workspace_id, status, issue_date, kind, currency, documents, net_high, net_low, tax_high, tax_low, gross_high,
    gross_low, retained_high, retained_low, payable_high, payable_low
)
SELECT
    workspace_id, status, COALESCE(issue_date, ''), kind, COALESCE(currency, ''), COUNT(*),
    SUM(COALESCE(net_ten_thousandths, 0) / 1000000000),
    SUM(COALESCE(net_ten_thousandths, 0) % 1000000000),
    SUM(COALESCE(tax_ten_thousandths, 0) / 1000000000),
    SUM(COALESCE(tax_ten_thousandths, 0) % 1000000000),
    SUM(COALESCE(gross_ten_thousandths, 0) / 1000000000),
    SUM(COALESCE(gross_ten_thousandths, 0) % 1000000000),
    SUM(COALESCE(retained_ten_thousandths, 0) / 1000000000),
    SUM(COALESCE(retained_ten_thousandths, 0) % 1000000000),
    SUM(COALESCE(payable_ten_thousandths, 0) / 1000000000),
    SUM(COALESCE(payable_ten_thousandths, 0) % 1000000000)
FROM invoice GROUP BY 1, 2, 3, 4, 5;

INSERT INTO derived_rate_sum (
    workspace_id, issue_date, category, rate, exemption, surcharge, kind, currency, documents, base_high, base_low,
    amount_high, amount_low
)
SELECT
    workspace_id, COALESCE(issue_date, ''), category, COALESCE(rate, ''), COALESCE(exemption, ''),
    COALESCE(surcharge, ''), kind, currency, COUNT(*),
    SUM(COALESCE(base_ten_thousandths, 0) / 1000000000),
    SUM(COALESCE(base_ten_thousandths, 0) % 1000000000),
    SUM(COALESCE(amount_ten_thousandths, 0) / 1000000000),
    SUM(COALESCE(amount_ten_thousandths, 0) % 1000000000)
FROM invoice_rate WHERE workspace_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;

INSERT INTO derived_document_count (workspace_id, status, documents) SELECT workspace_id, status, COUNT(*) FROM invoice GROUP BY 1, 2;

DROP INDEX invoice_report;
DROP INDEX invoice_rate_report;
