-- Where a series was to begin: the first number has to be there, also when nobody looked for years. A release before this column
-- leaves it out, and then nobody remembers.
ALTER TABLE series ADD COLUMN first_no BIGINT;

UPDATE series SET first_no = COALESCE((SELECT MIN(n.no) FROM invoice_number n WHERE n.workspace_id = series.workspace_id
    AND n.kind = series.kind AND n.year = series.year), next_no);
