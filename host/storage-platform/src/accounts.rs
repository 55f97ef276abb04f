//! Users with their roles and teams. Users and teams belong to no workspace: a user is visible to whoever sees one of
//! the workspaces of their roles, a team to whoever sees one of its members.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, At, ListQuery, OLDEST_FIRST, by_id, stamped};
use gateway_database::select::{Part, Table};
use gateway_database::sql::{Sql, ids, params, row, statements};
use gateway_database::stored::{rows, stored};
use gateway_database::value::{Id, Ts};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{TeamId, UserId, WorkspaceId};
use gateway_domain_lists::{PageKey, Stamped, Window};
use gateway_domain_platform::identity::{RoleBinding, Team, User, UserStatus};
use jiff::Timestamp;
use std::collections::HashMap;

stored! {
    struct Row of account, own_columns!, put_rows! {
        id: Id;
        ;
        email: String,
        name: Option<String>,
        nickname: Option<String>,
        status: String,
        joined_at: Option<Ts>;
        role_bindings: String, teams: String,
    }
}

stored! {
    struct TeamRow of team, team_columns!, put_team_rows! {
        id: Id;
        ;
        name: String,
    }
}

macro_rules! columns {
    (pg) => {
        concat!(own_columns!(), ", \
         (SELECT COALESCE(json_agg(json_build_object('workspace_id', r.workspace_id, 'roles', r.roles::json) \
          ORDER BY r.workspace_id), '[]')::text FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, \
         (SELECT COALESCE(json_agg(t.team_id ORDER BY t.team_id), '[]')::text FROM team_member t \
          WHERE t.account_id = account.id) AS teams")
    };
    (sqlite) => {
        concat!(own_columns!(), ", \
         (SELECT json_group_array(json_object('workspace_id', r.workspace_id, 'roles', json(r.roles)) \
          ORDER BY r.workspace_id) FROM role_binding r WHERE r.account_id = account.id) AS role_bindings, \
         (SELECT json_group_array(t.team_id ORDER BY t.team_id) FROM team_member t \
          WHERE t.account_id = account.id) AS teams")
    };
}
/// Users as they are listed.
pub const TABLE: Table = Table {
    name: "account",
    key: "id",
    columns: Sql { pg: columns!(pg), sqlite: columns!(sqlite) },
    order: OLDEST_FIRST,
    has_workspace: false,
};
/// Users belong to no workspace: their roles decide who sees them.
const OF_USERS: &str = "id IN (SELECT b.account_id FROM role_binding b WHERE b.workspace_id";
/// Teams as they are read.
pub const TEAMS: Table = Table {
    name: "team",
    key: "id",
    columns: Sql::both(team_columns!()),
    order: OLDEST_FIRST,
    has_workspace: false,
};
/// A team is seen by whoever sees one of its members.
pub const OF_TEAMS: &str = "EXISTS (SELECT 1 FROM team_member m JOIN role_binding b ON b.account_id = m.account_id \
    WHERE m.team_id = team.id AND b.workspace_id";

statements! {
    TEAMS_OF = each ["SELECT m.account_id, t.id, t.name, t.created_at, t.updated_at FROM team_member m
        JOIN team t ON t.id = m.team_id WHERE ", (among "m.account_id", "$1"), " ORDER BY t.name, t.id"];
    MEMBERS = each ["SELECT DISTINCT account_id FROM team_member WHERE ", (among "team_id", "$1")];
    PUT = each [(put_rows! engine)];
    CLEAR_ROLES = each ["DELETE FROM role_binding WHERE ", (among "account_id", "$1")];
    ADD_ROLES = each ["INSERT INTO role_binding (account_id, workspace_id, roles) SELECT account_id, workspace_id, roles FROM ",
        (rows "$1" as held: account_id UUID, workspace_id BIGINT, roles TEXT)];
    LEAVE_TEAMS = each ["DELETE FROM team_member WHERE ", (among "account_id", "$1")];
    JOIN_TEAMS = each ["INSERT INTO team_member (account_id, team_id) SELECT account_id, team_id FROM ",
        (rows "$1" as joined: account_id UUID, team_id UUID)];
    PUT_TEAMS = each [(put_team_rows! engine)];
}

impl TryFrom<Row> for Stamped<User> {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = UserId(row.id.0);
        let at = At { table: "account", id };
        let user = User {
            id,
            email: row.email,
            name: row.name,
            nickname: row.nickname,
            status: at.text("status", &row.status)?,
            joined_at: row.joined_at.map(|at| at.0),
            role_bindings: at.json("role_bindings", &row.role_bindings)?,
            teams: at.json("teams", &row.teams)?,
        };
        Ok(stamped(user, row.created_at, row.updated_at))
    }
}

impl TryFrom<TeamRow> for Stamped<Team> {
    type Error = Corrupt;

    fn try_from(row: TeamRow) -> Result<Self, Corrupt> {
        Ok(stamped(Team { id: TeamId(row.id.0), name: row.name }, row.created_at, row.updated_at))
    }
}

#[derive(sqlx::FromRow)]
struct MemberRow {
    account_id: Id,
    id: Id,
    name: String,
    created_at: Ts,
    updated_at: Ts,
}

/// A caller learns nothing of roles in workspaces it does not see.
fn without_hidden_roles(mut users: Vec<Stamped<User>>, visible: &Workspaces) -> Vec<Stamped<User>> {
    for user in &mut users {
        user.value.role_bindings.retain(|binding: &RoleBinding| visible.contain(binding.workspace));
    }
    users
}

