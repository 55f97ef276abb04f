//! A document, as the schema shows it.

use crate::bookings::Booking;
use crate::costs;
use crate::pages;
use crate::scalars::{IsoDate, IsoDateTime};
use crate::session::{found_or_null, or_null, reference, session};
use async_graphql::{Context, Enum, ID, Object, SimpleObject};
use gateway_domain::access::Permission;
use gateway_domain::invoicing::{self, Balance, Invoice, State};
use gateway_domain::money::Amount;
use gateway_domain_finance::Submission;
use gateway_invoicing::TimelineEntry;

/// How far a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "InvoiceDocumentStatusEnum", remote = "gateway_domain::invoicing::Status")]
pub(crate) enum Status {
    /// Still being written.
    Draft,
    /// At the tax authority; locked.
    Issuing,
    /// Final.
    Issued,
    /// Refused by the tax authority; may be edited and submitted again.
    Rejected,
}

/// What kind of document it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "InvoiceDocumentTypeEnum", remote = "gateway_domain::invoicing::DocumentKind")]
pub(crate) enum DocumentKind {
    /// A regular invoice.
    Invoice,
    /// Cancels all or part of an invoice.
    CreditNote,
    /// An offer in the shape of an invoice.
    Proforma,
    /// An acknowledgement of payment.
    Receipt,
}

/// A row of the tax breakdown: everything that shares category, rate, exemption and surcharge.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct InvoiceRate {
    /// A key of the tax regime, such as VAT.
    category: String,
    /// Percent, a decimal; null for an exemption.
    rate: Option<String>,
    /// A key of the tax regime; null for a rate.
    exemption: Option<String>,
    /// Equivalence surcharge beside the rate, percent, a decimal.
    surcharge: Option<String>,
    /// Net, a decimal.
    base: String,
    /// Tax, a decimal.
    amount: String,
}

/// The figures of a document, decimals in its currency.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct InvoiceTotals {
    /// Without tax.
    net: String,
    /// The tax.
    tax: String,
    /// With tax.
    gross: String,
    /// What the recipient withholds.
    retained: String,
    /// What is to be paid.
    payable: String,
    /// The tax breakdown.
    #[graphql(complexity = "pages::short_list_cost(child_complexity)")]
    rates: Vec<InvoiceRate>,
}

impl From<&invoicing::Totals> for InvoiceTotals {
    fn from(totals: &invoicing::Totals) -> Self {
        let rate = |row: &invoicing::RateTotal| InvoiceRate {
            category: row.category.clone(),
            rate: row.rate.map(|rate| rate.value().to_string()),
            exemption: row.exemption.clone(),
            surcharge: row.surcharge.map(|surcharge| surcharge.value().to_string()),
            base: row.base.to_string(),
            amount: row.amount.to_string(),
        };
        Self {
            net: totals.net.to_string(),
            tax: totals.tax.to_string(),
            gross: totals.gross.to_string(),
            retained: totals.retained.to_string(),
            payable: totals.payable.to_string(),
            rates: totals.rates.iter().map(rate).collect(),
        }
    }
}

/// A line of a document.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct InvoiceLine {
    /// What is sold.
    description: String,
    /// How much of it, a decimal.
    quantity: String,
    /// Price of one, a decimal; may be negative.
    unit_price: String,
    /// The tax's category, a key of the tax regime.
    tax_category: String,
    /// Percent, a decimal; null for an exemption.
    tax_rate: Option<String>,
    /// A key of the tax regime; null for a rate.
    tax_exemption: Option<String>,
}

impl From<&invoicing::Line> for InvoiceLine {
    fn from(line: &invoicing::Line) -> Self {
        Self {
            description: line.description.clone(),
            quantity: line.quantity.to_string(),
            unit_price: line.unit_price.to_string(),
            tax_category: line.tax.category.clone(),
            tax_rate: line.tax.rate.map(|rate| rate.value().to_string()),
            tax_exemption: line.tax.exemption.clone(),
        }
    }
}

/// A remark of the tax authority.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct InvoiceRemark {
    /// The authority's code.
    code: String,
    /// One sentence.
    message: String,
}

/// What the tax authority gave for an accepted document.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct InvoiceAcceptance {
    /// Where anybody verifies the document.
    qr_url: Option<String>,
    /// The tax system's hash of the record.
    tax_system_hash: Option<String>,
    /// When the gateway learned of it.
    accepted_at: IsoDateTime,
    /// Remarks of the authority.
    #[graphql(complexity = "pages::short_list_cost(child_complexity)")]
    warnings: Vec<InvoiceRemark>,
    /// Whether a stand-in authority said so.
    sandbox: bool,
}

impl From<&invoicing::Acceptance> for InvoiceAcceptance {
    fn from(acceptance: &invoicing::Acceptance) -> Self {
        let remark = |remark: &gateway_domain::regime::Remark| InvoiceRemark {
            code: remark.code.clone(),
            message: remark.message.clone(),
        };
        Self {
            qr_url: acceptance.qr_url.clone(),
            tax_system_hash: acceptance.tax_system_hash.clone(),
            accepted_at: acceptance.accepted_at.into(),
            warnings: acceptance.warnings.iter().map(remark).collect(),
            sandbox: acceptance.sandbox,
        }
    }
}

