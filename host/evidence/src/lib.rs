//! Whether what a workspace issued holds together: every number of every series, every structured document as it was sent,
//! every hash of the tax system once, and every record behind the one that it names. Reads page by page, beside gateways that serve,
//! and changes nothing.
//!
//! The rules are `gateway-domain-evidence`'s and `gateway-domain-numbers`'; plugins read the records.

mod links;

pub use links::LinkReport;

use gateway_domain::StoreError;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{ImportedFile, ImportedFileDigest, ImportedFileType, SeriesKey};
use gateway_domain_evidence::ports::RecordLinks;
use gateway_domain_evidence::{
    EvidenceBreak, EvidenceCheck, EvidenceCounts, NumberedDocument, StoredEvidence,
};
use gateway_domain_numbers::{NumberBreak, SeriesCheck};
use gateway_storage::{Db, evidence, imported_files, number_chains, numbers};
use links::LinkProof;
use std::fmt;
use std::mem::discriminant;
use std::sync::Arc;

/// Proves the chains of workspaces.
#[derive(Debug, Clone)]
pub struct ChainCheck {
    db: Db,
    /// Reads what was sent; none where no plugins are at hand.
    links: Option<Arc<dyn RecordLinks>>,
}

/// A broken link among the numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeriesBreak {
    /// Of which series; none where a document carries what no series accounts for.
    pub series: Option<SeriesKey>,
    /// What is wrong.
    pub cause: NumberBreak,
}

impl fmt::Display for SeriesBreak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(SeriesKey { kind, year, .. }) = self.series {
            write!(f, "{} numbers of {year}: ", kind.as_str())?;
        }
        write!(f, "{}", self.cause)
    }
}

/// What was found in a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// Which workspace.
    pub workspace: WorkspaceId,
    /// How many numbers its series gave.
    pub numbers: u64,
    /// How much of the rest was looked at.
    pub evidence: EvidenceCounts,
    /// How its records follow each other; none where no plugins were at hand.
    pub links: Option<LinkReport>,
    /// How many files of documents that another system issued are what was imported.
    pub imported_files: u64,
    /// The first broken link of each kind among the numbers.
    pub number_breaks: Vec<SeriesBreak>,
    /// The first broken link of each kind among documents and hashes.
    pub evidence_breaks: Vec<EvidenceBreak>,
}

impl ChainReport {
    /// Nothing was looked at yet.
    pub const fn new(workspace: WorkspaceId) -> Self {
        let evidence = EvidenceCounts { proven: 0, without_digest: 0, hashes: 0 };
        Self {
            workspace,
            numbers: 0,
            evidence,
            links: None,
            imported_files: 0,
            number_breaks: Vec::new(),
            evidence_breaks: Vec::new(),
        }
    }

    /// Whether no link is broken.
    pub fn is_whole(&self) -> bool {
        self.number_breaks.is_empty() && self.evidence_breaks.is_empty()
    }

    fn add_number_break(&mut self, series: Option<SeriesKey>, cause: Option<NumberBreak>) {
        let Some(cause) = cause else { return };
        let is_other = |found: &SeriesBreak| discriminant(&found.cause) != discriminant(&cause);
        if self.number_breaks.iter().all(is_other) {
            self.number_breaks.push(SeriesBreak { series, cause });
        }
    }

    fn add_evidence_break(&mut self, cause: Option<EvidenceBreak>) {
        let Some(cause) = cause else { return };
        if self.evidence_breaks.iter().all(|found| discriminant(found) != discriminant(&cause)) {
            self.evidence_breaks.push(cause);
        }
    }
}

impl ChainCheck {
    /// Of the workspaces of a database.
    pub const fn new(db: Db) -> Self {
        Self { db, links: None }
    }

    /// Reads what was sent by its plugins too, for the chain of the tax system.
    #[must_use]
    pub fn with_links(self, links: Arc<dyn RecordLinks>) -> Self {
        Self { links: Some(links), ..self }
    }

    /// Reads everything that a workspace issued, from its first number to its last.
    pub async fn verify(&self, workspace: WorkspaceId) -> Result<ChainReport, StoreError> {
        let mut report = ChainReport::new(workspace);
        self.verify_into(&mut report).await?;
        Ok(report)
    }

    /// The same into a report that is at hand should this not come to its end.
    pub async fn verify_into(&self, report: &mut ChainReport) -> Result<(), StoreError> {
        self.numbers(report).await?;
        self.documents(report).await?;
        self.imported_files(report).await
    }

