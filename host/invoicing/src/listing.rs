//! Documents as files: JSON, one document a line, or CSV, made page by page while it is read.

use crate::Documents;
use crate::view::DocumentView;
use async_trait::async_trait;
use futures::stream::{self, Stream};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Balance, DocumentFilter, DocumentPageKey, Invoice, Recipient};
use gateway_domain::money::Amount;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Documents held in memory at once, at most.
const PAGE: usize = 100;

/// How a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingFormat {
    /// JSON, a document a line.
    Lines,
    /// CSV (RFC 4180), a document a row, after a header.
    Rows,
}

impl ListingFormat {
    /// With its parameters.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Lines => "application/x-ndjson",
            Self::Rows => "text/csv; charset=utf-8; header=present",
        }
    }
}

/// What breaks a list off.
#[derive(Debug, thiserror::Error)]
pub enum ListingError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Csv(#[from] csv::Error),
}

/// Where the documents of a list come from.
#[async_trait]
pub trait ListedDocuments: fmt::Debug + Send + Sync {
    /// At most `limit` documents after a place.
    async fn listed(
        &self,
        acting: &Acting,
        filter: &DocumentFilter,
        after: Option<DocumentPageKey>,
        limit: usize,
    ) -> Result<Vec<Invoice>, StoreError>;

    /// What is left of each, as far as that is known.
    async fn balances(&self, documents: &[Invoice]) -> Result<HashMap<InvoiceId, Balance>, StoreError>;
}

#[async_trait]
impl ListedDocuments for Documents {
    async fn listed(
        &self,
        acting: &Acting,
        filter: &DocumentFilter,
        after: Option<DocumentPageKey>,
        limit: usize,
    ) -> Result<Vec<Invoice>, StoreError> {
        Self::listed(self, acting, filter, after, limit).await
    }

    async fn balances(&self, documents: &[Invoice]) -> Result<HashMap<InvoiceId, Balance>, StoreError> {
        Self::balances(self, documents).await
    }
}

/// A whole list in its order, part by part.
#[derive(Debug)]
pub struct Listing {
    documents: Arc<dyn ListedDocuments>,
    acting: Acting,
    filter: DocumentFilter,
    format: ListingFormat,
    next: NextPage,
}

/// Which page comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NextPage {
    First,
    After(DocumentPageKey),
    None,
}

impl Listing {
    /// A list of these documents.
    pub fn new(
        documents: Arc<dyn ListedDocuments>,
        acting: Acting,
        filter: DocumentFilter,
        format: ListingFormat,
    ) -> Self {
        Self { documents, acting, filter, format, next: NextPage::First }
    }

    /// Its parts, of which any may be empty. The first one is read before they begin, so that a database that is away is told
    /// instead of them; what breaks the list off later is logged here.
    pub async fn into_parts(
        mut self,
    ) -> Result<impl Stream<Item = Result<Vec<u8>, ListingError>> + Send + 'static, ListingError> {
        let first = self.next().await?;
        Ok(stream::try_unfold((first, self), |(part, mut listing)| async move {
            let Some(part) = part else { return Ok(None) };
            let next = listing.next().await?;
            Ok(Some((part, (next, listing))))
        }))
    }

    async fn next(&mut self) -> Result<Option<Vec<u8>>, ListingError> {
        let (after, is_first) = match self.next {
            NextPage::First => (None, true),
            NextPage::After(key) => (Some(key), false),
            NextPage::None => return Ok(None),
        };
        let part = self.part(after, is_first).await;
        part.map(Some).inspect_err(|error| {
            tracing::error!(
                error = error as &dyn std::error::Error,
                "A list of documents was broken off: {error}"
            );
        })
    }

    async fn part(
        &mut self,
        after: Option<DocumentPageKey>,
        is_first: bool,
    ) -> Result<Vec<u8>, ListingError> {
        let page = self.documents.listed(&self.acting, &self.filter, after, PAGE).await?;
        let last = page.last().filter(|_| page.len() >= PAGE);
        self.next = last.map_or(NextPage::None, |last| NextPage::After((last.created_at, last.id)));
        match self.format {
            ListingFormat::Lines => json_lines(self.documents.as_ref(), &page).await,
            ListingFormat::Rows => rows(self.documents.as_ref(), &page, is_first).await,
        }
    }
}

/// Documents with what is left of each, a row each.
async fn rows(
    documents: &dyn ListedDocuments,
    page: &[Invoice],
    with_header: bool,
) -> Result<Vec<u8>, ListingError> {
    let balances = documents.balances(page).await?;
    let mut rows = csv::WriterBuilder::new()
        .has_headers(false)
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    if with_header {
        rows.write_record(Row::COLUMNS)?;
    }
    for invoice in page {
        rows.serialize(Row::of(invoice, balances.get(&invoice.id)))?;
    }
    rows.into_inner().map_err(|error| csv::Error::from(std::io::Error::from(error.error().kind())).into())
}

/// Documents with what is left of each, one a line.
pub async fn json_lines(documents: &dyn ListedDocuments, page: &[Invoice]) -> Result<Vec<u8>, ListingError> {
    let balances = documents.balances(page).await?;
    let mut lines = Vec::new();
    for invoice in page {
        let view = balances.get(&invoice.id).map(|balance| DocumentView::with_balance(invoice, balance));
        serde_json::to_writer(&mut lines, &view.unwrap_or_else(|| DocumentView::from(invoice)))?;
        lines.push(b'\n');
    }
    Ok(lines)
}

/// A document as a row (RFC 4180). Amounts are decimals of the currency, times are UTC. Programs read columns by their place:
/// another one goes to the end.
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
    credited_total: String,
    refunded_total: String,
    open_total: String,
}

impl<'a> Row<'a> {
    const COLUMNS: [&'static str; 20] = [
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
        "credited_total",
        "refunded_total",
        "open_total",
    ];

    /// What is left of a document of a remote service is not known here, and stays empty.
    fn of(invoice: &'a Invoice, balance: Option<&Balance>) -> Self {
        let left = |amount: fn(&Balance) -> Amount| {
            balance.map(|balance| amount(balance).to_string()).unwrap_or_default()
        };
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
            credited_total: left(|balance| balance.credited),
            refunded_total: left(|balance| balance.refunded),
            open_total: left(|balance| balance.open),
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

    #[test]
    fn no_text_is_taken_for_a_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"] {
            assert_eq!(cell(text), format!("'{text}"));
        }
        assert_eq!(cell("Jane = Roe"), "Jane = Roe");
    }
}
