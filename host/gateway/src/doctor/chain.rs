//! `gateway doctor --chain`: whether every number, every structured document and every hash is there, once, and as it was.

use super::{Findings, Verdict};
use crate::services::Readers;
use crate::wiring::WiringError;
use gateway_domain::ids::WorkspaceId;
use gateway_domain_evidence::{EvidenceBreak, LinkCounts};
use gateway_evidence::{ChainReport, LinkReport};
use gateway_plugin_host::PluginHost;
use gateway_registry::{PluginRuntime, Plugins};
use gateway_terminal::Failure;
use gateway_workspaces::WorkspaceError;
use std::sync::Arc;

/// The registry with what it serves by, or why there is none.
pub(crate) type Registry = Result<(Plugins, Arc<PluginRuntime>), WiringError>;

const NUMBERS: &str = "numbers";
const DOCUMENTS: &str = "documents";
const HASHES: &str = "hashes";
const LINKS: &str = "links";

/// Proves the chain of one workspace, or that of each.
pub(crate) async fn prove(
    findings: &mut Findings,
    (readers, registry): (Readers, Registry),
    workspace: Option<WorkspaceId>,
) -> Result<(), Failure> {
    let Readers { workspaces, chain, .. } = readers;
    let (chain, remark) = match in_force(registry).await {
        Ok((host, problem)) => (chain.with_links(host), problem),
        // Numbers, documents and hashes are proven without plugins.
        Err(error) => {
            (chain, Some(format!("records were not read, because no plugin can run here: {error}")))
        }
    };
    if let Some(remark) = remark {
        findings.add(LINKS, Verdict::Remark, remark);
    }
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

/// The plugins in force, which read what was sent; and why some of them do not serve.
async fn in_force(registry: Registry) -> Result<(Arc<PluginHost>, Option<String>), WiringError> {
    let (plugins, runtime) = registry?;
    let status = plugins.catch_up().await?;
    Ok((Arc::clone(runtime.host()), status.problem))
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
    if let Some(links) = &report.links {
        add_links(findings, id, links, is_broken(LINKS));
    }
}

/// How the records follow each other; nothing of a tax system that does not chain them.
fn add_links(findings: &mut Findings, id: WorkspaceId, report: &LinkReport, is_broken: bool) {
    let LinkReport { counts: LinkCounts { following, of_unknown }, unread, unknown } = report;
    if let Some(unknown) = unknown {
        findings.add(LINKS, Verdict::Remark, format!("workspace {id}: {unknown}"));
    }
    if let Some(reason) = unread {
        let message = format!("workspace {id}: not every record could be read: {reason}");
        findings.add(LINKS, Verdict::Remark, message);
    }
    if is_broken || (*following, *of_unknown) == (0, 0) {
        return;
    }
    let proven = format!("{following} records of workspace {id} follow the one that they name");
    let message = match of_unknown {
        0 => proven,
        more => format!("{proven}; what {more} more follow is not kept here"),
    };
    findings.add(LINKS, Verdict::Sound, message);
}

const fn subject(broken: &EvidenceBreak) -> &'static str {
    match broken {
        EvidenceBreak::Changed { .. } | EvidenceBreak::FileChanged { .. } => DOCUMENTS,
        EvidenceBreak::HashMissing { .. } | EvidenceBreak::HashRepeated { .. } => HASHES,
        EvidenceBreak::RecordChanged { .. }
        | EvidenceBreak::HashNotSent { .. }
        | EvidenceBreak::Forked { .. }
        | EvidenceBreak::MessageUnreadable { .. } => LINKS,
    }
}
