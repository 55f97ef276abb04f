//! How the documents of workspaces look.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::workspace::Printing;
use jiff::Timestamp;

macro_rules! columns {
    () => {
        "logo, template, attach_record"
    };
}

statements! {
    PUT = both concat!("INSERT INTO workspace_printing (workspace_id, ", columns!(), ", updated_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (workspace_id) DO UPDATE SET logo = COALESCE(excluded.logo, workspace_printing.logo),
            template = COALESCE(excluded.template, workspace_printing.template),
            attach_record = COALESCE(excluded.attach_record, workspace_printing.attach_record), updated_at = excluded.updated_at");
    FIND = both concat!("SELECT ", columns!(), " FROM workspace_printing WHERE workspace_id = $1");
    CLEAR_LOGO = "UPDATE workspace_printing SET logo = NULL, updated_at = $2 WHERE workspace_id = $1 AND logo IS NOT NULL";
    CLEAR = "DELETE FROM workspace_printing WHERE workspace_id = $1";
}

#[derive(sqlx::FromRow)]
struct Row {
    logo: Option<Vec<u8>>,
    template: Option<String>,
    attach_record: Option<bool>,
}

/// Sets what is given; what is not stays. A foreign key violation means that there is no such workspace.
pub async fn put(
    tx: &mut Tx,
    workspace: WorkspaceId,
    given: &Printing,
    now: Timestamp,
) -> Result<(), StoreError> {
    let template = given.template.as_ref().map(StoreError::json).transpose()?;
    tx.execute(&PUT, params![workspace, given.logo.clone(), template, given.attach_record, now]).await?;
    Ok(())
}

/// How the documents of a workspace look; nothing is set where nobody set anything.
pub async fn find(on: impl Into<Executor<'_>>, workspace: WorkspaceId) -> Result<Printing, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![workspace]).await?;
    let Some(Row { logo, template, attach_record }) = row else { return Ok(Printing::default()) };
    let template = template.map(|text| {
        serde_json::from_str(&text)
            .map_err(|_| Corrupt::new("workspace_printing", workspace, "template", text))
    });
    Ok(Printing { logo, template: template.transpose()?, attach_record })
}

/// Takes the logo away and nothing else; `false` when there was none.
pub async fn clear_logo(tx: &mut Tx, workspace: WorkspaceId, now: Timestamp) -> Result<bool, StoreError> {
    Ok(tx.execute(&CLEAR_LOGO, params![workspace, now]).await? == 1)
}

/// Takes both away; `false` when nothing was set.
pub async fn clear(tx: &mut Tx, workspace: WorkspaceId) -> Result<bool, StoreError> {
    Ok(tx.execute(&CLEAR, params![workspace]).await? == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use crate::testing::samples::{at, stored_workspace};
    use gateway_domain::StoreCauseKind;
    use serde_json::{Map, json};

    #[tokio::test]
    async fn what_is_not_given_stays_until_both_are_taken_away() {
        for db in testing::both().await {
            stored_workspace(db.db(), 1).await;
            let id = WorkspaceId(1);
            assert_eq!(find(db.db(), id).await.unwrap(), Printing::default());
            let template = Map::from_iter([("footer".to_owned(), json!("Registro"))]);
            let logo = Printing { logo: Some(vec![137, 0, 255]), attach_record: Some(true), template: None };
            let mut tx = db.begin().await.unwrap();
            put(&mut tx, id, &logo, at(0)).await.unwrap();
            put(&mut tx, id, &Printing { template: Some(template.clone()), ..Printing::default() }, at(1))
                .await
                .unwrap();
            let whole = Printing { template: Some(template), ..logo.clone() };
            assert_eq!(find(&mut tx, id).await.unwrap(), whole);
            assert!(clear_logo(&mut tx, id, at(2)).await.unwrap());
            assert!(!clear_logo(&mut tx, id, at(3)).await.unwrap());
            assert_eq!(find(&mut tx, id).await.unwrap(), Printing { logo: None, ..whole });
            assert!(clear(&mut tx, id).await.unwrap() && !clear(&mut tx, id).await.unwrap());
            assert_eq!(find(&mut tx, id).await.unwrap(), Printing::default());
            let orphan = put(&mut tx, WorkspaceId(9), &logo, at(0)).await.unwrap_err();
            assert_eq!(orphan.kind(), Some(StoreCauseKind::MissingReference));
        }
    }
}
