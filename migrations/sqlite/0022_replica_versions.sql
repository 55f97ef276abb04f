-- Which version of the gateway a process runs; none of one from before this column.
ALTER TABLE plugin_replica ADD COLUMN version TEXT;