/// Where a document comes from that another system issued. Nothing here submits it.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct InvoiceOrigin {
    /// The system that issued it, as whoever imported it calls it.
    system: Option<String>,
    /// What the authority gave for it.
    #[graphql(complexity = "pages::short_list_cost(child_complexity)")]
    stamps: Vec<InvoiceStamp>,
    /// Its files as that system made them.
    #[graphql(complexity = "pages::short_list_cost(child_complexity)")]
    files: Vec<ImportedInvoiceFile>,
}

/// What the authority gave for a document.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct InvoiceStamp {
    /// Its key, such as verifactu-qr.
    provider: String,
    /// What it is: an address, a hash.
    value: String,
}

/// A file of a document that another system issued.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct ImportedInvoiceFile {
    /// application/pdf or application/xml.
    media_type: String,
    /// SHA-256 of the file, lower-case hex.
    sha256: String,
}

impl From<&invoicing::ImportOrigin> for InvoiceOrigin {
    fn from(origin: &invoicing::ImportOrigin) -> Self {
        let stamp = |stamp: &gateway_domain::Stamp| InvoiceStamp {
            provider: stamp.provider.clone(),
            value: stamp.value.clone(),
        };
        let file = |file: &invoicing::ImportedFileDigest| ImportedInvoiceFile {
            media_type: file.media_type.clone(),
            sha256: file.sha256.clone(),
        };
        Self {
            system: origin.system.clone(),
            stamps: origin.stamps.iter().map(stamp).collect(),
            files: origin.files.iter().map(file).collect(),
        }
    }
}

/// Something that happened to a document.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct InvoiceEvent {
    /// When.
    at: IsoDateTime,
    /// What, such as DocumentIssuing.
    event: String,
    /// By whom: the end user acted for, a client, or the gateway itself.
    actor: String,
    /// The client that asked for it; none for what the gateway did by itself.
    client: Option<ID>,
}

impl From<TimelineEntry> for InvoiceEvent {
    fn from(entry: TimelineEntry) -> Self {
        Self {
            at: entry.at.into(),
            event: entry.event,
            actor: entry.actor.name().to_owned(),
            client: entry.actor.client().map(|client| ID(client.to_string())),
        }
    }
}

/// How a submission to the tax authority goes.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct InvoiceSubmission {
    /// What comes next, or how it ended.
    state: String,
    /// The number it is about.
    number: Option<String>,
    /// The stored document at the e-invoicing provider.
    entry_id: Option<ID>,
    /// Why it waits for somebody, one sentence; null when it does not.
    alert: Option<String>,
    /// When it was asked for first.
    created_at: IsoDateTime,
    /// When it changed last.
    updated_at: IsoDateTime,
}

impl From<Submission> for InvoiceSubmission {
    fn from(submission: Submission) -> Self {
        Self {
            state: submission.stage().as_str().to_owned(),
            number: submission.number().map(|number| number.0.clone()),
            entry_id: submission.entry().map(|id| id.to_string().into()),
            alert: submission.alert.map(|alert| alert.message),
            created_at: submission.created_at.into(),
            updated_at: submission.updated_at.into(),
        }
    }
}

/// An invoice document.
#[derive(Debug, Clone)]
pub(crate) struct InvoiceDocument(pub(crate) Invoice);

impl InvoiceDocument {
    /// A figure of what is left of it; one statement for all documents of a request.
    async fn of_balance(&self, ctx: &Context<'_>, figure: fn(&Balance) -> Amount) -> Option<String> {
        let balance = async { Ok(session(ctx).balance(self.0.id).await?) };
        found_or_null(ctx, balance.await).map(|balance| figure(&balance).to_string())
    }
}

/// An invoice document.
#[Object]
impl InvoiceDocument {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// The workspace it belongs to.
    async fn workspace_id(&self) -> i64 {
        self.0.workspace.0
    }

    /// What kind of document it is.
    async fn document_type(&self) -> DocumentKind {
        self.0.content.document_type.into()
    }

    /// How far it is.
    async fn status(&self) -> Status {
        self.0.state.status().into()
    }

    /// Its number; null while it is a draft.
    async fn display_invoice_number(&self) -> Option<&str> {
        self.0.state.number().map(|number| number.0.as_str())
    }

    /// Whether it goes to the tax authority.
    async fn send_to_tax_authority(&self) -> bool {
        self.0.send_to_tax_authority
    }

    /// ISO 4217, such as EUR.
    async fn currency(&self) -> &str {
        &self.0.content.currency
    }

    /// The day of issue.
    async fn issue_date(&self) -> Option<IsoDate> {
        self.0.content.issue_date.map(IsoDate)
    }

    /// The name of whom it is for.
    async fn recipient_name(&self) -> Option<&str> {
        self.0.content.recipient.as_ref().map(invoicing::Recipient::name)
    }

    /// What it bills.
    #[graphql(complexity = "pages::unpaged_list_cost(child_complexity)")]
    async fn lines(&self) -> Vec<InvoiceLine> {
        self.0.content.lines.iter().map(InvoiceLine::from).collect()
    }

