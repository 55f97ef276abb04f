-- What a list of plugins shows of a component, without the component: in the table it stands behind the bytes, and SQLite would read
-- all of them on the way.

CREATE INDEX plugin_artifact_details ON plugin_artifact (digest, size, signature, installed_at, installed_by);
