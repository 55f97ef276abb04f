//! What integrators see of workspaces.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, At, ListQuery};
use gateway_database::select::{Condition, Part, Table};
use gateway_database::sql::{Param, Sql, params, statements};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;
use gateway_domain_platform::workspaces::{Profile, slug};
use jiff::Timestamp;
use std::collections::HashMap;

/// Workspaces as integrators see them.
pub const TABLE: Table = Table {
    name: "workspace",
    key: "id",
    columns: Sql::both("id, name, slug, status, logo_url"),
    order: "id",
    has_workspace: false,
};

statements! {
    SET = "UPDATE workspace SET slug = $2, status = $3, logo_url = $4, updated_at = $5 WHERE id = $1";
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    name: String,
    slug: Option<String>,
    status: String,
    logo_url: Option<String>,
}

impl TryFrom<Row> for Profile {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = WorkspaceId(row.id);
        Ok(Self {
            id,
            slug: row.slug.unwrap_or_else(|| slug(&row.name, id)),
            name: row.name,
            status: At { table: "workspace", id }.text("status", &row.status)?,
            logo_url: row.logo_url,
        })
    }
}

pub fn of_workspaces(workspaces: &[WorkspaceId]) -> ListQuery<'static> {
    let ids = Param::Ints(Some(workspaces.iter().map(|id| id.0).collect()));
    ListQuery::anything().and_where(Some(Condition::among("id", ids).finding()))
}

/// Profiles by ids; those of workspaces that do not exist or are not visible are absent.
pub async fn by_ids(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    workspaces: &[WorkspaceId],
) -> Result<HashMap<WorkspaceId, Profile>, StoreError> {
    let workspaces: Vec<WorkspaceId> = workspaces.iter().copied().filter(|id| visible.contain(*id)).collect();
    let profiles: Vec<Profile> =
        lists::part::<Row, _>(on.into(), TABLE, of_workspaces(&workspaces), Part::All).await?;
    Ok(profiles.into_iter().map(|profile| (profile.id, profile)).collect())
}

/// Stores slug, status and logo of a workspace; its name belongs to the workspace itself. A slug that follows from the
/// name is not kept, so that it goes on following it.
pub async fn set(tx: &mut Tx, profile: &Profile, now: Timestamp) -> Result<(), StoreError> {
    let own = Some(&profile.slug).filter(|text| **text != slug(&profile.name, profile.id));
    let arguments = params![profile.id, own.cloned(), profile.status.as_str(), profile.logo_url.clone(), now];
    tx.execute(&SET, arguments).await?;
    Ok(())
}
