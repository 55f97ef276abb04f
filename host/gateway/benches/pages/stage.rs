//! A gateway with many documents, and one who may look at all of them.

use crate::client::Client;
use crate::login::new_client;
use crate::session::sign_in;
use gateway::InProcess;
use gateway_domain::access::{Acting, Permission, Workspaces};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Invoice, InvoiceNumber, Recipient, State};
use gateway_domain_input::document::DocumentForm;
use gateway_storage::testing::samples;
use gateway_storage::{Db, Sql, invoices};
use jiff::civil::date;
use jiff::{SignedDuration, ToSpan as _};
use secrecy::ExposeSecret;
use serde_json::json;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use uuid::Uuid;

pub(crate) type BenchError = Box<dyn std::error::Error + Send + Sync>;

const WORKSPACE: WorkspaceId = WorkspaceId(1);
/// Documents of a transaction.
const BATCH: usize = 2_000;

/// A gateway that serves.
pub(crate) struct Stage {
    gateway: InProcess,
    /// The bearer token, and behind it the cookie of a session as another header.
    proof: String,
    // Dropped last: the gateway lives in it.
    _folder: TempDir,
}

impl Stage {
    /// Starts the gateway on a fresh database, SQLite or the empty one on PostgreSQL that `server` names, and fills it.
    pub(crate) async fn set(server: Option<&str>, documents: usize) -> Result<Self, BenchError> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let gateway = InProcess::start(folder.path(), server).await?;
        let db = &gateway.services().db;
        samples::stored_workspace(db, WORKSPACE.0).await;
        let form: DocumentForm = serde_json::from_value(json!({
            "workspace_id": WORKSPACE, "document_type": "invoice", "currency": "EUR", "prices_include_tax": true,
            "recipient": {"type": "individual", "name": "Jane Roe",
                "identity_document": {"type": "passport", "number": "123456789", "country": "GB"}},
            "lines": [{"description": "Studio, 3 nights", "quantity": "3", "unit_price": "89.90",
                "tax": {"category": "VAT", "rate": "10.0"}}],
        }))?;
        let first = InvoiceId(Uuid::from_u128(0x7000 << 64 | 0x8000 << 48));
        let saved = gateway.services().invoicing.save(&Acting::gateway(), first, form, None).await?;
        fill(db, &saved.invoice, documents).await?;
        let permissions = vec![Permission::InvoicingRpc, Permission::ConsoleRead];
        let (made, token) = new_client(&gateway, permissions, Workspaces::All).await?;
        let (id, secret) = (made.client.id.to_string(), made.secret.expose_secret().to_owned());
        let cookie = sign_in(gateway.internal_url(), &id, &secret).await?;
        let proof = format!("{token}\r\ncookie: {cookie}");
        Ok(Self { gateway, proof, _folder: folder })
    }

    /// Median and 95th percentile of so many requests.
    pub(crate) async fn measure(
        &self,
        address: &str,
        rounds: usize,
    ) -> Result<(Duration, Duration), BenchError> {
        let mut client = Client::connect(self.gateway.internal_url(), &self.proof).await?;
        client.call("GET", address, "").await?;
        let mut times = Vec::new();
        for _ in 0..rounds {
            let started = Instant::now();
            client.call("GET", address, "").await?;
            times.push(started.elapsed());
        }
        times.sort_unstable();
        let at = |part: usize| times.get((times.len() * part / 100).min(times.len() - 1)).copied();
        Ok((at(50).ok_or("no request")?, at(95).ok_or("no request")?))
    }

    /// The database of the gateway.
    pub(crate) fn db(&self) -> &Db {
        &self.gateway.services().db
    }

    /// Ends the gateway.
    pub(crate) async fn strike(self) {
        self.gateway.stop().await;
    }
}

async fn fill(db: &Db, sample: &Invoice, documents: usize) -> Result<(), BenchError> {
    let mut number = 0;
    while number < documents {
        let mut tx = db.begin().await?;
        for _ in 0..BATCH.min(documents - number) {
            number += 1;
            invoices::insert(&mut tx, &another(sample, number)?).await?;
        }
        tx.commit().await?;
    }
    // As the server does by itself some time after so many rows came.
    let mut tx = db.begin().await?;
    tx.execute(&Sql::both("ANALYZE"), Vec::new()).await?;
    tx.commit().await?;
    Ok(())
}

/// Another document like this one: one of a hundred is rejected, one of ten is a draft.
fn another(sample: &Invoice, number: usize) -> Result<Invoice, BenchError> {
    let mut document = sample.clone();
    let place = i64::try_from(number)?;
    let at = samples::at(0) + SignedDuration::from_secs(place * 60);
    document.id = InvoiceId(Uuid::from_u128((0x7000 << 64) | (0x8000 << 48) | u128::try_from(number)?));
    document.content.issue_date = Some(date(2026, 1, 1) + (place % 365).days());
    if let Some(Recipient::Individual { name, .. }) = &mut document.content.recipient {
        *name = format!("Jane Guest{:04}", number % 1_000);
    }
    let given = InvoiceNumber(format!("F-2026-{number:06}"));
    document.state = match number % 100 {
        0 => State::Rejected { number: given, at, reason: "1239: not registered".to_owned() },
        1..=10 => State::Draft,
        _ => State::Issued { number: given, at, acceptance: None, imported: None },
    };
    (document.created_at, document.updated_at) = (at, at);
    Ok(document)
}
