//! A list of documents as one stream, sent page by page while it is read: JSON, one document a line, or CSV.

use crate::errors::ApiError;
use crate::errors::refuse;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::stream;
use gateway_domain::access::Acting;
use gateway_domain::invoicing::{DocumentFilter, DocumentPageKey, Invoice, Recipient};
use gateway_domain::{ErrorCode, StoreError};
use gateway_http::accept::Accept;
use gateway_invoicing::{DocumentView, Documents};
use serde::Serialize;
use std::borrow::Cow;

pub(super) const JSON: &str = "application/json";
pub(super) const NDJSON: &str = "application/x-ndjson";
pub(super) const CSV: &str = "text/csv";
const CSV_IN_UTF8: &str = "text/csv; charset=utf-8; header=present";

/// Documents held in memory at once, at most.
const PAGE: usize = 100;

gateway_http::refusals! {
    /// A list is none of the media types that the client takes.
    NoSuchList: ("accept", NotAcceptable, "a list is application/json, application/x-ndjson or text/csv: take one of them");
}

/// How a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListFormat {
    /// A page of JSON.
    Page,
    /// All of it, a document a line.
    Lines,
    /// All of it, a document a row.
    Rows,
}

impl ListFormat {
    /// What the client would rather have; a page when it does not care.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, ApiError> {
        let accept = Accept::of(headers);
        let offered = [(Self::Rows, CSV), (Self::Lines, NDJSON), (Self::Page, JSON)];
        let liked = offered.into_iter().filter_map(|(format, name)| Some((accept.preference(name)?, format)));
        // Of equals the last one is taken.
        liked.max_by_key(|(preference, _)| *preference).map(|(_, format)| format).ok_or_else(|| {
            let sentence = "a list is application/json, application/x-ndjson or text/csv: take one of them";
            refuse(StatusCode::NOT_ACCEPTABLE, "accept", ErrorCode::NotAcceptable, sentence)
        })
    }
}

/// What breaks an answer off after its beginning.
#[derive(Debug, thiserror::Error)]
pub(super) enum StreamError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

/// A list under way.
struct Listing {
    documents: Documents,
    acting: Acting,
    filter: DocumentFilter,
    is_csv: bool,
    /// Where the next page begins; none behind the last one.
    after: Option<DocumentPageKey>,
    /// Whether nothing was written yet.
    is_new: bool,
}

impl Listing {
    async fn page(&mut self) -> Result<Vec<Invoice>, StoreError> {
        let page = self.documents.listed(&self.acting, &self.filter, self.after, PAGE).await?;
        self.after = page.last().filter(|_| page.len() >= PAGE).map(|last| (last.created_at, last.id));
        Ok(page)
    }

    async fn write(&mut self, page: &[Invoice]) -> Result<Vec<u8>, StreamError> {
        let with_header = std::mem::take(&mut self.is_new);
        if !self.is_csv {
            return json_lines(&self.documents, page).await;
        }
        let mut rows = csv::WriterBuilder::new()
            .has_headers(false)
            .terminator(csv::Terminator::CRLF)
            .from_writer(Vec::new());
        if with_header {
            rows.write_record(Row::COLUMNS)?;
        }
        for invoice in page {
            rows.serialize(Row::of(invoice))?;
        }
        rows.into_inner().map_err(|error| csv::Error::from(std::io::Error::from(error.error().kind())).into())
    }
}

