-- Every number by who issued it: one supplier uses none twice, however many workspaces and patterns it has. Numbers that were
-- used twice before this was kept stand here once.
CREATE TABLE issuer_number (
    issuer     TEXT COLLATE "C" NOT NULL,
    number     TEXT COLLATE "C" NOT NULL,
    invoice_id UUID NOT NULL REFERENCES invoice (id),
    PRIMARY KEY (issuer, number)
);

INSERT INTO issuer_number (issuer, number, invoice_id)
SELECT CASE WHEN w.code = '' THEN 'workspace/' || w.id ELSE w.country || '/' || ltrim(w.code, '0') END, n.number, n.invoice_id
FROM invoice_number n
JOIN (
    SELECT id, country,
        CASE
            WHEN length(tax_id) > 2 AND substr(tax_id, 1, 2) = CASE country WHEN 'GR' THEN 'EL' ELSE country END
                THEN substr(tax_id, 3)
            ELSE tax_id
        END AS code
    FROM workspace
) w ON w.id = n.workspace_id
WHERE n.number <> ''
ORDER BY n.given_at, n.invoice_id
ON CONFLICT DO NOTHING;

CREATE TRIGGER issuer_number_is_for_ever BEFORE UPDATE OR DELETE ON issuer_number
    FOR EACH ROW EXECUTE FUNCTION invoice_number_is_for_ever();
