-- The trace of what caused a job or an event (W3C Trace Context), so that whoever goes on later goes on in it.
ALTER TABLE job ADD COLUMN traceparent TEXT;
ALTER TABLE event ADD COLUMN traceparent TEXT;
