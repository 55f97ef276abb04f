//! What goes over the wire to a treasury: a TicketBAI file (`T:TicketBai`, version 1.2) with one invoice.
//!
//! Root and namespace are those of the treasuries' own examples, and its children have none. Every accepted record is
//! valid against their schema (`ticketBaiV1-2-2.xsd`) but for its signature (`ds:Signature`), which only the holder of a
//! certificate can make: the provider. The order of the elements is the schema's.
//!
//! `FacturaEmitidaSustitucionSimplificada` never stands: there are no replacement invoices here. One invoice has one
//! recipient (`VariosDestinatarios` N) and is issued by its supplier (`EmitidaPorTercerosODestinatario` N).

use einvoice_es::date::Date;
use einvoice_es::identification::Identification;
use einvoice_es::stored::{Address, Line, Party, agency};
use einvoice_gobl::clock::central_europe;
use einvoice_gobl::decimal::Decimal;
use einvoice_gobl::text::non_blank;
use einvoice_xml::{Writer, document};

use super::breakdown::breakdown;
use super::figures;
use super::filed_document::FiledDocument;
use super::memory::StoredRecord;
use crate::codes::{EXT_CORRECTION, EXT_REGIME};

/// Characters of an address (`Direccion`).
const ADDRESS_CHARS_MAX: usize = 250;
/// Corrects by stating the difference, not by replacing the figures.
const BY_DIFFERENCES: &str = "I";

/// The file that registers a document. `now` is RFC 3339.
pub(super) fn message(filed: &FiledDocument, previous: Option<&StoredRecord>, now: &str) -> String {
    document("T:TicketBai", &[("xmlns:T", "urn:ticketbai:emision")], "", |xml| {
        xml.element("Cabecera", |xml| xml.text("IDVersionTBAI", "1.2"));
        xml.element("Sujetos", |xml| parties(xml, filed));
        xml.element("Factura", |xml| {
            xml.element("CabeceraFactura", |xml| header(xml, filed, now));
            xml.element("DatosFactura", |xml| data(xml, filed));
            breakdown(xml, filed);
        });
        xml.element("HuellaTBAI", |xml| trace(xml, previous));
    })
}

fn parties(xml: &mut Writer, filed: &FiledDocument) {
    xml.element("Emisor", |xml| {
        xml.text("NIF", &filed.names.issuer);
        xml.text("ApellidosNombreRazonSocial", filed.names.invoice.supplier.name.trim());
    });
    if let (Some(customer), Some(identification)) = (&filed.names.invoice.customer, filed.recipient()) {
        xml.element("Destinatarios", |xml| {
            xml.element("IDDestinatario", |xml| recipient(xml, customer, &identification));
        });
        xml.text("VariosDestinatarios", "N");
    }
    xml.text("EmitidaPorTercerosODestinatario", "N");
}

fn recipient(xml: &mut Writer, customer: &Party, identification: &Identification<'_>) {
    match identification {
        Identification::Nif(nif) => xml.text("NIF", nif),
        Identification::Other { country, id_type, id } => xml.element("IDOtro", |xml| {
            xml.optional("CodigoPais", *country);
            xml.text("IDType", id_type);
            xml.text("ID", id);
        }),
    }
    xml.text("ApellidosNombreRazonSocial", customer.name.trim());
    let address = customer.addresses.first();
    xml.optional("CodigoPostal", address.and_then(|address| non_blank(address.code.as_deref())));
    xml.optional("Direccion", address.and_then(address_line).as_deref());
}

/// Street, place, region and country, as far as they fit. None where there is neither street nor place.
pub(super) fn address_line(address: &Address) -> Option<String> {
    let where_it_is = [&address.street, &address.locality].map(|part| non_blank(part.as_deref()));
    let around = [&address.region, &address.country].map(|part| non_blank(part.as_deref()));
    where_it_is.iter().any(Option::is_some).then(|| {
        let parts: Vec<_> = where_it_is.into_iter().chain(around).flatten().collect();
        parts.join(", ").chars().take(ADDRESS_CHARS_MAX).collect()
    })
}

fn header(xml: &mut Writer, filed: &FiledDocument, now: &str) {
    let invoice = &filed.names.invoice;
    xml.optional("SerieFactura", filed.series());
    xml.text("NumFactura", filed.number());
    xml.text("FechaExpedicionFactura", &filed.names.day.agency());
    xml.text("HoraExpedicionFactura", &time_of_day(now));
    xml.text("FacturaSimplificada", if filed.is_simplified() { "S" } else { "N" });
    if !invoice.corrects() {
        return;
    }
    xml.element("FacturaRectificativa", |xml| {
        let reasons = invoice.preceding.iter().find_map(|reference| reference.ext.get(EXT_CORRECTION));
        xml.text("Codigo", reasons.map_or("", String::as_str));
        xml.text("Tipo", BY_DIFFERENCES);
    });
    xml.unless_empty("FacturasRectificadasSustituidas", |xml| {
        for reference in &invoice.preceding {
            xml.element("IDFacturaRectificadaSustituida", |xml| {
                xml.optional("SerieFactura", non_blank(reference.series.as_deref()));
                xml.text("NumFactura", reference.code.trim());
                let issued = reference.issue_date.as_deref();
                let day = agency(issued);
                xml.text("FechaExpedicionFactura", day.as_deref().or(issued).unwrap_or_default());
            });
        }
    });
}

