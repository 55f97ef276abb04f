-- What retention looks for: old events of the platform's own data, and old messages to tax authorities.

CREATE INDEX event_of_platform ON event (source, time, position) WHERE source = '/platform';
CREATE INDEX submission_message_old ON submission_message (kept_at, job_id);
