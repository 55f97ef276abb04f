//! A gateway with one workspace, its endpoints, and what happens in it.

use crate::receivers::Receivers;
use gateway::InProcess;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::ids::WorkspaceId;
use gateway_domain_platform::webhooks::NoticeAccess;
use gateway_workspaces::NewWorkspace;
use serde_json::json;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub(crate) type BenchError = Box<dyn std::error::Error + Send + Sync>;

/// A gateway that serves.
pub(crate) struct Stage {
    gateway: InProcess,
    workspace: WorkspaceId,
    // Dropped last: the gateway lives in it.
    _folder: TempDir,
}

/// When the changes were made.
#[derive(Debug)]
pub(crate) struct Changed {
    pub(crate) began: Instant,
    pub(crate) took: Duration,
}

impl Stage {
    /// Starts the gateway on a fresh database, SQLite or the empty one on PostgreSQL that `server` names, and registers
    /// every endpoint that answers and `dead` that do not, in turns.
    pub(crate) async fn set(
        server: Option<&str>,
        receivers: &Receivers,
        dead: usize,
    ) -> Result<Self, BenchError> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let gateway = InProcess::start(folder.path(), server).await?;
        let new = NewWorkspace {
            name: "Casa".to_owned(),
            legal_name: "Casa S.L.".to_owned(),
            tax_id: "B98602642".to_owned(),
            country: "ES".to_owned(),
            ..NewWorkspace::default()
        };
        let made = gateway.services().workspaces.create(&Actor::operator(), &new).await?;
        let workspace = made.workspace.id;
        let acting = Acting::gateway();
        let events = (&[][..], NoticeAccess::Denied);
        let apart = receivers.count.checked_div(dead).unwrap_or(receivers.count);
        let mut left = dead;
        for number in 0..receivers.count {
            if left > 0 && number % apart == 0 {
                left -= 1;
                let url = format!("{}/{number}", receivers.dead);
                gateway.services().webhooks.register(&acting, workspace, &url, events).await?;
            }
            let url = format!("{}/{number}", receivers.healthy);
            gateway.services().webhooks.register(&acting, workspace, &url, events).await?;
        }
        Ok(Self { gateway, workspace, _folder: folder })
    }

    /// So many tasks are made.
    pub(crate) async fn change(&self, count: usize) -> Result<Changed, BenchError> {
        let mut lines = String::new();
        for number in 0..count {
            let id = format!("00000000-0000-7000-8000-{number:012x}");
            let task = json!({"kind": "task", "id": id, "workspace_id": self.workspace, "title": "Clean"});
            writeln!(lines, "{task}")?;
        }
        let began = Instant::now();
        let imported = self
            .gateway
            .services()
            .platform
            .importer
            .import(&Actor::operator(), lines.as_bytes(), |_| {})
            .await?;
        if imported.written() != u64::try_from(count)? {
            return Err("not every change was made".into());
        }
        Ok(Changed { began, took: began.elapsed() })
    }

    /// Ends the gateway.
    pub(crate) async fn strike(self) {
        self.gateway.stop().await;
    }
}