/// The users that have a role in a visible workspace.
pub fn query(visible: &Workspaces, status: Option<UserStatus>) -> ListQuery<'static> {
    let query = ListQuery::through(visible, OF_USERS);
    ListQuery { conditions: query.conditions.word("status", status.map(UserStatus::as_str)), ..query }
}

/// Users after a place, the oldest first; their roles in visible workspaces only.
pub async fn page(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    status: Option<UserStatus>,
    after: Option<PageKey>,
    limit: i64,
) -> Result<Vec<Stamped<User>>, StoreError> {
    let found = lists::page::<Row, _>(on.into(), TABLE, query(visible, status), after, limit).await?;
    Ok(without_hidden_roles(found, visible))
}

/// Users of one workspace in a window, the oldest first, and how many there are altogether.
pub async fn window(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    workspace: WorkspaceId,
    status: Option<UserStatus>,
    window: Window,
) -> Result<(Vec<Stamped<User>>, i64), StoreError> {
    if !visible.contain(workspace) {
        return Ok((Vec::new(), 0));
    }
    let visible = Workspaces::Only(vec![workspace]);
    let (users, total) = lists::window::<Row, _>(on.into(), TABLE, query(&visible, status), window).await?;
    Ok((without_hidden_roles(users, &visible), total))
}

/// How many users all pages have together.
pub async fn count(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    status: Option<UserStatus>,
) -> Result<i64, StoreError> {
    lists::count(on.into(), TABLE, query(visible, status)).await
}

/// Users by their ids, with their roles in visible workspaces; those that do not exist or are not visible are absent.
pub async fn by_ids(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[UserId],
) -> Result<HashMap<UserId, Stamped<User>>, StoreError> {
    let query = query(visible, None).with_ids(ids);
    let found = lists::part::<Row, _>(on.into(), TABLE, query, Part::All).await?;
    Ok(by_id(without_hidden_roles(found, visible), |user: &User| user.id))
}

/// Teams by their ids; those that do not exist or are not visible are absent.
pub async fn teams(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[TeamId],
) -> Result<HashMap<TeamId, Stamped<Team>>, StoreError> {
    let query = ListQuery::through(visible, OF_TEAMS).with_ids(ids);
    let found = lists::part::<TeamRow, _>(on.into(), TEAMS, query, Part::All).await?;
    Ok(by_id(found, |team: &Team| team.id))
}

/// The teams of several users, in the order of their names. The users are known to be visible. A user without teams is
/// absent.
pub async fn teams_of(
    on: impl Into<Executor<'_>>,
    users: &[UserId],
) -> Result<HashMap<UserId, Vec<Stamped<Team>>>, StoreError> {
    let rows: Vec<MemberRow> = on.into().all(&TEAMS_OF, vec![ids(users)]).await?;
    let mut teams: HashMap<UserId, Vec<Stamped<Team>>> = HashMap::new();
    for row in rows {
        let team = Team { id: TeamId(row.id.0), name: row.name };
        let stamped = stamped(team, row.created_at, row.updated_at);
        teams.entry(UserId(row.account_id.0)).or_default().push(stamped);
    }
    Ok(teams)
}

/// Who is in one of these teams.
pub async fn members(on: impl Into<Executor<'_>>, teams: &[TeamId]) -> Result<Vec<UserId>, StoreError> {
    let rows: Vec<(Id,)> = on.into().all(&MEMBERS, vec![ids(teams)]).await?;
    Ok(rows.into_iter().map(|(id,)| UserId(id.0)).collect())
}

/// Stores users with their roles and teams, each once: new ones, or the new content of those that are there.
pub async fn put(tx: &mut Tx, users: &[&User], now: Timestamp) -> Result<(), StoreError> {
    let own = users.iter().map(|user| {
        let User { id, email, name, nickname, status, joined_at, role_bindings: _, teams: _ } = user;
        Ok(row![*id, email, name.clone(), nickname.clone(), status.as_str(), *joined_at])
    });
    tx.execute(&PUT, params![Row::put(own)?, now]).await?;
    let cleared: Vec<UserId> = users.iter().map(|user| user.id).collect();
    tx.execute(&CLEAR_ROLES, vec![ids(&cleared)]).await?;
    let roles = users.iter().flat_map(|user| {
        let of_user =
            |binding: &RoleBinding| Ok(row![user.id, binding.workspace, StoreError::json(&binding.roles)?]);
        user.role_bindings.iter().map(of_user)
    });
    tx.execute(&ADD_ROLES, vec![rows(&["account_id", "workspace_id", "roles"], roles)?]).await?;
    tx.execute(&LEAVE_TEAMS, vec![ids(&cleared)]).await?;
    let teams = users.iter().flat_map(|user| user.teams.iter().map(|team| Ok(row![user.id, *team])));
    tx.execute(&JOIN_TEAMS, vec![rows(&["account_id", "team_id"], teams)?]).await?;
    Ok(())
}

/// Stores teams, each once: new ones, or the new names of those that are there.
pub async fn put_teams(tx: &mut Tx, teams: &[&Team], now: Timestamp) -> Result<(), StoreError> {
    let rows = teams.iter().map(|team| Ok(row![team.id, &team.name]));
    tx.execute(&PUT_TEAMS, params![TeamRow::put(rows)?, now]).await?;
    Ok(())
}
