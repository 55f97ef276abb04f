//! Invoice documents, to read: their figures, what happened to them, and how far they are at the tax authority.

mod document;

pub(crate) use document::InvoiceDocument;

use crate::errors::Refusal;
use crate::pages::{self, Connection};
use crate::scalars::{self, IsoDate, parse_id};
use crate::session::{found_or_null, or_null, session};
use async_graphql::{Context, Enum, ID, InputObject, Object};
use document::{DocumentKind, Status};
use gateway_domain::ErrorCode;
use gateway_domain::access::Permission;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{DocumentFilter, DocumentOrder, GrossRange, IssuePeriod, RecipientSearch};
use gateway_domain::money::Amount;

const DOCUMENTS: &str = "documents";

/// Which documents a list shows: those that fit everything that is given.
#[derive(Debug, Clone, Default, InputObject)]
pub(crate) struct InvoiceDocumentsFiltersInput {
    /// Only of this workspace, its number.
    workspace_id: Option<ID>,
    /// Only of this booking.
    booking_id: Option<ID>,
    /// Only those that are so far.
    status: Option<Status>,
    /// Only of this kind.
    document_type: Option<DocumentKind>,
    /// Only of this number.
    number: Option<String>,
    /// Only for such a recipient: each word begins a word of the name, in any order, whatever the case and the accents; what has
    /// a digit is taken as a whole, and begins the tax id or the name.
    recipient: Option<String>,
    /// First issue date, inclusive.
    issued_from: Option<IsoDate>,
    /// Last issue date, inclusive.
    issued_to: Option<IsoDate>,
    /// Least gross, inclusive, a decimal with at most four decimals, whatever the currency.
    gross_from: Option<String>,
    /// Greatest gross, inclusive, a decimal with at most four decimals, whatever the currency.
    gross_to: Option<String>,
    /// Only those that the tax authority accepted with remarks, which it calls errors.
    accepted_with_errors: Option<bool>,
}

impl InvoiceDocumentsFiltersInput {
    /// As documents are asked for; none where no document can be meant.
    fn read(self, order: DocumentOrder) -> Result<Option<DocumentFilter>, Refusal> {
        let workspace = |id: &ID| scalars::parse_workspace_id(id, "filters.workspaceId");
        let booking = match self.booking_id.as_ref().map(parse_id) {
            // No booking has such an id, so no document is of it.
            Some(None) => return Ok(None),
            id => id.flatten(),
        };
        let recipient = self.recipient.as_deref().map(|text| {
            RecipientSearch::parse(text).ok_or_else(|| {
                Refusal::input("filters.recipient", ErrorCode::InvalidFormat, "needs a letter or a digit")
            })
        });
        let gross = GrossRange {
            from: gross(self.gross_from.as_deref(), "filters.grossFrom")?,
            to: gross(self.gross_to.as_deref(), "filters.grossTo")?,
        };
        let issued =
            IssuePeriod { from: self.issued_from.map(|day| day.0), to: self.issued_to.map(|day| day.0) };
        if issued.is_backwards() {
            let sentence = "is before issuedFrom: swap the two";
            return Err(Refusal::input("filters.issuedTo", ErrorCode::EndBeforeStart, sentence));
        }
        if gross.is_backwards() {
            let sentence = "is less than grossFrom: swap the two";
            return Err(Refusal::input("filters.grossTo", ErrorCode::EndBeforeStart, sentence));
        }
        Ok(Some(DocumentFilter {
            workspace: self.workspace_id.as_ref().map(workspace).transpose()?,
            status: self.status.map(Into::into),
            booking,
            number: self.number,
            number_prefix: None,
            document_type: self.document_type.map(Into::into),
            issued,
            gross,
            recipient: recipient.transpose()?,
            accepted_with_errors: self.accepted_with_errors.unwrap_or_default(),
            order,
            updated_after: None,
        }))
    }
}

fn gross(text: Option<&str>, field: &str) -> Result<Option<Amount>, Refusal> {
    let read = |text: &str| {
        GrossRange::parse_end(text).ok_or_else(|| {
            let sentence = "must be an amount such as 100.00, with at most four decimals";
            Refusal::input(field, ErrorCode::InvalidFormat, sentence)
        })
    };
    text.map(read).transpose()
}

/// In which order documents are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "InvoiceDocumentsSortEnum", remote = "gateway_domain::invoicing::DocumentOrder")]
pub(crate) enum DocumentsSort {
    /// What was made first comes first.
    OldestFirst,
    /// What was made last comes first.
    NewestFirst,
}

/// Invoice documents. Reading needs the permission invoicing.read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InvoicingQuery;

/// Invoice documents. Reading needs the permission invoicing.read.
#[Object]
impl InvoicingQuery {
    /// A document; null when there is none.
    async fn document(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one.")] id: ID,
    ) -> Option<InvoiceDocument> {
        let document = async {
            let session = session(ctx).require(Permission::InvoicingRead)?;
            let Some(id) = parse_id::<InvoiceId>(&id) else { return Ok(None) };
            Ok(session.document(id).await?.map(InvoiceDocument))
        };
        found_or_null(ctx, document.await)
    }

    /// Documents, the oldest first unless asked otherwise.
    #[graphql(complexity = "pages::page_cost(first, child_complexity)")]
    async fn documents(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which ones; all unless given.")] filters: Option<InvoiceDocumentsFiltersInput>,
        #[graphql(
            desc = "Which come first: the oldest unless given. A cursor is of the order it was given in."
        )]
        sort: Option<DocumentsSort>,
        #[graphql(desc = "Nodes of a page: 25 unless given, and at most.")] first: Option<i32>,
        #[graphql(desc = "The endCursor of the page before; none, or an empty one, for the first.")]
        after: Option<String>,
    ) -> Option<Connection<InvoiceDocument>> {
        let page = async {
            let session = session(ctx).require(Permission::InvoicingRead)?;
            let order = sort.map(DocumentOrder::from).unwrap_or_default();
            let Some(filter) = filters.unwrap_or_default().read(order)? else {
                return Ok(Connection::new(DOCUMENTS, [], false, Some(0)));
            };
            let request = pages::page_request(DOCUMENTS, first, after.as_deref())?;
            let (services, acting) = (&session.services, &session.acting);
            let selected = pages::list_selection(ctx);
            let total = if selected.total {
                Some(services.documents.count(acting, &filter).await.map_err(Refusal::internal)?)
            } else {
                None
            };
            if !selected.page {
                return Ok(Connection::new(DOCUMENTS, [], false, total));
            }
            let after = request.after.map(|(at, id)| (at, InvoiceId(id)));
            let page = services.documents.page(acting, &filter, after, request.first).await;
            let page = page.map_err(Refusal::internal)?;
            let nodes = page
                .nodes
                .into_iter()
                .map(|invoice| ((invoice.created_at, invoice.id.0), InvoiceDocument(invoice)));
            Ok(Connection::new(DOCUMENTS, nodes, page.has_next, total))
        };
        or_null(ctx, page.await)
    }
}