/// Documents with what is left of each, one a line.
pub(super) async fn json_lines(documents: &Documents, page: &[Invoice]) -> Result<Vec<u8>, StreamError> {
    let balances = documents.balances(page).await?;
    let mut lines = Vec::new();
    for invoice in page {
        let Some(balance) = balances.get(&invoice.id) else { continue };
        serde_json::to_writer(&mut lines, &DocumentView::with_balance(invoice, balance))?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// The whole list, in its order. A connection that breaks before the end breaks off the answer, so a reader who got its end got
/// everything.
pub(super) async fn answer(
    documents: Documents,
    acting: Acting,
    filter: DocumentFilter,
    format: ListFormat,
) -> Result<Response, ApiError> {
    let is_csv = format == ListFormat::Rows;
    let mut listing = Listing { documents, acting, filter, is_csv, after: None, is_new: true };
    // Read before the answer begins, so that a database that is away is told by the status.
    let first = listing.page().await.map_err(ApiError::internal)?;
    let pages = stream::try_unfold(Some((first, listing)), |state| async move {
        let Some((page, mut listing)) = state else { return Ok(None) };
        let written = listing.write(&page).await?;
        let next =
            if listing.after.is_some() { Some((following(&mut listing).await?, listing)) } else { None };
        Ok::<_, StreamError>(Some((written, next)))
    });
    let media_type = if is_csv { CSV_IN_UTF8 } else { NDJSON };
    let headers = [(header::CONTENT_TYPE, media_type), (header::VARY, "accept")];
    Ok((headers, Body::from_stream(pages)).into_response())
}

async fn following(listing: &mut Listing) -> Result<Vec<Invoice>, StoreError> {
    let page = listing.page().await;
    page.inspect_err(|error| {
        tracing::error!(
            error = error as &dyn std::error::Error,
            "A list of documents was broken off: {error}"
        );
    })
}

/// A document as a row (RFC 4180). Amounts are decimals of the currency, times are UTC.
#[derive(Debug, Serialize)]
struct Row<'a> {
    id: String,
    workspace_id: i64,
    document_type: &'a str,
    status: &'a str,
    number: &'a str,
    issue_date: String,
    recipient: Cow<'a, str>,
    recipient_tax_id: Cow<'a, str>,
    currency: &'a str,
    net: String,
    tax: String,
    gross: String,
    retained: String,
    payable: String,
    booking_id: String,
    created_at: String,
    updated_at: String,
}

impl<'a> Row<'a> {
    const COLUMNS: [&'static str; 17] = [
        "id",
        "workspace_id",
        "document_type",
        "status",
        "number",
        "issue_date",
        "recipient",
        "recipient_tax_id",
        "currency",
        "net",
        "tax",
        "gross",
        "retained",
        "payable",
        "booking_id",
        "created_at",
        "updated_at",
    ];

    fn of(invoice: &'a Invoice) -> Self {
        let (content, totals) = (&invoice.content, &invoice.totals);
        let recipient = content.recipient.as_ref();
        Self {
            id: invoice.id.to_string(),
            workspace_id: invoice.workspace.0,
            document_type: content.document_type.as_str(),
            status: invoice.state.status().as_str(),
            number: invoice.state.number().map_or("", |number| &number.0),
            issue_date: content.issue_date.map(|date| date.to_string()).unwrap_or_default(),
            recipient: cell(recipient.map_or("", Recipient::name)),
            recipient_tax_id: cell(recipient.and_then(Recipient::tax_id).unwrap_or_default()),
            currency: &content.currency,
            net: totals.net.to_string(),
            tax: totals.tax.to_string(),
            gross: totals.gross.to_string(),
            retained: totals.retained.to_string(),
            payable: totals.payable.to_string(),
            booking_id: content.booking_id.map(|id| id.to_string()).unwrap_or_default(),
            created_at: invoice.created_at.to_string(),
            updated_at: invoice.updated_at.to_string(),
        }
    }
}

/// Spreadsheets take a text that begins like this for a formula, and run it; an apostrophe before it says that it is a text.
fn cell(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(accept: Option<&'static str>) -> Option<ListFormat> {
        let mut headers = HeaderMap::new();
        headers.extend(accept.map(|accept| (header::ACCEPT, accept.parse().unwrap())));
        ListFormat::of(&headers).ok()
    }

    #[test]
    fn a_client_gets_what_it_would_rather_have_and_a_page_if_it_does_not_care() {
        for (accept, format) in [
            (None, ListFormat::Page),
            (Some("*/*"), ListFormat::Page),
            (Some("application/json"), ListFormat::Page),
            (Some("application/x-ndjson"), ListFormat::Lines),
            (Some("text/csv"), ListFormat::Rows),
            (Some("text/*"), ListFormat::Rows),
            (Some("text/csv;q=0.5, application/x-ndjson"), ListFormat::Lines),
            (Some("text/csv, */*;q=0.1"), ListFormat::Rows),
        ] {
            assert_eq!(chosen(accept), Some(format), "{accept:?}");
        }
        assert_eq!(chosen(Some("application/pdf")), None);
    }

    #[test]
    fn no_text_is_taken_for_a_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"] {
            assert_eq!(cell(text), format!("'{text}"));
        }
        assert_eq!(cell("Jane = Roe"), "Jane = Roe");
    }
}
