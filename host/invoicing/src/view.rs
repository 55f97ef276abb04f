//! The document as the contract shows it, in answers and in events.

use gateway_domain::ids::{BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{
    Acceptance, Balance, Content, DocumentKind, Ext, ImportOrigin, Invoice, Line, Payment, RateTotal,
    Recipient, Retention, State, Status, Totals,
};
use gateway_domain::money::{Amount, Percent, Rounding};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;

/// An invoice document with its figures.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Document)]
pub struct DocumentView<'a> {
    /// The document, as the platform names it.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    pub uuid: InvoiceId,
    /// Whose document it is.
    #[schema(value_type = i64, examples(1))]
    pub workspace_id: WorkspaceId,
    /// What kind of document it is.
    pub document_type: DocumentKind,
    /// Its state.
    pub status: Status,
    /// Reserved when the document enters issuing; one that is resubmitted gets another number.
    #[schema(required)]
    pub display_document_number: Option<&'a str>,
    /// The same value.
    #[schema(required)]
    pub display_invoice_number: Option<&'a str>,
    /// Whether finance submits it.
    #[schema(examples(false))]
    pub send_to_tax_authority: bool,
    /// ISO 4217.
    #[schema(pattern = "^[A-Z]{3}$", examples("EUR"))]
    pub currency: &'a str,
    /// The booking it bills.
    #[schema(required, value_type = Option<Uuid>)]
    pub booking_id: Option<BookingId>,
    /// The day of the issue.
    #[schema(required, value_type = Option<String>, format = Date, examples("2026-11-20"))]
    pub issue_date: Option<Date>,
    /// When the supply took place, if on another day.
    #[schema(required, value_type = Option<String>, format = Date)]
    pub operation_date: Option<Date>,
    /// Whether the prices of the lines include tax.
    #[schema(examples(true))]
    pub prices_include_tax: bool,
    /// Whom it is for.
    #[schema(required, value_type = Option<Recipient>)]
    pub recipient: Option<&'a Recipient>,
    /// What it bills.
    #[schema(value_type = Vec<Line>)]
    pub lines: &'a [Line],
    /// What the recipient withholds.
    #[schema(value_type = Vec<Retention>)]
    pub retentions: &'a [Retention],
    /// Documents it refers to.
    #[schema(value_type = Vec<Uuid>)]
    pub referenced_document_ids: &'a [InvoiceId],
    /// Free text.
    #[schema(required)]
    pub notes: Option<&'a str>,
    /// When it has to be paid; only where it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Payment>)]
    pub payment: Option<&'a Payment>,
    /// What the tax system wants to know of it besides; only where it was said.
    #[serde(skip_serializing_if = "Ext::is_empty")]
    #[schema(value_type = BTreeMap<String, String>, required = false)]
    pub ext: &'a Ext,
    /// Its figures.
    pub totals: TotalsView<'a>,
    /// Set while the document waits for the tax authority.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub issuing_at: Option<Timestamp>,
    /// Since when it is final.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub issued_at: Option<Timestamp>,
    /// Since when it is rejected.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub rejected_by_tax_authority_at: Option<Timestamp>,
    /// Why it is rejected.
    #[schema(required)]
    pub rejection_reason: Option<&'a str>,
    /// The tax authority's proof; null before.
    #[schema(required, value_type = Option<Acceptance>)]
    pub acceptance: Option<&'a Acceptance>,
    /// Where it comes from; only where another system issued it, and nothing here ever submits it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ImportOrigin>)]
    pub imported: Option<&'a ImportOrigin>,
    /// Grows with every change.
    #[schema(examples(1))]
    pub version: i64,
    /// First seen.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub created_at: Timestamp,
    /// Last changed.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub updated_at: Timestamp,
    /// The gross of its credit notes that are issued, or at the tax authority. This and the next three members are shown where
    /// documents are read one by one or listed, and by no event.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("0.00"))]
    pub credited_total: Option<Amount>,
    /// What was paid back against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("0.00"))]
    pub refunded_total: Option<Amount>,
    /// What is left: of an invoice its gross less what was credited, of a credit note its payable less what was refunded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(examples("259.70"))]
    pub open_total: Option<Amount>,
    /// Credit notes that nobody issued yet, or that the authority refused: no other may credit what they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Uuid>>)]
    pub unissued_credit_note_ids: Option<&'a [InvoiceId]>,
}

/// The members of a document that others change: see [`DocumentView::with_balance`].
pub const BALANCE_MEMBERS: [&str; 4] =
    ["credited_total", "refunded_total", "open_total", "unissued_credit_note_ids"];

