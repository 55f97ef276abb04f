-- Reports are read from indexes alone, in the order in which they group: by state, of documents in every state; by rate, of rows that say
-- by themselves what they are grouped by, so that no document is looked up. A breakdown is written when its document is issued, and
-- never changes after that; only issued documents have one.

ALTER TABLE invoice_rate ADD COLUMN workspace_id INTEGER;
ALTER TABLE invoice_rate ADD COLUMN issue_date TEXT;
ALTER TABLE invoice_rate ADD COLUMN kind TEXT;
ALTER TABLE invoice_rate ADD COLUMN currency TEXT;

UPDATE invoice_rate SET workspace_id = i.workspace_id, issue_date = i.issue_date, kind = i.kind, currency = i.currency
    FROM invoice i WHERE i.id = invoice_rate.document_id AND i.status = 'issued';
DELETE FROM invoice_rate WHERE workspace_id IS NULL;

DROP INDEX invoice_report;
-- Its condition is that of the reports, so that no list is answered by it, which would have to sort then.
CREATE INDEX invoice_report ON invoice (workspace_id, status, issue_date, kind, currency, net_ten_thousandths, tax_ten_thousandths,
    gross_ten_thousandths, retained_ten_thousandths, payable_ten_thousandths) WHERE currency IS NOT NULL;
DROP INDEX invoice_rate_report;
CREATE INDEX invoice_rate_of_document ON invoice_rate (document_id);
CREATE INDEX invoice_rate_report ON invoice_rate (workspace_id, issue_date, category, rate, exemption, surcharge, kind, currency,
    base_ten_thousandths, amount_ten_thousandths);
