//! What the VAT register said of numbers, and what was known of the recipient of each document.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::Ts;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain_recipients::{Doubt, Evidence, Outcome, RecipientCheck, VatNumber};

/// In nobody's name.
const NOBODY: &str = "";

macro_rules! check_columns {
    () => {
        "vat_number, requester, outcome, doubt, checked_at, request_date, consultation_number, name, address"
    };
}

statements! {
    EVIDENCE = "SELECT valid, checked_at, request_date, consultation_number, name, address FROM recipient_evidence
        WHERE requester = $1 AND vat_number = $2";
    KEEP_EVIDENCE = "INSERT INTO recipient_evidence
            (requester, vat_number, valid, checked_at, request_date, consultation_number, name, address)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (requester, vat_number) DO UPDATE SET valid = excluded.valid, checked_at = excluded.checked_at,
            request_date = excluded.request_date, consultation_number = excluded.consultation_number,
            name = excluded.name, address = excluded.address";
    FIND = both concat!("SELECT ", check_columns!(), " FROM recipient_check WHERE document_id = $1");
    KEEP = both concat!("INSERT INTO recipient_check (document_id, workspace_id, ", check_columns!(), ") \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
        ON CONFLICT (document_id) DO UPDATE SET vat_number = excluded.vat_number, requester = excluded.requester, \
            outcome = excluded.outcome, doubt = excluded.doubt, checked_at = excluded.checked_at, \
            request_date = excluded.request_date, consultation_number = excluded.consultation_number, \
            name = excluded.name, address = excluded.address");
    // Of the number that was looked up, and not of one that the document got since.
    COMPLETE = "UPDATE recipient_check SET (outcome, doubt, checked_at, request_date, consultation_number, name, address)
            = ($3, $4, $5, $6, $7, $8, $9)
        WHERE document_id = $1 AND vat_number = $2 AND outcome = 'unknown'";
    FORGET = "DELETE FROM recipient_check WHERE document_id = $1";
}

#[derive(sqlx::FromRow)]
struct EvidenceRow {
    valid: bool,
    checked_at: Ts,
    request_date: String,
    consultation_number: Option<String>,
    name: Option<String>,
    address: Option<String>,
}

#[derive(sqlx::FromRow)]
struct CheckRow {
    vat_number: String,
    requester: Option<String>,
    outcome: String,
    doubt: Option<String>,
    checked_at: Ts,
    request_date: Option<String>,
    consultation_number: Option<String>,
    name: Option<String>,
    address: Option<String>,
}

/// A text that stands for nothing that is known.
#[derive(Debug, thiserror::Error)]
#[error("'{0}' is unknown")]
struct Unknown(String);

impl CheckRow {
    fn read(self, document: InvoiceId) -> Result<RecipientCheck, StoreError> {
        let unknown = |column, text: &str| {
            StoreError::from(Corrupt::new("recipient_check", document, column, Unknown(text.to_owned())))
        };
        let doubt = |code: &str| Doubt::parse(code).ok_or_else(|| unknown("doubt", code));
        Ok(RecipientCheck {
            outcome: Outcome::parse(&self.outcome).ok_or_else(|| unknown("outcome", &self.outcome))?,
            doubt: self.doubt.as_deref().map(doubt).transpose()?,
            vat_number: self.vat_number,
            requester: self.requester,
            checked_at: self.checked_at.0,
            request_date: self.request_date,
            consultation_number: self.consultation_number,
            name: self.name,
            address: self.address,
        })
    }
}

fn name_of(requester: Option<&VatNumber>) -> String {
    requester.map_or_else(|| NOBODY.to_owned(), ToString::to_string)
}

/// The newest answer about a number in somebody's name.
pub async fn evidence(
    on: impl Into<Executor<'_>>,
    number: &VatNumber,
    requester: Option<&VatNumber>,
) -> Result<Option<Evidence>, StoreError> {
    let key = params![name_of(requester), number.to_string()];
    let row: Option<EvidenceRow> = on.into().optional(&EVIDENCE, key).await?;
    Ok(row.map(|row| Evidence {
        number: number.clone(),
        requester: requester.cloned(),
        is_valid: row.valid,
        checked_at: row.checked_at.0,
        request_date: row.request_date,
        consultation_number: row.consultation_number,
        name: row.name,
        address: row.address,
    }))
}

/// Keeps an answer in the stead of an older one.
pub fn keep_evidence(tx: &mut Tx, evidence: &Evidence) {
    let Evidence {
        number,
        requester,
        is_valid,
        checked_at,
        request_date,
        consultation_number,
        name,
        address,
    } = evidence;
    let arguments = params![
        name_of(requester.as_ref()),
        number.to_string(),
        *is_valid,
        *checked_at,
        request_date.as_str(),
        consultation_number.as_deref(),
        name.as_deref(),
        address.as_deref()
    ];
    tx.execute_later(&KEEP_EVIDENCE, arguments);
}

/// What was known of the recipient of a document; the caller knows that whoever asks may see it.
pub async fn find(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
) -> Result<Option<RecipientCheck>, StoreError> {
    let row: Option<CheckRow> = on.into().optional(&FIND, params![document]).await?;
    row.map(|row| row.read(document)).transpose()
}

/// Keeps what is known of the recipient of a document that is about to be issued.
pub fn keep(tx: &mut Tx, document: InvoiceId, workspace: WorkspaceId, check: &RecipientCheck) {
    let RecipientCheck { vat_number, requester, outcome, doubt, checked_at, .. } = check;
    let arguments = params![
        document,
        workspace,
        vat_number.as_str(),
        requester.as_deref(),
        outcome.as_str(),
        doubt.map(Doubt::as_str),
        *checked_at,
        check.request_date.as_deref(),
        check.consultation_number.as_deref(),
        check.name.as_deref(),
        check.address.as_deref()
    ];
    tx.execute_later(&KEEP, arguments);
}

/// Completes an open check of a document with what came of asking again; nothing where it is not open any more.
pub fn complete(tx: &mut Tx, document: InvoiceId, check: &RecipientCheck) {
    let RecipientCheck { vat_number, outcome, doubt, checked_at, .. } = check;
    let arguments = params![
        document,
        vat_number.as_str(),
        outcome.as_str(),
        doubt.map(Doubt::as_str),
        *checked_at,
        check.request_date.as_deref(),
        check.consultation_number.as_deref(),
        check.name.as_deref(),
        check.address.as_deref()
    ];
    tx.execute_later(&COMPLETE, arguments);
}

/// A document whose recipient nobody checks has no check.
pub fn forget(tx: &mut Tx, document: InvoiceId) {
    tx.execute_later(&FORGET, params![document]);
}
