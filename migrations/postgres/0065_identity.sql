-- People who work with the platform. An account is seen by whoever sees one of the workspaces of its roles.
CREATE TABLE team (
    id         UUID NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE account (
    id         UUID NOT NULL PRIMARY KEY,
    email      TEXT NOT NULL,
    name       TEXT,
    nickname   TEXT,
    status     TEXT NOT NULL CHECK (status IN ('ACTIVE', 'INACTIVE', 'INVITED', 'SUSPENDED')),
    joined_at  TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

CREATE INDEX account_page ON account (created_at, id);

CREATE TABLE role_binding (
    account_id   UUID NOT NULL REFERENCES account (id),
    workspace_id BIGINT NOT NULL REFERENCES workspace (id),
    roles        TEXT NOT NULL,
    PRIMARY KEY (account_id, workspace_id)
);

CREATE INDEX role_binding_workspace ON role_binding (workspace_id, account_id);

CREATE TABLE team_member (
    account_id UUID NOT NULL REFERENCES account (id),
    team_id    UUID NOT NULL REFERENCES team (id),
    PRIMARY KEY (account_id, team_id)
);

CREATE INDEX team_member_team ON team_member (team_id, account_id);
