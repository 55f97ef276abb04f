//! What integrators see of workspaces.

use crate::db::Tx;
use crate::dispatch::On;
use crate::error::{Corrupt, StoreError};
use crate::lists::{self, At};
use crate::sql::{Param, among, params, statements};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::workspace::{Profile, slug};
use jiff::Timestamp;
use std::collections::HashMap;

macro_rules! by_ids {
    ($e:tt) => {
        concat!("SELECT id, name, slug, status, logo_url FROM workspace WHERE ", among!($e "id", "$1"), " AND (",
            among!($e "id", "$2"), " OR $2 IS NULL)")
    };
}

statements! {
    BY_IDS = each by_ids;
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

/// Profiles by ids; those of workspaces that do not exist or are not visible are absent.
pub async fn by_ids(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    wanted: &[WorkspaceId],
) -> Result<HashMap<WorkspaceId, Profile>, StoreError> {
    let wanted = Param::Ints(Some(wanted.iter().map(|id| id.0).collect()));
    let rows: Vec<Row> = on.into().all(&BY_IDS, vec![wanted, lists::visible(visible)]).await?;
    let profiles: Vec<Profile> = lists::parsed(rows)?;
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
