-- Prices are written with the decimals of their plan's currency: what was taken as it came before gets this form. A
-- price with more decimals than its currency keeps them: its value does not change.
WITH part AS (
    SELECT t.id,
        CASE WHEN instr(t.price, '.') > 0 THEN substr(t.price, 1, instr(t.price, '.') - 1) ELSE t.price END AS whole,
        CASE WHEN instr(t.price, '.') > 0 THEN rtrim(substr(t.price, instr(t.price, '.') + 1), '0') ELSE '' END AS fraction,
        CASE
            WHEN p.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND',
                'VUV', 'XAF', 'XOF', 'XPF') THEN 0
            WHEN p.currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 3
            ELSE 2
        END AS decimals
    FROM tariff t JOIN rate_plan p ON p.id = t.rate_plan_id
), padded AS (
    SELECT id, whole,
        CASE WHEN decimals > length(fraction) THEN substr(fraction || '000', 1, decimals) ELSE fraction END AS fraction
    FROM part
)
UPDATE tariff SET price = CASE WHEN padded.fraction = '' THEN padded.whole ELSE padded.whole || '.' || padded.fraction END
FROM padded WHERE padded.id = tariff.id;