impl<'a> DocumentView<'a> {
    /// A document with what is left of it.
    pub fn with_balance(invoice: &'a Invoice, balance: &'a Balance) -> Self {
        Self {
            credited_total: Some(balance.credited),
            refunded_total: Some(balance.refunded),
            open_total: Some(balance.open),
            unissued_credit_note_ids: Some(&balance.unissued_credit_notes),
            ..Self::from(invoice)
        }
    }
}

/// The figures of a document.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Totals)]
pub struct TotalsView<'a> {
    /// By which rule they are rounded: `currency`, row by row; left out where sums are exact and rounded once at the end.
    #[serde(skip_serializing_if = "Rounding::is_precise")]
    #[schema(required = false)]
    pub rounding: Rounding,
    /// Without tax.
    #[schema(examples("236.09"))]
    pub net: Amount,
    /// The tax of all rates.
    #[schema(examples("23.61"))]
    pub tax: Amount,
    /// With tax.
    #[schema(examples("259.70"))]
    pub gross: Amount,
    /// What the recipient withholds.
    #[schema(examples("0.00"))]
    pub retained: Amount,
    /// What is left to pay.
    #[schema(examples("259.70"))]
    pub payable: Amount,
    /// One row per category, rate, exemption and surcharge, in order of first appearance.
    pub rates: Vec<RateView<'a>>,
}

/// A row of the breakdown.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TotalsRate)]
pub struct RateView<'a> {
    /// A key of the regime.
    #[schema(examples("VAT"))]
    pub category: &'a str,
    /// Percent; null for an exemption.
    #[schema(required)]
    pub rate: Option<Percent>,
    /// A key of the regime; null for a rate.
    #[schema(required)]
    pub exemption: Option<&'a str>,
    /// Equivalence surcharge beside the rate, percent.
    #[schema(required)]
    pub surcharge: Option<Percent>,
    /// What is taxed.
    #[schema(examples("236.09"))]
    pub base: Amount,
    /// The tax.
    #[schema(examples("23.61"))]
    pub amount: Amount,
}

impl<'a> From<&'a Totals> for TotalsView<'a> {
    fn from(totals: &'a Totals) -> Self {
        let Totals { rounding, net, tax, gross, retained, payable, ref rates, .. } = *totals;
        Self {
            rounding,
            net,
            tax,
            gross,
            retained,
            payable,
            rates: rates.iter().map(RateView::from).collect(),
        }
    }
}

impl<'a> From<&'a RateTotal> for RateView<'a> {
    fn from(row: &'a RateTotal) -> Self {
        Self {
            category: &row.category,
            rate: row.rate,
            exemption: row.exemption.as_deref(),
            surcharge: row.surcharge,
            base: row.base,
            amount: row.amount,
        }
    }
}

impl<'a> From<&'a Invoice> for DocumentView<'a> {
    fn from(invoice: &'a Invoice) -> Self {
        let content: &Content = &invoice.content;
        let number = invoice.state.number().map(|number| number.0.as_str());
        let mut view = Self {
            uuid: invoice.id,
            workspace_id: invoice.workspace,
            document_type: content.document_type,
            status: invoice.state.status(),
            display_document_number: number,
            display_invoice_number: number,
            send_to_tax_authority: invoice.send_to_tax_authority,
            currency: &content.currency,
            booking_id: content.booking_id,
            issue_date: content.issue_date,
            operation_date: content.operation_date,
            prices_include_tax: content.prices_include_tax,
            recipient: content.recipient.as_ref(),
            lines: &content.lines,
            retentions: &content.retentions,
            referenced_document_ids: &content.referenced_document_ids,
            notes: content.notes.as_deref(),
            payment: content.payment.as_ref(),
            ext: &content.ext,
            totals: TotalsView::from(&invoice.totals),
            issuing_at: None,
            issued_at: None,
            rejected_by_tax_authority_at: None,
            rejection_reason: None,
            acceptance: None,
            imported: invoice.state.imported(),
            version: invoice.version,
            created_at: invoice.created_at,
            updated_at: invoice.updated_at,
            credited_total: None,
            refunded_total: None,
            open_total: None,
            unissued_credit_note_ids: None,
        };
        match &invoice.state {
            State::Draft => {}
            State::Issuing { since, .. } => view.issuing_at = Some(*since),
            State::Issued { at, acceptance, .. } => {
                view.issued_at = Some(*at);
                view.acceptance = acceptance.as_ref();
            }
            State::Rejected { at, reason, .. } => {
                view.rejected_by_tax_authority_at = Some(*at);
                view.rejection_reason = Some(reason);
            }
        }
        view
    }
}
