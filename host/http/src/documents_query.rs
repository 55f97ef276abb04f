//! What a list of documents is asked for by: over the RPC, and in the console.

use crate::errors::ApiErrors;
use crate::json::refuse;
use crate::query::{self, Params};
use axum::http::StatusCode;
use gateway_domain::ErrorCode;
use gateway_domain::ids::BookingId;
use gateway_domain::invoicing::{
    DocumentFilter, DocumentKind, DocumentOrder, DocumentPageKey, GrossRange, IssuePeriod, RecipientSearch,
    Status,
};
use gateway_domain::money::Amount;
use jiff::Timestamp;
use jiff::civil::Date;
use utoipa::IntoParams;

/// The parameters, as they are documented.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes what DocumentsQuery reads")]
pub struct DocumentParameters {
    /// Only documents of this workspace.
    #[param(required = false, example = 1)]
    workspace_id: i64,
    /// Only documents in this state.
    #[param(required = false)]
    status: Status,
    /// Only documents of this kind.
    #[param(required = false)]
    document_type: DocumentKind,
    /// Only documents of this booking.
    #[param(value_type = Uuid, required = false)]
    booking_id: BookingId,
    /// Only the document of this number.
    #[param(required = false)]
    number: String,
    /// Only documents for such a recipient: each word begins a word of the name, in any order, whatever the case and the
    /// accents. What has a digit is taken as a whole, and begins the tax id or the name.
    #[param(required = false, example = "roe")]
    recipient: String,
    /// First `issue_date`, inclusive.
    #[param(value_type = String, required = false, format = Date, example = "2026-11-01")]
    issued_from: Date,
    /// Last `issue_date`, inclusive.
    #[param(value_type = String, required = false, format = Date, example = "2026-11-30")]
    issued_to: Date,
    /// Least gross, inclusive, whatever the currency; at most four decimals.
    #[param(value_type = String, required = false, example = "100.00")]
    gross_from: Amount,
    /// Greatest gross, inclusive, whatever the currency; at most four decimals.
    #[param(value_type = String, required = false, example = "500.00")]
    gross_to: Amount,
    /// Only documents that the tax authority accepted with remarks, which it calls errors.
    #[param(required = false)]
    accepted_with_errors: bool,
    /// Only documents that changed after this time.
    #[param(value_type = String, required = false, format = DateTime)]
    updated_after: Timestamp,
    /// Which come first: those that were made first (`created`), or last (`-created`).
    #[param(required = false, pattern = "^-?created$", default = "created")]
    sort: String,
    /// How many; above 25 is taken as 25.
    #[param(required = false, minimum = 1, default = 25, example = 25)]
    first: usize,
    /// The `end_cursor` of the page before.
    #[param(required = false)]
    after: String,
}

const NAMES: [&str; 15] = [
    "workspace_id",
    "status",
    "document_type",
    "booking_id",
    "number",
    "recipient",
    "issued_from",
    "issued_to",
    "gross_from",
    "gross_to",
    "accepted_with_errors",
    "updated_after",
    "sort",
    "first",
    "after",
];

/// Which documents are asked for.
#[derive(Debug)]
pub struct DocumentsQuery {
    pub filter: DocumentFilter,
    pub first: usize,
    pub after: Option<DocumentPageKey>,
}

impl DocumentsQuery {
    pub fn read(params: &Params) -> Result<Self, ApiErrors> {
        params.only(&NAMES)?;
        let day = |name| params.parse(name, "use a date as YYYY-MM-DD", query::date);
        let amount = |name| {
            params.parse(
                name,
                "use an amount such as 100.00, with at most four decimals",
                GrossRange::parse_end,
            )
        };
        let issued = IssuePeriod { from: day("issued_from")?, to: day("issued_to")? };
        let gross = GrossRange { from: amount("gross_from")?, to: amount("gross_to")? };
        if issued.is_backwards() {
            return Err(swapped("issued_to", "is before 'issued_from': swap the two"));
        }
        if gross.is_backwards() {
            return Err(swapped("gross_to", "is less than 'gross_from': swap the two"));
        }
        let kinds = "use invoice, credit_note, proforma or receipt";
        let sort = params.parse("sort", "use created or -created", DocumentOrder::parse)?;
        let filter = DocumentFilter {
            workspace: params.parse("workspace_id", "use the number of a workspace", query::workspace)?,
            status: params.parse("status", "use draft, issuing, issued or rejected", Status::parse)?,
            booking: params.parse("booking_id", "use a UUID", |text| text.parse().ok())?,
            number: params.text("number"),
            number_prefix: None,
            updated_after: params
                .parse("updated_after", "use a time as RFC 3339", |text| text.parse().ok())?,
            document_type: params.parse("document_type", kinds, DocumentKind::parse)?,
            issued,
            gross,
            recipient: params.parse("recipient", "use letters or digits", RecipientSearch::parse)?,
            // A form sends what nobody chose as an empty text, as it does with every other filter.
            accepted_with_errors: params.text("accepted_with_errors").is_some()
                && params.flag("accepted_with_errors")?,
            order: sort.unwrap_or_default(),
        };
        let after = params.parse("after", "use the end_cursor of a page", query::page_key)?;
        Ok(Self { filter, first: params.first()?, after })
    }
}

fn swapped(field: &str, sentence: &str) -> ApiErrors {
    refuse(StatusCode::UNPROCESSABLE_ENTITY, field, ErrorCode::EndBeforeStart, sentence)
}
