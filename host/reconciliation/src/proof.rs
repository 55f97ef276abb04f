//! Whether what a workspace issued holds together, as part of a run: the same proof as `gateway doctor --chain`.

use crate::Reconciliations;
use gateway_domain::StoreError;
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain_evidence::NumberedDocument;
use gateway_domain_reconciliation::{
    Divergence, ReconciledEntry, Reconciliation, ReconciliationOutcome, ReconciliationSource, break_key,
};
use std::time::Duration;

/// Longest proof of one run: a step of a job has to end. Some million documents are read meanwhile.
const PROOF_MAX: Duration = Duration::from_mins(3);
/// What a row about a broken link says that the two sides differ in.
const MEMBER: &str = "chain";

impl Reconciliations {
    /// What is broken in what is kept here, the first of each kind.
    pub(crate) async fn proven(&self, run: &Reconciliation) -> Result<Vec<ReconciledEntry>, StoreError> {
        let Ok(report) = tokio::time::timeout(PROOF_MAX, self.0.chain.verify(run.workspace)).await else {
            tracing::warn!(
                workspace.id = %run.workspace,
                "The reconciliation {} ends without the proof of the chain, which takes too long: run 'gateway doctor --chain --workspace {}'",
                run.id, run.workspace
            );
            return Ok(Vec::new());
        };
        let report = report?;
        let numbers = report.number_breaks.iter().map(|broken| row(run, &broken.to_string(), None));
        let evidence = report
            .evidence_breaks
            .iter()
            .map(|broken| row(run, &broken.to_string(), Some(broken.document())));
        Ok(numbers.chain(evidence).collect())
    }
}

fn row(run: &Reconciliation, broken: &str, document: Option<&NumberedDocument>) -> ReconciledEntry {
    ReconciledEntry {
        source: ReconciliationSource::Chain,
        entry: break_key(run.id, broken),
        document: document.map(|document| document.id),
        number: document.map(|document| InvoiceNumber(document.number.clone())),
        outcome: ReconciliationOutcome::Different,
        divergences: vec![Divergence {
            member: MEMBER.to_owned(),
            here: broken.to_owned(),
            there: String::new(),
        }],
    }
}
