//! What is kept of documents on their way to a tax authority, in pages: for whoever checks that it is what was sent.

use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{Param, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::Acceptance;
use gateway_domain_finance::{
    AcceptedEvidence, Evidence, EvidenceBreak, NumberedDocument, Stage, StructuredEvidence,
};
use jiff::Timestamp;
use uuid::Uuid;

/// What the submission of a document adds to it, and the attempt that was begun with what is stored: the last one.
macro_rules! submitted {
    ($document:literal, $condition:literal) => {
        concat!(
            " LEFT JOIN submission s ON s.document_id = ",
            $document,
            $condition,
            " LEFT JOIN submission_attempt a ON a.document_id = s.document_id AND a.ordinal =
                (SELECT MAX(l.ordinal) FROM submission_attempt l WHERE l.document_id = s.document_id)"
        )
    };
}

macro_rules! submitted_columns {
    () => {
        "s.stage, s.plugin_key, s.plugin_version, s.structured, a.document_digest, a.entry_digest"
    };
}

macro_rules! hash {
    (pg) => {
        "(acceptance::jsonb ->> 'tax_system_hash')"
    };
    (sqlite) => {
        "(acceptance ->> 'tax_system_hash')"
    };
}

statements! {
    // The planner knows how many rows it is about, and so takes those that belong to them one by one.
    DOCUMENTS = both concat!("SELECT d.id, d.created_at, d.number, d.acceptance, n.invoice_id AS given_to, ", submitted_columns!(), "
        FROM invoice d LEFT JOIN invoice_number n ON n.workspace_id = d.workspace_id AND n.number = d.number", submitted!("d.id", ""), "
        WHERE d.workspace_id = $1 AND (d.created_at, d.id) > ($2, $3) AND d.number IS NOT NULL ORDER BY d.created_at, d.id LIMIT 64");
    // Of documents that are kept here the statement above reads what was sent.
    COPIES = both concat!("SELECT d.document_id AS id, d.created_at, d.number, i.id AS local, ", submitted_columns!(), "
        FROM finance_document d LEFT JOIN invoice i ON i.id = d.document_id", submitted!("d.document_id", " AND i.id IS NULL"), "
        WHERE d.workspace_id = $1 AND (d.created_at, d.document_id) > ($2, $3) ORDER BY d.created_at, d.document_id LIMIT 64");
    // The hashes are put in order by the database, which has room for that on its disk.
    REPEATED_HASH = each ["SELECT id, number, ", (hash! engine), " AS hash FROM invoice WHERE workspace_id = $1 AND ", (hash! engine), " =
            (SELECT ", (hash! engine), " FROM invoice WHERE workspace_id = $1 AND ", (hash! engine), " IS NOT NULL
                GROUP BY ", (hash! engine), " HAVING COUNT(*) > 1 ORDER BY MIN(number) LIMIT 1)
            ORDER BY number LIMIT 2"];
}

/// A place among documents: when one was made, then its id. Neither changes.
pub type EvidenceKey = (Timestamp, InvoiceId);

/// A document with a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedEvidence {
    /// Where it stands among the documents.
    pub key: EvidenceKey,
    /// What is kept of it.
    pub evidence: Evidence,
    /// Whom its number was given to; none where no series gave it.
    pub given_to: Option<InvoiceId>,
}

#[derive(sqlx::FromRow)]
struct DocumentRow {
    id: Id,
    created_at: Ts,
    number: String,
    acceptance: Option<String>,
    given_to: Option<Id>,
    #[sqlx(flatten)]
    submitted: SubmittedRow,
}

#[derive(sqlx::FromRow)]
struct CopyRow {
    id: Id,
    created_at: Ts,
    number: Option<String>,
    local: Option<Id>,
    #[sqlx(flatten)]
    submitted: SubmittedRow,
}

#[derive(sqlx::FromRow)]
struct SubmittedRow {
    stage: Option<String>,
    plugin_key: Option<String>,
    plugin_version: Option<String>,
    structured: Option<String>,
    document_digest: Option<String>,
    entry_digest: Option<String>,
}

#[derive(sqlx::FromRow)]
struct RepeatedRow {
    id: Id,
    number: String,
    hash: String,
}

impl SubmittedRow {
    /// What is kept of a document, with the proof of its acceptance as JSON.
    fn evidence(self, document: NumberedDocument, acceptance: Option<&str>) -> Result<Evidence, Corrupt> {
        let Self { stage, plugin_key, plugin_version, structured, document_digest, entry_digest } = self;
        let structured =
            structured.map(|structured| StructuredEvidence { structured, document_digest, entry_digest });
        let by_system = stage.as_deref() == Some(Stage::Accepted.as_str());
        let accepted = match (plugin_key.zip(plugin_version), acceptance) {
            (Some((key, version)), Some(acceptance)) if by_system => {
                let read = serde_json::from_str(acceptance);
                let proof: Acceptance =
                    read.map_err(|error| Corrupt::new("invoice", document.id, "acceptance", error))?;
                Some(AcceptedEvidence { system: format!("{key}@{version}"), hash: proof.tax_system_hash })
            }
            _ => None,
        };
        Ok(Evidence { document, structured, accepted })
    }
}

/// What stands behind a place.
fn behind(workspace: WorkspaceId, after: Option<EvidenceKey>) -> Vec<Param> {
    let (at, id) = after.map_or((Timestamp::UNIX_EPOCH, Uuid::nil()), |(at, id)| (at, id.0));
    params![workspace, at, id]
}

/// Documents of a workspace that carry a number, the oldest first: a page of those after one, none behind the last.
pub async fn documents(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    after: Option<EvidenceKey>,
) -> Result<Vec<IssuedEvidence>, StoreError> {
    let rows: Vec<DocumentRow> = on.into().all(&DOCUMENTS, behind(workspace, after)).await?;
    let document = |row: DocumentRow| {
        let DocumentRow { id, created_at, number, acceptance, given_to, submitted } = row;
        let id = InvoiceId(id.0);
        let evidence = submitted.evidence(NumberedDocument { id, number }, acceptance.as_deref())?;
        let given_to = given_to.map(|id| InvoiceId(id.0));
        Ok::<_, Corrupt>(IssuedEvidence { key: (created_at.0, id), evidence, given_to })
    };
    Ok(rows.into_iter().map(document).collect::<Result<_, _>>()?)
}

/// A copy of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedEvidence {
    /// Where it stands among the copies.
    pub key: EvidenceKey,
    /// What is kept of the document, where another service keeps the document itself.
    pub evidence: Option<Evidence>,
}

/// Finance's copies of the documents of a workspace, the oldest first: a page of those after one, none behind the last.
pub async fn copies(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    after: Option<EvidenceKey>,
) -> Result<Vec<CopiedEvidence>, StoreError> {
    let rows: Vec<CopyRow> = on.into().all(&COPIES, behind(workspace, after)).await?;
    let copy = |row: CopyRow| {
        let CopyRow { id, created_at, number, local, submitted } = row;
        let id = InvoiceId(id.0);
        let document = NumberedDocument { id, number: number.unwrap_or_default() };
        let evidence = if local.is_some() { None } else { Some(submitted.evidence(document, None)?) };
        Ok::<_, Corrupt>(CopiedEvidence { key: (created_at.0, id), evidence })
    };
    Ok(rows.into_iter().map(copy).collect::<Result<_, _>>()?)
}

/// Two documents of a workspace that carry the same hash of their tax system, if there are any.
pub async fn repeated_hash(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
) -> Result<Option<EvidenceBreak>, StoreError> {
    let rows: Vec<RepeatedRow> = on.into().all(&REPEATED_HASH, params![workspace]).await?;
    let document =
        |row: RepeatedRow| (NumberedDocument { id: InvoiceId(row.id.0), number: row.number }, row.hash);
    let mut documents = rows.into_iter().map(document);
    let pair = documents.next().zip(documents.next());
    Ok(pair.map(|((first, hash), (second, _))| EvidenceBreak::HashRepeated { first, second, hash }))
}
