-- Sums and counts of documents are kept where documents change, so that no report and no metric reads every document. Triggers write
-- down what each change adds and takes away; the gateway adds that up every few seconds. Whoever reads adds both. Rows of changes
-- and not of sums, so that two transactions about documents of one day do not wait for each other; triggers, so that
-- the releases before this one keep them too. Tables that begin with derived_ are in no backup: the rows they come from fill them.

-- What documents of a day come to together, by state; an empty date or currency is one that is not known.
CREATE TABLE derived_document_sum (
    workspace_id BIGINT NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    issue_date TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    documents BIGINT NOT NULL,
    net_high BIGINT NOT NULL,
    net_low BIGINT NOT NULL,
    tax_high BIGINT NOT NULL,
    tax_low BIGINT NOT NULL,
    gross_high BIGINT NOT NULL,
    gross_low BIGINT NOT NULL,
    retained_high BIGINT NOT NULL,
    retained_low BIGINT NOT NULL,
    payable_high BIGINT NOT NULL,
    payable_low BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, status, issue_date, kind, currency)
);

CREATE TABLE derived_document_sum_change (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id BIGINT NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    issue_date TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    documents BIGINT NOT NULL,
    net_high BIGINT NOT NULL,
    net_low BIGINT NOT NULL,
    tax_high BIGINT NOT NULL,
    tax_low BIGINT NOT NULL,
    gross_high BIGINT NOT NULL,
    gross_low BIGINT NOT NULL,
    retained_high BIGINT NOT NULL,
    retained_low BIGINT NOT NULL,
    payable_high BIGINT NOT NULL,
    payable_low BIGINT NOT NULL
);

-- What rows of the breakdowns of issued documents come to together, by day; an empty text is none.
CREATE TABLE derived_rate_sum (
    workspace_id BIGINT NOT NULL,
    issue_date TEXT COLLATE "C" NOT NULL,
    category TEXT COLLATE "C" NOT NULL,
    rate TEXT COLLATE "C" NOT NULL,
    exemption TEXT COLLATE "C" NOT NULL,
    surcharge TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    documents BIGINT NOT NULL,
    base_high BIGINT NOT NULL,
    base_low BIGINT NOT NULL,
    amount_high BIGINT NOT NULL,
    amount_low BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, issue_date, category, rate, exemption, surcharge, kind, currency)
);

CREATE TABLE derived_rate_sum_change (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id BIGINT NOT NULL,
    issue_date TEXT COLLATE "C" NOT NULL,
    category TEXT COLLATE "C" NOT NULL,
    rate TEXT COLLATE "C" NOT NULL,
    exemption TEXT COLLATE "C" NOT NULL,
    surcharge TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    currency TEXT COLLATE "C" NOT NULL,
    documents BIGINT NOT NULL,
    base_high BIGINT NOT NULL,
    base_low BIGINT NOT NULL,
    amount_high BIGINT NOT NULL,
    amount_low BIGINT NOT NULL
);

-- How many documents of a workspace are in a state.
CREATE TABLE derived_document_count (
    workspace_id BIGINT NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    documents BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, status)
);

