//! `gateway doctor --chain`: whether every number, every structured document and every hash is there, once, and as it was.

use super::{Findings, Verdict};
use crate::services::Readers;
use gateway_domain::ids::WorkspaceId;
use gateway_domain_evidence::EvidenceBreak;
use gateway_recovery::chain::ChainReport;
use gateway_terminal::Failure;
use gateway_workspaces::WorkspaceError;

const NUMBERS: &str = "numbers";
const DOCUMENTS: &str = "documents";
const HASHES: &str = "hashes";

/// Proves the chain of one workspace, or that of each.
pub(crate) async fn prove(
    findings: &mut Findings,
    readers: &Readers,
    workspace: Option<WorkspaceId>,
) -> Result<(), Failure> {
    let Readers { workspaces, chain, .. } = readers;
    if let Some(id) = workspace {
        workspaces.find(id).await?.ok_or(WorkspaceError::Unknown(id))?;
        add(findings, &chain.verify(id).await?);
        return Ok(());
    }
    let all = workspaces.list().await?;
    for workspace in &all {
        add(findings, &chain.verify(workspace.id).await?);
    }
    if all.is_empty() {
        findings.add(NUMBERS, Verdict::Sound, "there is no workspace, so none was given");
    }
    Ok(())
}

/// What is broken, and a sentence for each subject in which nothing is.
fn add(findings: &mut Findings, report: &ChainReport) {
    let id = report.workspace;
    for broken in &report.number_breaks {
        findings.add(NUMBERS, Verdict::Broken, format!("workspace {id}: {broken}"));
    }
    for broken in &report.evidence_breaks {
        findings.add(subject(broken), Verdict::Broken, format!("workspace {id}: {broken}"));
    }
    let is_broken = |of| report.evidence_breaks.iter().any(|broken| subject(broken) == of);
    if report.number_breaks.is_empty() {
        let message =
            format!("workspace {id} gave {}: none is missing, and none was given twice", report.numbers);
        findings.add(NUMBERS, Verdict::Sound, message);
    }
    let counts = report.evidence;
    if !is_broken(DOCUMENTS) {
        let proven = format!("{} structured documents of workspace {id} are what was sent", counts.proven);
        let mut message = match counts.without_digest {
            0 => proven,
            more => format!("{proven}; of {more} more no digest says what was sent"),
        };
        if report.imported_files > 0 {
            message = format!("{message}; {} files are what was imported", report.imported_files);
        }
        findings.add(DOCUMENTS, Verdict::Sound, message);
    }
    if !is_broken(HASHES) {
        let message = format!(
            "{} documents of workspace {id} carry a hash of their tax system, each another one",
            counts.hashes
        );
        findings.add(HASHES, Verdict::Sound, message);
    }
}

const fn subject(broken: &EvidenceBreak) -> &'static str {
    match broken {
        EvidenceBreak::Changed { .. } | EvidenceBreak::FileChanged { .. } => DOCUMENTS,
        EvidenceBreak::HashMissing { .. } | EvidenceBreak::HashRepeated { .. } => HASHES,
    }
}
