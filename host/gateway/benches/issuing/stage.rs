//! A gateway with workspaces, drafts and credentials, and the runs on it.

use crate::bare::{Draft, Statements};
use crate::client::Client;
use crate::figures::{Sample, Way};
use crate::login::new_client;
use gateway::InProcess;
use gateway_domain::access::{Acting, Permission, Workspaces};
use gateway_domain::ids::InvoiceId;
use gateway_domain::ports::Ids;
use gateway_domain_input::document::DocumentForm;
use gateway_storage::testing::RandomIds;
use gateway_storage::{events, testing::samples};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tempfile::TempDir;

pub(crate) type BenchError = Box<dyn std::error::Error + Send + Sync>;

/// Documents are spread over this many workspaces, so that they do not wait for one series.
const WORKSPACES: usize = 100;
/// Drafts made at once.
const WRITERS: usize = 16;

/// A gateway that serves.
pub(crate) struct Stage {
    gateway: InProcess,
    token: String,
    statements: Statements,
    // Dropped last: the gateway lives in it.
    _folder: TempDir,
}

impl Stage {
    /// Starts the gateway on a fresh database: SQLite, or the empty one on PostgreSQL that `server` names.
    pub(crate) async fn set(server: Option<&str>) -> Result<Self, BenchError> {
        // Cargo's folder is on a disk; the system's folder for such things need not be.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let gateway = InProcess::start(folder.path(), server).await?;
        for id in 1..=WORKSPACES {
            samples::stored_workspace(&gateway.services().db, i64::try_from(id)?).await;
        }
        let permissions = vec![Permission::InvoicingRpc];
        let (_, token) = new_client(&gateway, permissions, Workspaces::All).await?;
        Ok(Self { gateway, token, statements: Statements::new(), _folder: folder })
    }

    /// Fresh drafts, with their events in the feed, so that nothing of their making is left to be done.
    pub(crate) async fn drafts(&self, count: usize) -> Result<Vec<Draft>, BenchError> {
        let writers = (0..WRITERS).map(|writer| {
            let invoicing = self.gateway.services().invoicing.clone();
            tokio::spawn(async move {
                let mut made = Vec::new();
                for place in (writer..count).step_by(WRITERS) {
                    let id = InvoiceId(RandomIds.next());
                    let saved = invoicing.save(&Acting::gateway(), id, form(place)?, None).await?.invoice;
                    made.push((place, Draft::new(saved, RandomIds.next())?));
                }
                Ok::<_, BenchError>(made)
            })
        });
        let mut drafts = Vec::with_capacity(count);
        for writer in writers.collect::<Vec<_>>() {
            drafts.extend(writer.await??);
        }
        drafts.sort_by_key(|(place, _)| *place);
        while events::relay(&self.gateway.services().db, 500).await? > 0 {}
        Ok(drafts.into_iter().map(|(_, draft)| draft).collect())
    }

    /// Issues the drafts one way, by so many clients at once.
    pub(crate) async fn sample(
        &self,
        way: Way,
        clients: usize,
        drafts: Vec<Draft>,
    ) -> Result<Sample, BenchError> {
        let (drafts, next) = (Arc::new(drafts), Arc::new(AtomicUsize::new(0)));
        let mut connected = Vec::new();
        for _ in 0..clients {
            connected.push(Client::connect(self.gateway.internal_url(), &self.token).await?);
        }
        let started = Instant::now();
        let running: Vec<_> = connected
            .into_iter()
            .map(|mut client| {
                let (drafts, next) = (Arc::clone(&drafts), Arc::clone(&next));
                let (db, invoicing) =
                    (self.gateway.services().db.clone(), self.gateway.services().invoicing.clone());
                let statements = self.statements;
                tokio::spawn(async move {
                    let mut latencies = Vec::new();
                    while let Some(draft) = drafts.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let started = Instant::now();
                        match way {
                            Way::Sql => statements.issue(&db, draft).await?,
                            Way::Operation => {
                                let id = draft.invoice.id;
                                invoicing.begin_issuing(&Acting::gateway(), id, true, None, None).await?;
                            }
                            Way::Http => {
                                let path = format!("/invoicing/rpc/documents/{}/issuing", draft.invoice.id);
                                client.call("PUT", &path, r#"{"send_to_tax_authority":true}"#).await?;
                            }
                        }
                        latencies.push(started.elapsed());
                    }
                    Ok::<_, BenchError>(latencies)
                })
            })
            .collect();
        let mut latencies = Vec::with_capacity(drafts.len());
        for client in running {
            latencies.extend(client.await??);
        }
        Ok(Sample { way, elapsed: started.elapsed(), latencies })
    }

    /// Ends the gateway.
    pub(crate) async fn strike(self) {
        self.gateway.stop().await;
    }
}

/// One night for Jane Roe, in one workspace after the other.
fn form(place: usize) -> Result<DocumentForm, serde_json::Error> {
    serde_json::from_value(json!({
        "workspace_id": place % WORKSPACES + 1, "document_type": "invoice", "currency": "EUR",
        "prices_include_tax": true,
        "recipient": {"type": "individual", "name": "Jane Roe",
            "identity_document": {"type": "passport", "number": "123456789", "country": "GB"},
            "address": {"street": "1 High St", "locality": "Leeds", "postcode": "LS1 1AA", "country": "GB"}},
        "lines": [{"description": "Studio, 1 night", "quantity": "1", "unit_price": "110.00",
            "tax": {"category": "VAT", "rate": "10.0"}}],
    }))
}
