//! Whether what a workspace issued holds together, as part of a run: the same proof as `gateway doctor --chain`.

use crate::Reconciliations;
use gateway_domain::StoreError;
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain_evidence::NumberedDocument;
use gateway_domain_reconciliation::{
    Divergence, ReconciledEntry, Reconciliation, ReconciliationOutcome, ReconciliationSource, break_key,
};
use gateway_evidence::ChainReport;
use std::time::Duration;

/// Longest proof of one run: a step of a job has to end.
const PROOF_MAX: Duration = Duration::from_mins(3);
/// What a row about a broken link says that the two sides differ in.
const MEMBER: &str = "chain";

impl Reconciliations {
    /// What is broken in what is kept here, the first of each kind; and, where not everything could be looked at, that and why.
    pub(crate) async fn proven(&self, run: &Reconciliation) -> Result<Vec<ReconciledEntry>, StoreError> {
        let mut report = ChainReport::new(run.workspace);
        let verified = tokio::time::timeout(PROOF_MAX, self.0.chain.verify_into(&mut report)).await;
        let incomplete = match verified {
            Ok(Ok(())) => report.links.as_ref().and_then(|links| links.unread.clone()),
            // What is stored is none of what the types allow: the next try would say the same.
            Ok(Err(StoreError::Failed { message, cause: None })) => Some(message),
            Ok(Err(error)) => return Err(error),
            Err(_) => Some(format!("it takes longer than {} minutes", PROOF_MAX.as_secs() / 60)),
        };
        let numbers = report.number_breaks.iter().map(|broken| row(run, &broken.to_string(), None));
        let evidence = report
            .evidence_breaks
            .iter()
            .map(|broken| row(run, &broken.to_string(), Some(broken.document())));
        let incomplete = incomplete.map(|reason| {
            let workspace = run.workspace;
            let sentence = format!(
                "the proof is not complete, because {reason}: run 'gateway doctor --chain --workspace {workspace}'"
            );
            row(run, &sentence, None)
        });
        Ok(numbers.chain(evidence).chain(incomplete).collect())
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