CREATE FUNCTION document_changes_sums() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO derived_document_sum_change (
            workspace_id, status, issue_date, kind, currency, documents, net_high, net_low, tax_high, tax_low,
            gross_high, gross_low, retained_high, retained_low, payable_high, payable_low
        ) VALUES (
            OLD.workspace_id, OLD.status, COALESCE(OLD.issue_date, ''), OLD.kind, COALESCE(OLD.currency, ''), -1,
            -(COALESCE(OLD.net_ten_thousandths, 0) / 1000000000),
            -(COALESCE(OLD.net_ten_thousandths, 0) % 1000000000),
            -(COALESCE(OLD.tax_ten_thousandths, 0) / 1000000000),
            -(COALESCE(OLD.tax_ten_thousandths, 0) % 1000000000),
            -(COALESCE(OLD.gross_ten_thousandths, 0) / 1000000000),
            -(COALESCE(OLD.gross_ten_thousandths, 0) % 1000000000),
            -(COALESCE(OLD.retained_ten_thousandths, 0) / 1000000000),
            -(COALESCE(OLD.retained_ten_thousandths, 0) % 1000000000),
            -(COALESCE(OLD.payable_ten_thousandths, 0) / 1000000000),
            -(COALESCE(OLD.payable_ten_thousandths, 0) % 1000000000)
        );
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO derived_document_sum_change (
            workspace_id, status, issue_date, kind, currency, documents, net_high, net_low, tax_high, tax_low,
            gross_high, gross_low, retained_high, retained_low, payable_high, payable_low
        ) VALUES (
            NEW.workspace_id, NEW.status, COALESCE(NEW.issue_date, ''), NEW.kind, COALESCE(NEW.currency, ''), 1,
            COALESCE(NEW.net_ten_thousandths, 0) / 1000000000, COALESCE(NEW.net_ten_thousandths, 0) % 1000000000,
            COALESCE(NEW.tax_ten_thousandths, 0) / 1000000000, COALESCE(NEW.tax_ten_thousandths, 0) % 1000000000,
            COALESCE(NEW.gross_ten_thousandths, 0) / 1000000000, COALESCE(NEW.gross_ten_thousandths, 0) % 1000000000,
            COALESCE(NEW.retained_ten_thousandths, 0) / 1000000000,
            COALESCE(NEW.retained_ten_thousandths, 0) % 1000000000,
            COALESCE(NEW.payable_ten_thousandths, 0) / 1000000000,
            COALESCE(NEW.payable_ten_thousandths, 0) % 1000000000
        );
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER document_comes_or_goes AFTER INSERT OR DELETE ON invoice FOR EACH ROW EXECUTE FUNCTION document_changes_sums();
CREATE TRIGGER document_counts_otherwise AFTER UPDATE ON invoice FOR EACH ROW
    WHEN ((
        OLD.workspace_id, OLD.status, OLD.issue_date, OLD.kind, OLD.currency, OLD.net_ten_thousandths,
        OLD.tax_ten_thousandths, OLD.gross_ten_thousandths, OLD.retained_ten_thousandths, OLD.payable_ten_thousandths
    ) IS DISTINCT FROM (
        NEW.workspace_id, NEW.status, NEW.issue_date, NEW.kind, NEW.currency, NEW.net_ten_thousandths,
        NEW.tax_ten_thousandths, NEW.gross_ten_thousandths, NEW.retained_ten_thousandths, NEW.payable_ten_thousandths
    ))
    EXECUTE FUNCTION document_changes_sums();

CREATE FUNCTION rate_changes_sums() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.workspace_id IS NOT NULL THEN
        INSERT INTO derived_rate_sum_change (
            workspace_id, issue_date, category, rate, exemption, surcharge, kind, currency, documents, base_high,
            base_low, amount_high, amount_low
        ) VALUES (
            OLD.workspace_id, COALESCE(OLD.issue_date, ''), OLD.category, COALESCE(OLD.rate, ''),
            COALESCE(OLD.exemption, ''), COALESCE(OLD.surcharge, ''), OLD.kind, OLD.currency, -1,
            -(COALESCE(OLD.base_ten_thousandths, 0) / 1000000000),
            -(COALESCE(OLD.base_ten_thousandths, 0) % 1000000000),
            -(COALESCE(OLD.amount_ten_thousandths, 0) / 1000000000),
            -(COALESCE(OLD.amount_ten_thousandths, 0) % 1000000000)
        );
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.workspace_id IS NOT NULL THEN
        INSERT INTO derived_rate_sum_change (
            workspace_id, issue_date, category, rate, exemption, surcharge, kind, currency, documents, base_high,
            base_low, amount_high, amount_low
        ) VALUES (
            NEW.workspace_id, COALESCE(NEW.issue_date, ''), NEW.category, COALESCE(NEW.rate, ''),
            COALESCE(NEW.exemption, ''), COALESCE(NEW.surcharge, ''), NEW.kind, NEW.currency, 1,
            COALESCE(NEW.base_ten_thousandths, 0) / 1000000000, COALESCE(NEW.base_ten_thousandths, 0) % 1000000000,
            COALESCE(NEW.amount_ten_thousandths, 0) / 1000000000, COALESCE(NEW.amount_ten_thousandths, 0) % 1000000000
        );
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER rate_comes_or_goes AFTER INSERT OR DELETE ON invoice_rate FOR EACH ROW EXECUTE FUNCTION rate_changes_sums();
CREATE TRIGGER rate_counts_otherwise AFTER UPDATE ON invoice_rate FOR EACH ROW
    WHEN ((
        OLD.workspace_id, OLD.issue_date, OLD.category, OLD.rate, OLD.exemption, OLD.surcharge, OLD.kind,
        OLD.currency, OLD.base_ten_thousandths, OLD.amount_ten_thousandths
    ) IS DISTINCT FROM (
        NEW.workspace_id, NEW.issue_date, NEW.category, NEW.rate, NEW.exemption, NEW.surcharge, NEW.kind,
        NEW.currency, NEW.base_ten_thousandths, NEW.amount_ten_thousandths
    ))
    EXECUTE FUNCTION rate_changes_sums();

