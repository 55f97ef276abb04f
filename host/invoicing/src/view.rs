//! The document as the contract shows it, in answers and in events.

use gateway_domain::ids::{BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{
    Acceptance, Content, Ext, Invoice, Line, Payment, RateTotal, Recipient, Retention, State, Status, Totals,
};
use gateway_domain::money::{Amount, Percent};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;

/// A document, ready to be written as JSON.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the members are those of the contract")]
pub struct DocumentView<'a> {
    pub uuid: InvoiceId,
    pub workspace_id: WorkspaceId,
    pub document_type: &'static str,
    pub status: Status,
    pub display_document_number: Option<&'a str>,
    pub display_invoice_number: Option<&'a str>,
    pub send_to_tax_authority: bool,
    pub currency: &'a str,
    pub booking_id: Option<BookingId>,
    pub issue_date: Option<Date>,
    pub operation_date: Option<Date>,
    pub prices_include_tax: bool,
    pub recipient: Option<&'a Recipient>,
    pub lines: &'a [Line],
    pub retentions: &'a [Retention],
    pub referenced_document_ids: &'a [InvoiceId],
    pub notes: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payment: Option<&'a Payment>,
    #[serde(skip_serializing_if = "Ext::is_empty")]
    pub ext: &'a Ext,
    pub totals: TotalsView<'a>,
    pub issuing_at: Option<Timestamp>,
    pub issued_at: Option<Timestamp>,
    pub rejected_by_tax_authority_at: Option<Timestamp>,
    pub rejection_reason: Option<&'a str>,
    pub acceptance: Option<&'a Acceptance>,
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The figures, as the contract shows them.
#[derive(Debug, Clone, Serialize)]
pub struct TotalsView<'a> {
    pub net: Amount,
    pub tax: Amount,
    pub gross: Amount,
    pub retained: Amount,
    pub payable: Amount,
    pub rates: Vec<RateView<'a>>,
}

/// A row of the breakdown, as the contract shows it.
#[derive(Debug, Clone, Serialize)]
pub struct RateView<'a> {
    pub category: &'a str,
    pub rate: Option<Percent>,
    pub exemption: Option<&'a str>,
    pub surcharge: Option<Percent>,
    pub base: Amount,
    pub amount: Amount,
}

impl<'a> From<&'a Totals> for TotalsView<'a> {
    fn from(totals: &'a Totals) -> Self {
        let Totals { net, tax, gross, retained, payable, ref rates, .. } = *totals;
        Self { net, tax, gross, retained, payable, rates: rates.iter().map(RateView::from).collect() }
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
            document_type: content.document_type.as_str(),
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
            version: invoice.version,
            created_at: invoice.created_at,
            updated_at: invoice.updated_at,
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
