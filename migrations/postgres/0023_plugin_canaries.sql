-- Versions that serve a share of the documents beside the version in force: canaries.

-- At most one for a key and a workspace (workspace 0: the documents of every workspace without a version of its own). It stands
-- beside one activation, by its generation: as soon as another change counts there, whoever made it, the row does not.
CREATE TABLE plugin_canary (
    key          TEXT NOT NULL,
    workspace_id BIGINT NOT NULL,
    version      TEXT NOT NULL,
    percent      BIGINT NOT NULL,
    beside       BIGINT NOT NULL,
    generation   BIGINT NOT NULL,
    at           TIMESTAMPTZ NOT NULL,
    actor        TEXT NOT NULL,
    PRIMARY KEY (key, workspace_id),
    FOREIGN KEY (key, version) REFERENCES plugin_version (key, version),
    CONSTRAINT a_share_leaves_documents_to_both CHECK (percent BETWEEN 1 AND 99),
    CONSTRAINT beside_is_earlier CHECK (beside < generation)
);
