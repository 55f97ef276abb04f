-- Cancelation policies are kept elsewhere and named as they are there.
ALTER TABLE product_group ALTER COLUMN cancelation_policy_id TYPE TEXT;
