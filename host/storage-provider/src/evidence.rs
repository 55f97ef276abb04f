//! What is kept of documents on their way to a tax authority, in pages: for whoever checks that it is what was sent.

use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{Sql, ids, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::Acceptance;
use gateway_domain::regime::RegimeKey;
use gateway_domain_evidence::{
    AcceptedEvidence, Evidence, EvidenceBreak, EvidenceKey, NumberedDocument, StoredEvidence,
    StructuredEvidence,
};
use gateway_domain_finance::{AuthorityRecord, Stage};
use jiff::Timestamp;
use uuid::Uuid;

/// What the submission of a document adds to it, and the attempt that was begun with what is stored: the last one. An amendment has
/// what it sends with itself until the authority accepts it.
macro_rules! submitted {
    ($document:literal, $condition:literal) => {
        concat!(
            " LEFT JOIN submission s ON s.document_id = ",
            $document,
            $condition,
            " LEFT JOIN submission_attempt a ON a.document_id = s.document_id AND a.ordinal =
                (SELECT MAX(l.ordinal) FROM submission_attempt l WHERE l.document_id = s.document_id
                    AND NOT EXISTS (SELECT 1 FROM amendment m WHERE m.job_id = l.job_id AND m.state <> 'accepted'))"
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
    DOCUMENTS = both concat!("SELECT d.id, d.created_at, d.number, d.acceptance, COALESCE(n.invoice_id, CASE WHEN d.imported IS NOT NULL THEN
            (SELECT c.invoice_id FROM issuer_number c WHERE c.invoice_id = d.id AND c.number = d.number LIMIT 1) END) AS given_to, ", submitted_columns!(), "
        FROM invoice d LEFT JOIN invoice_number n ON n.workspace_id = d.workspace_id AND n.number = d.number", submitted!("d.id", ""), "
        WHERE d.workspace_id = $1 AND (d.created_at, d.id) > ($2, $3) AND d.number IS NOT NULL ORDER BY d.created_at, d.id LIMIT 64");
    // Of documents that are kept here the statement above reads what was sent.
    COPIES = both concat!("SELECT d.document_id AS id, d.created_at, d.number, CAST(NULL AS TEXT) AS acceptance, i.id AS given_to, ",
        submitted_columns!(), "
        FROM finance_document d LEFT JOIN invoice i ON i.id = d.document_id", submitted!("d.document_id", " AND i.id IS NULL"), "
        WHERE d.workspace_id = $1 AND (d.created_at, d.document_id) > ($2, $3) AND d.number IS NOT NULL
        ORDER BY d.created_at, d.document_id LIMIT 64");
    MESSAGES = each ["SELECT a.document_id, a.plugin_key, a.authority_record, m.body
        FROM submission_attempt a LEFT JOIN submission_message m ON m.job_id = a.job_id
        WHERE ", (among "a.document_id", "$1"), " ORDER BY a.document_id, a.ordinal"];
    // The hashes are put in order by the database, which has room for that on its disk.
    REPEATED_HASH = each ["SELECT id, number, ", (hash! engine), " AS hash FROM invoice WHERE workspace_id = $1 AND ", (hash! engine), " =
            (SELECT ", (hash! engine), " FROM invoice WHERE workspace_id = $1 AND ", (hash! engine), " IS NOT NULL
                GROUP BY ", (hash! engine), " HAVING COUNT(*) > 1 ORDER BY MIN(number) LIMIT 1)
            ORDER BY number LIMIT 2"];
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Id,
    created_at: Ts,
    number: String,
    acceptance: Option<String>,
    given_to: Option<Id>,
    stage: Option<String>,
    plugin_key: Option<String>,
    plugin_version: Option<String>,
    structured: Option<String>,
    document_digest: Option<String>,
    entry_digest: Option<String>,
}

impl TryFrom<Row> for StoredEvidence {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let Row { document_digest, entry_digest, .. } = row;
        let id = InvoiceId(row.id.0);
        let structured =
            row.structured.map(|structured| StructuredEvidence { structured, document_digest, entry_digest });
        let by_system = row.stage.as_deref() == Some(Stage::Accepted.as_str());
        let accepted = match (row.plugin_key.zip(row.plugin_version), row.acceptance) {
            (Some((key, version)), Some(acceptance)) if by_system => {
                let proof: Acceptance = serde_json::from_str(&acceptance)
                    .map_err(|error| Corrupt::new("invoice", id, "acceptance", error))?;
                Some(AcceptedEvidence { system: format!("{key}@{version}"), hash: proof.tax_system_hash })
            }
            _ => None,
        };
        let document = NumberedDocument { id, number: row.number };
        let (key, given_to) = ((row.created_at.0, id), row.given_to.map(|id| InvoiceId(id.0)));
        Ok(Self { key, evidence: Evidence { document, structured, accepted }, given_to })
    }
}

async fn page(
    on: Executor<'_>,
    sql: &Sql,
    workspace: WorkspaceId,
    after: Option<EvidenceKey>,
) -> Result<Vec<StoredEvidence>, StoreError> {
    let (at, id) = after.unwrap_or((Timestamp::UNIX_EPOCH, InvoiceId(Uuid::nil())));
    let rows: Vec<Row> = on.all(sql, params![workspace, at, id]).await?;
    Ok(rows.into_iter().map(StoredEvidence::try_from).collect::<Result<_, _>>()?)
}

/// Documents of a workspace that carry a number, the oldest first: a page of those after one, none behind the last.
pub async fn documents(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    after: Option<EvidenceKey>,
) -> Result<Vec<StoredEvidence>, StoreError> {
    page(on.into(), &DOCUMENTS, workspace, after).await
}

/// Finance's copies of the documents of a workspace, likewise. What was sent is only read of documents that another service
/// keeps.
pub async fn copies(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    after: Option<EvidenceKey>,
) -> Result<Vec<StoredEvidence>, StoreError> {
    page(on.into(), &COPIES, workspace, after).await
}

/// What an attempt sent to the tax authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// The document that it reports.
    pub document: InvoiceId,
    /// The tax system; none of an attempt that ended before its plugin was known.
    pub regime: Option<RegimeKey>,
    /// Whether the authority accepted it.
    pub is_accepted: bool,
    /// The message; none where the provider showed none, or where it left the database.
    pub body: Option<String>,
}

#[derive(sqlx::FromRow)]
struct SentRow {
    document_id: Id,
    plugin_key: Option<String>,
    authority_record: Option<String>,
    body: Option<String>,
}

impl TryFrom<SentRow> for SentMessage {
    type Error = Corrupt;

    fn try_from(row: SentRow) -> Result<Self, Corrupt> {
        let SentRow { document_id, plugin_key, authority_record, body } = row;
        let regime = plugin_key
            .map(RegimeKey::try_from)
            .transpose()
            .map_err(|error| Corrupt::new("submission_attempt", document_id.0, "plugin_key", error))?;
        let is_accepted = authority_record.as_deref() == Some(AuthorityRecord::Accepted.as_str());
        Ok(Self { document: InvoiceId(document_id.0), regime, is_accepted, body })
    }
}

/// Everything that was sent to the tax authority of documents, document by document in the order of the attempts.
pub async fn messages(
    on: impl Into<Executor<'_>>,
    documents: &[InvoiceId],
) -> Result<Vec<SentMessage>, StoreError> {
    let rows: Vec<SentRow> = on.into().all(&MESSAGES, vec![ids(documents)]).await?;
    Ok(rows.into_iter().map(SentMessage::try_from).collect::<Result<_, _>>()?)
}

/// Two documents of a workspace that carry the same hash of their tax system, if there are any.
pub async fn repeated_hash(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
) -> Result<Option<EvidenceBreak>, StoreError> {
    let rows: Vec<(Id, String, String)> = on.into().all(&REPEATED_HASH, params![workspace]).await?;
    let document = |(id, number, hash): (Id, _, _)| (NumberedDocument { id: InvoiceId(id.0), number }, hash);
    let mut documents = rows.into_iter().map(document);
    let pair = documents.next().zip(documents.next());
    Ok(pair.map(|((first, hash), (second, _))| EvidenceBreak::HashRepeated { first, second, hash }))
}
