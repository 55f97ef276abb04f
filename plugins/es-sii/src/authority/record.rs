//! The record with the elements of the agency's schema, as JSON for people to look at.
//!
//! Members stand in the order of the schema; what a document does not say is null.

use einvoice_es::stored::{
    FiledDocument, IdOtro, Invoice, Party, Rate, Reference, RowFigures, agency, number,
};
use serde::Serialize;

use crate::codes::{EXT_CORRECTION_TYPE, EXT_DOC_TYPE, EXT_REGIME};

/// What the schema lets a description have.
const DESCRIPTION_CHARS_MAX: usize = 500;

/// A message with one invoice.
#[derive(Debug, Serialize)]
pub(super) struct Message<'a> {
    #[serde(rename = "SuministroLRFacturasEmitidas")]
    issued: IssuedRecords<'a>,
}

#[derive(Debug, Serialize)]
struct IssuedRecords<'a> {
    #[serde(rename = "Cabecera")]
    header: Header<'a>,
    #[serde(rename = "RegistroLRFacturasEmitidas")]
    record: Record<'a>,
}

#[derive(Debug, Serialize)]
struct Header<'a> {
    #[serde(rename = "IDVersionSii")]
    version: &'static str,
    #[serde(rename = "Titular")]
    holder: Holder<'a>,
    #[serde(rename = "TipoComunicacion")]
    communication: Communication,
}

#[derive(Debug, Serialize)]
struct Holder<'a> {
    #[serde(rename = "NombreRazon")]
    name: &'a str,
    #[serde(rename = "NIF")]
    nif: &'a str,
}

/// The agency's list L0.
#[derive(Debug, Serialize)]
enum Communication {
    #[serde(rename = "A0")]
    Registration,
    #[serde(rename = "A1")]
    Amendment,
}

#[derive(Debug, Serialize)]
struct Record<'a> {
    #[serde(rename = "PeriodoLiquidacion")]
    period: Period,
    #[serde(rename = "IDFactura")]
    id: InvoiceId<'a>,
    #[serde(rename = "FacturaExpedida")]
    invoice: IssuedInvoice<'a>,
}

/// The month of the day of issue.
#[derive(Debug, Serialize)]
struct Period {
    #[serde(rename = "Ejercicio")]
    year: Option<String>,
    /// `01` to `12`.
    #[serde(rename = "Periodo")]
    month: Option<String>,
}

#[derive(Debug, Serialize)]
struct InvoiceId<'a> {
    #[serde(rename = "IDEmisorFactura")]
    issuer: Issuer<'a>,
    #[serde(rename = "NumSerieFacturaEmisor")]
    number: &'a str,
    /// `DD-MM-YYYY`.
    #[serde(rename = "FechaExpedicionFacturaEmisor")]
    date: String,
}

#[derive(Debug, Serialize)]
struct Issuer<'a> {
    #[serde(rename = "NIF")]
    nif: &'a str,
}

#[derive(Debug, Serialize)]
struct IssuedInvoice<'a> {
    #[serde(rename = "TipoFactura")]
    doc_type: Option<&'a str>,
    #[serde(rename = "TipoRectificativa")]
    correction_type: Option<&'a str>,
    #[serde(rename = "FacturasReferidas")]
    referred: Vec<ReferredInvoice>,
    #[serde(rename = "FechaOperacion")]
    operation_date: Option<String>,
    /// The regime of the first row that names one.
    #[serde(rename = "ClaveRegimenEspecialOTrascendencia")]
    regime: Option<&'a str>,
    #[serde(rename = "ImporteTotal")]
    total: String,
    #[serde(rename = "DescripcionOperacion")]
    description: String,
    #[serde(rename = "Contraparte")]
    recipient: Option<Recipient<'a>>,
    #[serde(rename = "TipoDesglose")]
    breakdown: Vec<Row<'a>>,
}

#[derive(Debug, Serialize)]
struct ReferredInvoice {
    #[serde(rename = "NumSerieFacturaEmisor")]
    number: String,
    #[serde(rename = "FechaExpedicionFacturaEmisor")]
    date: Option<String>,
}

#[derive(Debug, Serialize)]
struct Recipient<'a> {
    #[serde(rename = "NombreRazon")]
    name: &'a str,
    #[serde(rename = "NIF")]
    nif: Option<&'a str>,
    #[serde(rename = "IDOtro")]
    other: Option<IdOtro<'a>>,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    figures: RowFigures<'a>,
    #[serde(rename = "CuotaRepercutida")]
    amount: String,
}

impl<'a> Message<'a> {
    /// The message that registers or amends the invoice.
    pub(super) fn of(filed: &'a FiledDocument, amends: bool) -> Self {
        let invoice = &filed.invoice;
        let communication = if amends { Communication::Amendment } else { Communication::Registration };
        let holder = Holder { name: &invoice.supplier.name, nif: &filed.issuer };
        let day = filed.day.to_string();
        let part = |digits: std::ops::Range<usize>| day.get(digits).map(str::to_owned);
        let record = Record {
            period: Period { year: part(0..4), month: part(5..7) },
            id: InvoiceId {
                issuer: Issuer { nif: &filed.issuer },
                number: &filed.number,
                date: filed.day.agency(),
            },
            invoice: IssuedInvoice::of(invoice),
        };
        Self { issued: IssuedRecords { header: Header { version: "1.1", holder, communication }, record } }
    }
}

impl<'a> IssuedInvoice<'a> {
    fn of(invoice: &'a Invoice) -> Self {
        let regime = invoice.rows().find_map(|row| row.ext.get(EXT_REGIME));
        let lines =
            || invoice.lines.iter().map(|line| line.item.name.as_str()).collect::<Vec<_>>().join(", ");
        let description = invoice.description().map_or_else(lines, str::to_owned);
        Self {
            doc_type: invoice.code_of(EXT_DOC_TYPE),
            correction_type: invoice.code_of(EXT_CORRECTION_TYPE),
            referred: invoice.preceding.iter().map(ReferredInvoice::of).collect(),
            operation_date: agency(invoice.op_date.as_deref()),
            regime: regime.map(String::as_str),
            total: invoice.stated(&invoice.totals.total_with_tax),
            description: description.chars().take(DESCRIPTION_CHARS_MAX).collect(),
            recipient: invoice.customer.as_ref().map(Recipient::of),
            breakdown: invoice.rows().map(|rate| Row::of(invoice, rate)).collect(),
        }
    }
}

impl ReferredInvoice {
    fn of(reference: &Reference) -> Self {
        Self {
            number: number(reference.series.as_deref(), &reference.code),
            date: agency(reference.issue_date.as_deref()),
        }
    }
}

impl<'a> Recipient<'a> {
    fn of(customer: &'a Party) -> Self {
        Self { name: &customer.name, nif: customer.nif(), other: customer.id_otro() }
    }
}

impl<'a> Row<'a> {
    fn of(invoice: &Invoice, rate: &'a Rate) -> Self {
        Self { figures: invoice.row_figures(rate), amount: invoice.stated(&rate.amount) }
    }
}
