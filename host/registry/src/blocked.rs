//! Who hears of it when a plugin is blocked, or did not come in force when it was due: operators, and the workspaces concerned.

use super::PluginName;
use gateway_domain::StoreError;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::{Ids, PLUGIN_BLOCKED, PLUGIN_NOT_ACTIVATED};
use gateway_domain_events::notices::{Notice, NoticeKind, NoticeSubject};
use gateway_events::append_notice;
use gateway_storage::Tx;
use gateway_storage::plugins::schedules::Schedule;
use gateway_storage::plugins::{self as store, InForce};
use jiff::Timestamp;

/// Writes the notices down, in the transaction that blocks the version.
pub(super) async fn append_notices(
    tx: &mut Tx,
    ids: &dyn Ids,
    name: &PluginName,
    reason: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let configured = store::workspaces(&mut *tx, &name.key, i64::MAX).await?;
    let in_force = store::in_force(&mut *tx).await?;
    let served = configured.into_iter().filter(|workspace| serves(&in_force, name, *workspace)).collect();
    let notice = Notice {
        kind: NoticeKind::PluginBlocked,
        workspace: None,
        subject: NoticeSubject::Plugin(name.to_string()),
        code: PLUGIN_BLOCKED.to_owned(),
        message: format!("it serves nobody any more: {reason}"),
        next_command: format!("gateway plugin rollback {}", name.key),
        since: now,
    };
    append_for_all(tx, ids, notice, served, now).await
}

/// Writes down, in the transaction that keeps the problem, that a version was due and is not in force.
pub(super) async fn append_missed_notices(
    tx: &mut Tx,
    ids: &dyn Ids,
    schedule: &Schedule,
    problem: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let name = PluginName::from(&schedule.plugin);
    let concerned = match schedule.workspace {
        Some(workspace) => vec![workspace],
        None => store::workspaces(&mut *tx, &name.key, i64::MAX).await?,
    };
    let notice = Notice {
        kind: NoticeKind::PluginNotActivated,
        workspace: None,
        subject: NoticeSubject::Plugin(name.to_string()),
        code: PLUGIN_NOT_ACTIVATED.to_owned(),
        message: format!("it was due and is not in force: {problem}"),
        next_command: "gateway plugin list".to_owned(),
        since: schedule.due_at,
    };
    append_for_all(tx, ids, notice, concerned, now).await
}

/// One for the gateway, one for each workspace.
async fn append_for_all(
    tx: &mut Tx,
    ids: &dyn Ids,
    mut notice: Notice,
    workspaces: Vec<WorkspaceId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    append_notice(tx, ids, now, &notice).await?;
    for workspace in workspaces {
        notice.workspace = Some(workspace);
        append_notice(tx, ids, now, &notice).await?;
    }
    Ok(())
}

/// Whether a version is the one in force for a workspace: its own, else everybody's.
fn serves(in_force: &[InForce], name: &PluginName, workspace: WorkspaceId) -> bool {
    let of = |workspace: Option<WorkspaceId>| {
        in_force.iter().find(|row| row.plugin.key == name.key && row.workspace == workspace)
    };
    of(Some(workspace)).or_else(|| of(None)).is_some_and(|row| row.plugin.version == name.version)
}
