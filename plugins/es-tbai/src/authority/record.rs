//! The record with the elements of the treasury's schema, as JSON for people to look at.
//!
//! Members stand in the order of the schema; what a document does not say is null.

use einvoice_es::stored::{Ext, IdOtro, Invoice, Line, Party, Rate, Reference, RowFigures, agency, number};
use serde::Serialize;

use super::{FiledDocument, StoredRecord};
use crate::codes::EXT_SIMPLIFIED;

/// A record of one invoice.
#[derive(Debug, Serialize)]
pub(super) struct Record<'a> {
    #[serde(rename = "TicketBai")]
    ticket: Ticket<'a>,
}

#[derive(Debug, Serialize)]
struct Ticket<'a> {
    #[serde(rename = "Cabecera")]
    header: Header,
    #[serde(rename = "Sujetos")]
    parties: Parties<'a>,
    #[serde(rename = "Factura")]
    invoice: InvoiceBody<'a>,
    #[serde(rename = "HuellaTBAI")]
    trace: Trace<'a>,
}

#[derive(Debug, Serialize)]
struct Header {
    #[serde(rename = "IDVersionTBAI")]
    version: &'static str,
}

#[derive(Debug, Serialize)]
struct Parties<'a> {
    #[serde(rename = "Emisor")]
    issuer: Issuer<'a>,
    #[serde(rename = "Destinatarios")]
    recipient: Option<Recipient<'a>>,
}

#[derive(Debug, Serialize)]
struct Issuer<'a> {
    #[serde(rename = "NIF")]
    nif: &'a str,
    #[serde(rename = "ApellidosNombreRazonSocial")]
    name: &'a str,
    /// The economic activity.
    #[serde(rename = "Epigrafe")]
    activity: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Recipient<'a> {
    #[serde(rename = "NIF")]
    nif: Option<&'a str>,
    #[serde(rename = "IDOtro")]
    other: Option<IdOtro<'a>>,
    #[serde(rename = "ApellidosNombreRazonSocial")]
    name: &'a str,
}

#[derive(Debug, Serialize)]
struct InvoiceBody<'a> {
    #[serde(rename = "CabeceraFactura")]
    header: InvoiceHeader<'a>,
    #[serde(rename = "DatosFactura")]
    data: InvoiceData<'a>,
    #[serde(rename = "TipoDesglose")]
    breakdown: Vec<Row<'a>>,
}

#[derive(Debug, Serialize)]
struct InvoiceHeader<'a> {
    #[serde(rename = "NumFactura")]
    number: &'a str,
    /// `DD-MM-YYYY`.
    #[serde(rename = "FechaExpedicionFactura")]
    date: String,
    /// `S` or `N`.
    #[serde(rename = "FacturaSimplificada")]
    simplified: &'a str,
    #[serde(rename = "FacturasRectificadasSustituidas")]
    corrected: Vec<CorrectedInvoice<'a>>,
}

#[derive(Debug, Serialize)]
struct CorrectedInvoice<'a> {
    #[serde(rename = "NumFactura")]
    number: String,
    /// Why it is corrected.
    #[serde(rename = "Codigo")]
    code: Option<&'a str>,
    #[serde(rename = "FechaExpedicionFactura")]
    date: Option<String>,
}

#[derive(Debug, Serialize)]
struct InvoiceData<'a> {
    #[serde(rename = "FechaOperacion")]
    operation_date: Option<String>,
    #[serde(rename = "DescripcionFactura")]
    description: Option<&'a str>,
    #[serde(rename = "DetallesFactura")]
    lines: Vec<Detail<'a>>,
    #[serde(rename = "ImporteTotalFactura")]
    total: &'a str,
}

#[derive(Debug, Serialize)]
struct Detail<'a> {
    #[serde(rename = "DescripcionDetalle")]
    description: &'a str,
    #[serde(rename = "Cantidad")]
    quantity: String,
    #[serde(rename = "ImporteUnitario")]
    price: &'a str,
    #[serde(rename = "ImporteTotal")]
    total: String,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    figures: RowFigures<'a>,
    #[serde(rename = "CuotaImpuesto")]
    amount: String,
}

#[derive(Debug, Serialize)]
struct Trace<'a> {
    #[serde(rename = "EncadenamientoFacturaAnterior")]
    previous: Option<PreviousInvoice<'a>>,
}

#[derive(Debug, Serialize)]
struct PreviousInvoice<'a> {
    #[serde(rename = "NumFacturaAnterior")]
    number: &'a str,
    #[serde(rename = "FechaExpedicionFacturaAnterior")]
    date: &'a str,
    #[serde(rename = "SignatureValueFirmaFacturaAnterior")]
    signature: &'a str,
}

impl<'a> Record<'a> {
    /// The record of the invoice, which carries the signature of the one before.
    pub(super) fn of(filed: &'a FiledDocument, previous: Option<&'a StoredRecord>) -> Self {
        let invoice = &filed.names.invoice;
        let parties = Parties {
            issuer: Issuer {
                nif: &filed.names.issuer,
                name: &invoice.supplier.name,
                activity: first_code(&invoice.supplier.ext),
            },
            recipient: invoice.customer.as_ref().map(Recipient::of),
        };
        let header = InvoiceHeader {
            number: &filed.names.number,
            date: filed.names.day.agency(),
            simplified: invoice.code_of(EXT_SIMPLIFIED).unwrap_or("N"),
            corrected: invoice.preceding.iter().map(CorrectedInvoice::of).collect(),
        };
        let data = InvoiceData {
            operation_date: agency(invoice.op_date.as_deref()),
            description: invoice.description(),
            lines: invoice.lines.iter().map(|line| Detail::of(invoice, line)).collect(),
            total: &filed.total,
        };
        let breakdown = invoice.rows().map(|rate| Row::of(invoice, rate)).collect();
        let ticket = Ticket {
            header: Header { version: "1.2" },
            parties,
            invoice: InvoiceBody { header, data, breakdown },
            trace: Trace { previous: previous.map(PreviousInvoice::of) },
        };
        Self { ticket }
    }
}

impl<'a> Recipient<'a> {
    fn of(customer: &'a Party) -> Self {
        Self { nif: customer.nif(), other: customer.id_otro(), name: &customer.name }
    }
}

impl<'a> CorrectedInvoice<'a> {
    fn of(reference: &'a Reference) -> Self {
        Self {
            number: number(reference.series.as_deref(), &reference.code),
            code: first_code(&reference.ext),
            date: agency(reference.issue_date.as_deref()),
        }
    }
}

impl<'a> Detail<'a> {
    fn of(invoice: &Invoice, line: &'a Line) -> Self {
        Self {
            description: &line.item.name,
            quantity: invoice.stated(&line.quantity),
            price: &line.item.price,
            total: invoice.stated(&line.total),
        }
    }
}

impl<'a> Row<'a> {
    fn of(invoice: &Invoice, rate: &'a Rate) -> Self {
        Self { figures: invoice.row_figures(rate), amount: invoice.stated(&rate.amount) }
    }
}

impl<'a> PreviousInvoice<'a> {
    fn of(record: &'a StoredRecord) -> Self {
        Self { number: &record.number, date: &record.date, signature: &record.signature }
    }
}

/// The format says one thing only of suppliers and of corrected documents.
fn first_code(ext: &Ext) -> Option<&str> {
    ext.values().next().map(String::as_str)
}
