//! `gateway doctor --chain`: whether every number, every structured document and every hash is there, once, and as it was.

use super::{Findings, Verdict};
use gateway_domain::ids::WorkspaceId;
use gateway_domain_finance::EvidenceBreak;
use gateway_recovery::chain::{ChainCheck, ChainReport};
use gateway_storage::{Db, workspaces};
use gateway_terminal::Failure;
use gateway_workspaces::WorkspaceError;

/// How many workspaces are read at once.
const BATCH: i64 = 100;
const NUMBERS: &str = "numbers";
const DOCUMENTS: &str = "documents";
const HASHES: &str = "hashes";

/// Proves the chain of one workspace, or that of each.
pub(crate) async fn prove(
    findings: &mut Findings,
    db: &Db,
    workspace: Option<WorkspaceId>,
) -> Result<(), Failure> {
    let check = ChainCheck::new(db.clone());
    if let Some(id) = workspace {
        workspaces::find(db, id).await?.ok_or(WorkspaceError::Unknown(id))?;
        add(findings, &check.verify(id).await?);
        return Ok(());
    }
    let mut last = WorkspaceId(0);
    loop {
        let batch = workspaces::list(db, last, BATCH).await?;
        let Some(end) = batch.last() else { break };
        last = end.id;
        for workspace in batch {
            add(findings, &check.verify(workspace.id).await?);
        }
    }
    if last == WorkspaceId(0) {
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
