//! One invoice's way: sent as a draft, issued, watched until it arrives, corrected when the authority refuses it.

use crate::cases::Case;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::Ids;
use gateway_provider::{JsonAnswer, JsonClient};
use gateway_terminal::{Column, Failure, line, listing};
use serde_json::Value;
use std::time::{Duration, Instant};
use uuid::Uuid;

/// How often the gateway is asked.
const POLL_INTERVAL: Duration = Duration::from_millis(150);
/// When the demonstration gives up.
const TIMEOUT: Duration = Duration::from_secs(90);

/// An invoice that was issued.
#[derive(Debug)]
pub(crate) struct InvoiceRun {
    id: Uuid,
    case: Case,
    /// As of the last poll.
    document: Value,
    since: Instant,
    /// The number under which the authority refused it.
    rejected_number: Option<String>,
}

impl InvoiceRun {
    /// Saves the draft and issues it.
    pub(crate) async fn send(
        gateway: &JsonClient,
        ids: &dyn Ids,
        workspace: WorkspaceId,
        mut case: Case,
    ) -> Result<Self, Failure> {
        let id = ids.next();
        case.document.workspace_id = Some(workspace);
        let mut run = Self { id, case, document: Value::Null, since: Instant::now(), rejected_number: None };
        run.save(gateway).await?;
        run.issue(gateway).await?;
        line(&format!("  {:18} {}", run.text("display_document_number"), run.case.title));
        Ok(run)
    }

    pub(crate) const fn id(&self) -> Uuid {
        self.id
    }

    async fn save(&mut self, gateway: &JsonClient) -> Result<(), Failure> {
        let document = serde_json::to_value(&self.case.document)?;
        let answer = gateway.put(&format!("/invoicing/rpc/documents/{}", self.id), &document).await?;
        self.document = self.accepted(answer, "saved")?;
        Ok(())
    }

    async fn issue(&mut self, gateway: &JsonClient) -> Result<(), Failure> {
        let answer =
            gateway.post(&format!("/finance/rpc/documents/{}/commands/issue", self.id), None).await?;
        self.since = Instant::now();
        self.document = self.accepted(answer, "issued")?.get("document").cloned().unwrap_or_default();
        Ok(())
    }

    fn accepted(&self, answer: JsonAnswer, done: &str) -> Result<Value, Failure> {
        if (200..300).contains(&answer.status) {
            return Ok(answer.body);
        }
        let title = self.case.title;
        Err(Failure::refused(format!("'{title}' was not {done} (HTTP {}): {}", answer.status, answer.body)))
    }

    /// Asks how it stands, tells what is new, and corrects what was refused as expected.
    async fn poll(&mut self, gateway: &JsonClient) -> Result<(), Failure> {
        let before = self.text("status");
        let answer = gateway.get(&format!("/finance/rpc/documents/{}", self.id)).await?;
        self.document = self.accepted(answer, "found")?;
        if self.text("status") == before {
            return Ok(());
        }
        let took = self.since.elapsed().as_secs_f64();
        let reason = self.text("rejection_reason");
        let (number, status) = (self.text("display_document_number"), self.text("status"));
        line(&format!("  {number:18} {status:9} after {took:4.1} s  {}", self.case.title));
        if status == "rejected" && self.rejected_number.is_none() {
            line(&format!("  {:18} {reason}", ""));
            self.rejected_number = Some(number);
            self.correct(gateway).await?;
        }
        Ok(())
    }

    /// A rejected invoice is edited in place and issued again, under a new number.
    async fn correct(&mut self, gateway: &JsonClient) -> Result<(), Failure> {
        let Some(name) = self.case.corrected_name else { return Ok(()) };
        self.case.document.recipient.name = name;
        self.save(gateway).await?;
        self.issue(gateway).await?;
        line(&format!("  {:18} is the corrected one", self.text("display_document_number")));
        Ok(())
    }

    /// Whether nothing more will happen.
    fn is_finished(&self) -> bool {
        matches!(self.text("status").as_str(), "issued" | "rejected")
    }

    /// Whether it ended as its case expects, with the proofs of the authority.
    fn is_as_expected(&self) -> bool {
        let proof =
            |name: &str| self.document.pointer(&format!("/acceptance/{name}")).is_some_and(Value::is_string);
        self.text("status") == "issued"
            && proof("qr_url")
            && proof("tax_system_hash")
            && self.rejected_number.is_some() == self.case.corrected_name.is_some()
    }

    fn text(&self, member: &str) -> String {
        self.document.get(member).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// How it ended; before that how the authority refused it, if it did.
    fn rows(&self) -> Vec<Vec<String>> {
        let at =
            |pointer: &str| self.document.pointer(pointer).and_then(Value::as_str).unwrap_or("-").to_owned();
        let row = |number: String, status: String| {
            vec![number, status, at("/totals/payable"), self.case.title.to_owned()]
        };
        let refused = self.rejected_number.clone().map(|number| row(number, "rejected".to_owned()));
        refused.into_iter().chain([row(at("/display_document_number"), at("/status"))]).collect()
    }
}

/// Watches until all are finished; an error when one did not end as expected.
pub(crate) async fn watch(gateway: &JsonClient, runs: &mut [InvoiceRun]) -> Result<(), Failure> {
    let started = Instant::now();
    while !runs.iter().all(InvoiceRun::is_finished) && started.elapsed() < TIMEOUT {
        tokio::time::sleep(POLL_INTERVAL).await;
        for run in runs.iter_mut().filter(|run| !run.is_finished()) {
            run.poll(gateway).await?;
        }
    }
    let others: Vec<_> = runs.iter().filter(|run| !run.is_as_expected()).collect();
    if others.is_empty() {
        return Ok(());
    }
    let named: Vec<_> =
        others.iter().map(|other| format!("'{}' is {}", other.case.title, other.text("status"))).collect();
    Err(Failure::refused(format!("not every invoice ended as expected: {}", named.join(", "))))
}

/// How everything ended.
pub(crate) fn table(runs: &[InvoiceRun]) -> String {
    let columns =
        [Column::number("NUMBER"), Column::state("STATE"), Column::value("TOTAL"), Column::text("CASE")];
    listing(columns, runs.iter().flat_map(InvoiceRun::rows)).as_str().to_owned()
}
