//! A document read back from the JSON in which the invoice data service shows it.
//!
//! The content passes the same checks as a form, and its figures are computed anew: a service that states other figures
//! is not believed, because nothing may be sent to a tax authority that the gateway cannot account for.

use super::{DocumentForm, IssuedDocumentForm, TaxCheck};
use gateway_domain::FieldError;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    Acceptance, Content, ImportOrigin, Invoice, InvoiceNumber, State, Status, Totals,
};
use gateway_domain::money::{Amount, Rounding};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What is no document, or not one that the gateway can account for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{member} of the document: {detail}")]
pub struct NotADocument {
    /// Path such as `totals.net` or `lines[0].tax`; `base` for the document as a whole.
    pub member: String,
    /// What is wrong with it.
    pub detail: String,
}

impl NotADocument {
    fn new(member: &str, detail: impl Into<String>) -> Self {
        Self { member: member.to_owned(), detail: detail.into() }
    }
}

/// Everything that is not the form's. Unknown members are left alone: another service may have more of them.
#[derive(Deserialize)]
struct DocumentBody {
    uuid: InvoiceId,
    status: Status,
    display_document_number: Option<String>,
    display_invoice_number: Option<String>,
    #[serde(default)]
    send_to_tax_authority: bool,
    issuing_at: Option<Timestamp>,
    issued_at: Option<Timestamp>,
    rejected_by_tax_authority_at: Option<Timestamp>,
    rejection_reason: Option<String>,
    acceptance: Option<Acceptance>,
    imported: Option<Box<ImportOrigin>>,
    totals: TotalsBody,
    version: i64,
    /// The contract does not name these two: a service need not tell them.
    #[serde(default)]
    created_at: Timestamp,
    updated_at: Option<Timestamp>,
}

#[derive(Deserialize)]
struct TotalsBody {
    #[serde(default)]
    rounding: Rounding,
    net: Amount,
    tax: Amount,
    gross: Amount,
    retained: Amount,
    payable: Amount,
}

/// The document that `body` shows.
///
/// # Errors
/// The first member that no document has in this form, or whose figure the gateway computes otherwise.
pub fn invoice_from_body(body: &Value) -> Result<Invoice, NotADocument> {
    let Value::Object(members) = body else {
        return Err(NotADocument::new("base", "it is no JSON object"));
    };
    let rest: DocumentBody =
        serde_path_to_error::deserialize(body).map_err(|error| match error.path().to_string().as_str() {
            "." => NotADocument::new("base", "it lacks a member that every document has"),
            member => NotADocument::new(member, "it has another form than in a document"),
        })?;
    let form = form(members)?;
    let workspace = form.workspace().map_err(from_field_error)?;
    let content = form.check(TaxCheck::Syntax).map_err(first_error)?;
    let totals = checked_totals(&content, &rest.totals)?;
    Ok(Invoice {
        id: rest.uuid,
        workspace,
        content,
        totals,
        send_to_tax_authority: rest.send_to_tax_authority,
        version: rest.version,
        created_at: rest.created_at,
        updated_at: rest.updated_at.unwrap_or_else(|| last_known(&rest)),
        state: state(rest)?,
    })
}

/// When a document was last changed, as far as it is known: its state says since when it holds.
fn last_known(body: &DocumentBody) -> Timestamp {
    let known = [body.issuing_at, body.issued_at, body.rejected_by_tax_authority_at];
    known.into_iter().flatten().fold(body.created_at, Timestamp::max)
}

fn form(members: &Map<String, Value>) -> Result<DocumentForm, NotADocument> {
    let members_of_form = IssuedDocumentForm::OF_DOCUMENT
        .iter()
        .filter_map(|name| members.get(*name).map(|value| ((*name).to_owned(), value.clone())));
    serde_json::from_value(Value::Object(members_of_form.collect()))
        .map_err(|error| NotADocument::new("base", error.to_string()))
}

fn from_field_error(error: FieldError) -> NotADocument {
    NotADocument { member: error.field, detail: error.message }
}

fn first_error(errors: Vec<FieldError>) -> NotADocument {
    errors.into_iter().next().map_or_else(|| NotADocument::new("base", "it has mistakes"), from_field_error)
}

fn checked_totals(content: &Content, body_totals: &TotalsBody) -> Result<Totals, NotADocument> {
    let totals = Totals::rounded(content, body_totals.rounding);
    let totals = totals.map_err(|error| NotADocument::new("totals", error.to_string()))?;
    let figures = [
        ("totals.net", body_totals.net, totals.net),
        ("totals.tax", body_totals.tax, totals.tax),
        ("totals.gross", body_totals.gross, totals.gross),
        ("totals.retained", body_totals.retained, totals.retained),
        ("totals.payable", body_totals.payable, totals.payable),
    ];
    match figures.into_iter().find(|(_, theirs, ours)| !theirs.same_value(*ours)) {
        Some((member, theirs, ours)) => {
            Err(NotADocument::new(member, format!("it states {theirs}, and its lines come to {ours}")))
        }
        None => Ok(totals),
    }
}

fn state(body: DocumentBody) -> Result<State, NotADocument> {
    let missing = |member| move || NotADocument::new(member, "it is missing in this state");
    let number = body.display_invoice_number.or(body.display_document_number).map(InvoiceNumber);
    let number = || number.ok_or_else(missing("display_invoice_number"));
    Ok(match body.status {
        Status::Draft => State::Draft,
        Status::Issuing => {
            State::Issuing { number: number()?, since: body.issuing_at.ok_or_else(missing("issuing_at"))? }
        }
        Status::Issued => State::Issued {
            number: number()?,
            at: body.issued_at.ok_or_else(missing("issued_at"))?,
            acceptance: body.acceptance,
            imported: body.imported,
        },
        Status::Rejected => State::Rejected {
            number: number()?,
            at: body.rejected_by_tax_authority_at.ok_or_else(missing("rejected_by_tax_authority_at"))?,
            reason: body.rejection_reason.ok_or_else(missing("rejection_reason"))?,
        },
    })
}