INSERT INTO derived_document_sum (
    workspace_id, status, issue_date, kind, currency, documents, net_high, net_low, tax_high, tax_low, gross_high,
    gross_low, retained_high, retained_low, payable_high, payable_low
)
SELECT
    workspace_id, status, COALESCE(issue_date, ''), kind, COALESCE(currency, ''), COUNT(*),
    CAST(SUM(COALESCE(net_ten_thousandths, 0) / 1000000000) AS BIGINT),
    CAST(SUM(COALESCE(net_ten_thousandths, 0) % 1000000000) AS BIGINT),
    CAST(SUM(COALESCE(tax_ten_thousandths, 0) / 1000000000) AS BIGINT),
    CAST(SUM(COALESCE(tax_ten_thousandths, 0) % 1000000000) AS BIGINT),
    CAST(SUM(COALESCE(gross_ten_thousandths, 0) / 1000000000) AS BIGINT),
    CAST(SUM(COALESCE(gross_ten_thousandths, 0) % 1000000000) AS BIGINT),
    CAST(SUM(COALESCE(retained_ten_thousandths, 0) / 1000000000) AS BIGINT),
    CAST(SUM(COALESCE(retained_ten_thousandths, 0) % 1000000000) AS BIGINT),
    CAST(SUM(COALESCE(payable_ten_thousandths, 0) / 1000000000) AS BIGINT),
    CAST(SUM(COALESCE(payable_ten_thousandths, 0) % 1000000000) AS BIGINT)
FROM invoice GROUP BY 1, 2, 3, 4, 5;

INSERT INTO derived_rate_sum (
    workspace_id, issue_date, category, rate, exemption, surcharge, kind, currency, documents, base_high, base_low,
    amount_high, amount_low
)
SELECT
    workspace_id, COALESCE(issue_date, ''), category, COALESCE(rate, ''), COALESCE(exemption, ''),
    COALESCE(surcharge, ''), kind, currency, COUNT(*),
    CAST(SUM(COALESCE(base_ten_thousandths, 0) / 1000000000) AS BIGINT),
    CAST(SUM(COALESCE(base_ten_thousandths, 0) % 1000000000) AS BIGINT),
    CAST(SUM(COALESCE(amount_ten_thousandths, 0) / 1000000000) AS BIGINT),
    CAST(SUM(COALESCE(amount_ten_thousandths, 0) % 1000000000) AS BIGINT)
FROM invoice_rate WHERE workspace_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;

INSERT INTO derived_document_count (workspace_id, status, documents) SELECT workspace_id, status, COUNT(*) FROM invoice GROUP BY 1, 2;

DROP INDEX invoice_report;
DROP INDEX invoice_rate_report;