    /// Its figures.
    async fn totals(&self) -> InvoiceTotals {
        InvoiceTotals::from(&self.0.totals)
    }

    /// The id of the booking it bills, also of one that the platform does not know; null when it bills none.
    async fn booking_id(&self) -> Option<ID> {
        self.0.content.booking_id.map(|id| id.to_string().into())
    }

    /// The ids of the documents that it corrects or refers to, such as the invoice that a credit note cancels.
    async fn referenced_document_ids(&self) -> Vec<ID> {
        self.0.content.referenced_document_ids.iter().map(|id| id.to_string().into()).collect()
    }

    /// The booking it bills; null when the platform does not know it. What tells more than its id needs the permission
    /// bookings.read.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn booking(&self, ctx: &Context<'_>) -> Option<Booking> {
        let booking = async {
            let session = reference(ctx, Permission::BookingsRead, &["id"])?;
            let Some(id) = self.0.content.booking_id else { return Ok(None) };
            Ok(session.booking(id).await?.map(Booking))
        };
        found_or_null(ctx, booking.await)
    }

    /// Since when it is at the tax authority.
    async fn issuing_at(&self) -> Option<IsoDateTime> {
        match &self.0.state {
            State::Issuing { since, .. } => Some(IsoDateTime(*since)),
            State::Draft | State::Issued { .. } | State::Rejected { .. } => None,
        }
    }

    /// Since when it is final.
    async fn issued_at(&self) -> Option<IsoDateTime> {
        match &self.0.state {
            State::Issued { at, .. } => Some(IsoDateTime(*at)),
            State::Draft | State::Issuing { .. } | State::Rejected { .. } => None,
        }
    }

    /// When the tax authority refused it.
    async fn rejected_by_tax_authority_at(&self) -> Option<IsoDateTime> {
        match &self.0.state {
            State::Rejected { at, .. } => Some(IsoDateTime(*at)),
            State::Draft | State::Issuing { .. } | State::Issued { .. } => None,
        }
    }

    /// Why it was refused.
    async fn rejection_reason(&self) -> Option<&str> {
        match &self.0.state {
            State::Rejected { reason, .. } => Some(reason),
            State::Draft | State::Issuing { .. } | State::Issued { .. } => None,
        }
    }

    /// What the tax authority gave for it; null before, and for what never goes there.
    async fn acceptance(&self) -> Option<InvoiceAcceptance> {
        match &self.0.state {
            State::Issued { acceptance, .. } => acceptance.as_ref().map(InvoiceAcceptance::from),
            State::Draft | State::Issuing { .. } | State::Rejected { .. } => None,
        }
    }

    /// Where it comes from; null unless another system issued it.
    async fn imported(&self) -> Option<InvoiceOrigin> {
        self.0.state.imported().map(InvoiceOrigin::from)
    }

    /// What issued and issuing credit notes took off it; null where a remote invoice data service keeps it.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn credited_total(&self, ctx: &Context<'_>) -> Option<String> {
        self.of_balance(ctx, |balance| balance.credited).await
    }

    /// What was refunded of it; null where a remote invoice data service keeps it.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn refunded_total(&self, ctx: &Context<'_>) -> Option<String> {
        self.of_balance(ctx, |balance| balance.refunded).await
    }

    /// What is left of it: of an invoice its gross without what was credited, of a credit note what was not refunded yet; null
    /// where a remote invoice data service keeps it.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn open_total(&self, ctx: &Context<'_>) -> Option<String> {
        self.of_balance(ctx, |balance| balance.open).await
    }

    /// Credit notes of it that nobody issued yet, or that the tax authority refused: until they are issued or deleted, no other credits
    /// what they do; null where a remote invoice data service keeps it.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn unissued_credit_note_ids(&self, ctx: &Context<'_>) -> Option<Vec<ID>> {
        let balance = async { Ok(session(ctx).balance(self.0.id).await?) };
        let unissued = found_or_null(ctx, balance.await)?.unissued_credit_notes;
        Some(unissued.into_iter().map(|id| id.to_string().into()).collect())
    }

    /// How its submission to the tax authority goes; null when it was never submitted.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn submission(&self, ctx: &Context<'_>) -> Option<InvoiceSubmission> {
        let submission = async { Ok(session(ctx).submission(self.0.id).await?) };
        found_or_null(ctx, submission.await).map(InvoiceSubmission::from)
    }

    /// What happened to it, in order.
    #[graphql(complexity = "pages::unpaged_list_cost(child_complexity)")]
    async fn timeline(&self, ctx: &Context<'_>) -> Option<Vec<InvoiceEvent>> {
        let timeline = async { Ok(session(ctx).timeline(self.0.id).await?.unwrap_or_default()) };
        or_null(ctx, timeline.await).map(|events| events.into_iter().map(InvoiceEvent::from).collect())
    }

    /// When it was made.
    async fn created_at(&self) -> IsoDateTime {
        self.0.created_at.into()
    }

    /// When it changed last.
    async fn updated_at(&self) -> IsoDateTime {
        self.0.updated_at.into()
    }
}
