-- Cancelation policies are kept elsewhere and named as they are there: the column is a text already.
SELECT 1;