    /// Every series from its start to what it gives next.
    async fn numbers(&self, report: &mut ChainReport) -> Result<(), StoreError> {
        let extents = number_chains::of_workspace(&self.db, report.workspace).await?;
        let checks =
            extents.into_iter().map(|series| (series.key, series.next, SeriesCheck::new(series.start)));
        let mut checks: Vec<(SeriesKey, i64, SeriesCheck)> = checks.collect();
        let mut last = None;
        loop {
            let page = number_chains::numbers(&self.db, report.workspace, last.as_ref()).await?;
            let Some(end) = page.last().cloned() else { break };
            for number in page {
                report.numbers += 1;
                if !number.is_carried {
                    let cause = NumberBreak::NotCarried(number.link.clone());
                    report.add_number_break(Some(number.series), Some(cause));
                }
                // A series whose row is gone would begin again.
                if !checks.iter().any(|(key, ..)| *key == number.series) {
                    checks.push((number.series, 1, SeriesCheck::new(None)));
                }
                let check = checks.iter_mut().find(|(key, ..)| *key == number.series);
                let cause = check.and_then(|(.., check)| check.take(number.link));
                report.add_number_break(Some(number.series), cause);
            }
            last = Some(end);
        }
        for (key, next, check) in checks {
            let next_now = numbers::next_position(&self.db, key).await?;
            report.add_number_break(Some(key), check.finish(next, next_now));
        }
        Ok(())
    }

    /// Every document with a number, and what is kept of its way to the tax authority.
    async fn documents(&self, report: &mut ChainReport) -> Result<(), StoreError> {
        let mut check = EvidenceCheck::default();
        let mut proof = self.links.as_ref().map(LinkProof::new);
        let mut last = None;
        loop {
            let page = evidence::documents(&self.db, report.workspace, last).await?;
            let Some(end) = page.last() else { break };
            last = Some(end.key);
            self.records(report, proof.as_mut(), &page).await?;
            for issued in page {
                let document = &issued.evidence.document;
                let cause = NumberBreak::of_carried(document.id, &document.number, issued.given_to);
                report.add_number_break(None, cause);
                report.add_evidence_break(check.take(issued.evidence));
            }
        }
        let mut last = None;
        loop {
            let page = evidence::copies(&self.db, report.workspace, last).await?;
            let Some(end) = page.last() else { break };
            last = Some(end.key);
            // What was sent of a document that is kept here was read above.
            let remote: Vec<_> = page.iter().filter(|copy| copy.given_to.is_none()).cloned().collect();
            self.records(report, proof.as_mut(), &remote).await?;
            for copy in page {
                report.add_evidence_break(check.take(copy.evidence));
            }
        }
        let (counts, missing) = check.finish();
        report.evidence = counts;
        report.add_evidence_break(missing);
        report.add_evidence_break(evidence::repeated_hash(&self.db, report.workspace).await?);
        report.links = proof.map(LinkProof::finish);
        Ok(())
    }

    /// What was sent of a page of documents.
    async fn records(
        &self,
        report: &mut ChainReport,
        proof: Option<&mut LinkProof>,
        page: &[StoredEvidence],
    ) -> Result<(), StoreError> {
        let Some(proof) = proof else { return Ok(()) };
        for broken in self.take_records(proof, report.workspace, page).await? {
            report.add_evidence_break(Some(broken));
        }
        Ok(())
    }

    /// Every file that was imported with a document of another system, one at a time.
    async fn imported_files(&self, report: &mut ChainReport) -> Result<(), StoreError> {
        let mut last = String::new();
        loop {
            let page = imported_files::origins(&self.db, report.workspace, &last).await?;
            let Some((_, end, _)) = page.last() else { break };
            last.clone_from(&end.0);
            for (id, number, origin) in page {
                for expected in origin.files {
                    let found = self.file_digest(id, &expected.media_type).await?;
                    if found.as_ref() == Some(&expected) {
                        report.imported_files += 1;
                        continue;
                    }
                    report.add_evidence_break(Some(EvidenceBreak::FileChanged {
                        document: NumberedDocument { id, number: number.0.clone() },
                        media_type: expected.media_type,
                        expected: expected.sha256,
                        found: found.map(|found| found.sha256),
                    }));
                }
            }
        }
        Ok(())
    }

    async fn file_digest(
        &self,
        document: InvoiceId,
        media_type: &str,
    ) -> Result<Option<ImportedFileDigest>, StoreError> {
        let Some(file_type) = ImportedFileType::parse(media_type) else { return Ok(None) };
        let content = imported_files::find(&self.db, document, file_type).await?;
        Ok(content.map(|content| ImportedFile { file_type, content }.digest()))
    }
}

#[cfg(test)]
mod tests;