/// What the clocks show when the file is made.
fn time_of_day(now: &str) -> String {
    let clock = central_europe(now).map(|time| time.to_string());
    clock.as_deref().and_then(|time| time.get(11..19)).unwrap_or("00:00:00").to_owned()
}

fn data(xml: &mut Writer, filed: &FiledDocument) {
    let invoice = &filed.names.invoice;
    let operation = invoice.op_date.as_deref().and_then(|day| day.parse::<Date>().ok());
    let operation = operation.filter(|day| *day != filed.names.day);
    xml.optional("FechaOperacion", operation.map(Date::agency).as_deref());
    xml.text("DescripcionFactura", invoice.description().unwrap_or_default());
    xml.unless_empty("DetallesFactura", |xml| {
        for line in &invoice.lines {
            xml.element("IDDetalleFactura", |xml| detail(xml, filed, line));
        }
    });
    xml.text("ImporteTotalFactura", &filed.total());
    let retained = invoice.totals.retained_tax.as_deref().map(|retained| filed.amount(retained));
    xml.optional("RetencionSoportada", retained.as_deref());
    xml.element("Claves", |xml| {
        for regime in regimes(filed) {
            xml.element("IDClave", |xml| xml.text("ClaveRegimenIvaOpTrascendencia", regime));
        }
    });
}

/// The regimes of all rows, each once.
pub(super) fn regimes(filed: &FiledDocument) -> Vec<&str> {
    let mut regimes: Vec<&str> = Vec::new();
    for regime in filed.names.invoice.rows().filter_map(|rate| rate.code_of(EXT_REGIME)) {
        if !regimes.contains(&regime) {
            regimes.push(regime);
        }
    }
    regimes
}

/// The price without tax, and the total with it.
fn detail(xml: &mut Writer, filed: &FiledDocument, line: &Line) {
    let exact =
        |figure: Option<Decimal>, text: &str| figure.map_or_else(|| text.to_owned(), Decimal::precise);
    xml.text("DescripcionDetalle", line.item.name.trim());
    xml.text("Cantidad", &exact(filed.figure(&line.quantity), &line.quantity));
    xml.text("ImporteUnitario", &exact(net(filed, line, figures::read(&line.item.price)), &line.item.price));
    xml.text("ImporteTotal", &exact(gross(filed, line), &line.total));
}

/// A figure of the line without the tax that it includes.
fn net(filed: &FiledDocument, line: &Line, figure: Option<Decimal>) -> Option<Decimal> {
    let included = filed.names.invoice.tax.prices_include.as_deref();
    let tax = line.taxes.iter().find(|tax| Some(tax.cat.as_str()) == included);
    match tax.and_then(|tax| tax.percent.as_deref()) {
        Some(percent) => figure?.without_percent(figures::read_percent(percent)?),
        None => figure,
    }
}

/// The line's total with every tax that is charged on it.
fn gross(filed: &FiledDocument, line: &Line) -> Option<Decimal> {
    let withheld = |tax: &str| {
        let categories = &filed.names.invoice.totals.taxes.categories;
        categories.iter().any(|category| category.retained && category.code == tax)
    };
    let mut percent = Decimal::ZERO;
    for tax in line.taxes.iter().filter(|tax| !withheld(&tax.cat)) {
        for charged in [&tax.percent, &tax.surcharge].into_iter().flatten() {
            percent = percent.plus(figures::read_percent(charged)?);
        }
    }
    let included = filed.names.invoice.tax.prices_include.is_some();
    let is_surcharged = line.taxes.iter().any(|tax| tax.surcharge.is_some());
    // What includes all that is charged is exact as it stands.
    if included && !is_surcharged {
        return filed.figure(&line.total);
    }
    net(filed, line, filed.figure(&line.total))?.with_percent(percent)
}

/// The place in the chain, and the software, which the sandbox plays: licence and developer are those of the treasuries'
/// examples. A provider puts its own there.
fn trace(xml: &mut Writer, previous: Option<&StoredRecord>) {
    if let Some(previous) = previous {
        xml.element("EncadenamientoFacturaAnterior", |xml| {
            xml.optional("SerieFacturaAnterior", previous.series.as_deref());
            xml.text("NumFacturaAnterior", &previous.number);
            xml.text("FechaExpedicionFacturaAnterior", &previous.date);
            xml.text("SignatureValueFirmaFacturaAnterior", &previous.signature);
        });
    }
    xml.element("Software", |xml| {
        xml.text("LicenciaTBAI", "TBAIPRUEBA");
        xml.element("EntidadDesarrolladora", |xml| xml.text("NIF", "A48119820"));
        xml.text("Nombre", "Sandbox");
        xml.text("Version", "1.0");
    });
}
