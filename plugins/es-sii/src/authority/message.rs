//! What goes over the wire to the agency: a SOAP envelope with `SuministroLRFacturasEmitidas` and one record in it.
//!
//! Every accepted document is valid against the schemas of the service that its books are kept by (`SuministroLR.xsd` of
//! version 1.1, the Canarian one of version 1.0); the order of the elements is theirs.

use einvoice_es::date::Date;
use einvoice_es::doc_type::DocType;
use einvoice_es::identification::Identification;
use einvoice_es::stored::{FiledDocument, Invoice, agency, number};
use einvoice_es::text::DESCRIPTION_CHARS_MAX;
use einvoice_xml::{Writer, document};

use super::breakdown::{Breakdown, Part, TaxedRow};
use super::cents::Cents;
use crate::codes::{
    EXT_ARTICLE_7, EXT_CORRECTION_TYPE, EXT_DOC_TYPE, EXT_REGIME, GENERAL, IDENTITY_TERMS, OTHER_TAXES,
};
use crate::service::Service;

/// From which total on a record is marked as a large one.
const LARGE_TOTAL_MIN: Cents = Cents::euros(100_000_000);

/// A document in the terms of the service that it goes to.
pub(super) struct Record<'a> {
    pub(super) filed: &'a FiledDocument,
    pub(super) service: Service,
    pub(super) breakdown: Breakdown,
    /// As the record states it: negative when something is credited.
    pub(super) total: Cents,
}

impl<'a> Record<'a> {
    /// None when a figure of the document is none the agency takes.
    pub(super) fn of(filed: &'a FiledDocument) -> Option<Self> {
        let invoice = &filed.invoice;
        let service = service(filed);
        let breakdown = Breakdown::of(filed, service)?;
        let total = Cents::read(&invoice.stated(&invoice.totals.total_with_tax))?;
        Some(Self { filed, service, breakdown, total })
    }

    fn doc_type(&self) -> Option<DocType> {
        self.filed.invoice.code_of(EXT_DOC_TYPE).and_then(DocType::of_code)
    }

    /// The regimes of the record. IPSI and IGIC have one of their own in the state's books.
    pub(super) fn regimes(&self) -> (&str, Option<&'static str>) {
        let of_books = |code: &str| code == self.service.tax().key();
        let mut rows = self.filed.invoice.rows_by_category();
        let others = rows.any(|(category, _)| !of_books(&category.code));
        let mut rows = self.filed.invoice.rows_by_category().filter(|(category, _)| of_books(&category.code));
        match rows.next() {
            None if others => (OTHER_TAXES, None),
            first => {
                let regime = first.and_then(|(_, rate)| rate.code_of(EXT_REGIME)).unwrap_or(GENERAL);
                (regime, (others && regime != OTHER_TAXES).then_some(OTHER_TAXES))
            }
        }
    }
}

/// Where the document goes.
pub(super) fn service(filed: &FiledDocument) -> Service {
    Service::of(filed.invoice.rows_by_category().map(|(category, _)| category.code.as_str()))
}

/// The message that registers the document, or amends the record of it.
pub(super) fn message(record: &Record<'_>, amends: bool) -> String {
    let schema = |name: &str| format!("{}{name}.xsd", record.service.namespace());
    let (records, information) = (schema("SuministroLR"), schema("SuministroInformacion"));
    let namespaces = [
        ("xmlns:soapenv", "http://schemas.xmlsoap.org/soap/envelope/"),
        ("xmlns:siiLR", records.as_str()),
        ("xmlns:sii", information.as_str()),
    ];
    document("soapenv:Envelope", &namespaces, "sii", |xml| {
        xml.text("soapenv:Header", "");
        xml.element("soapenv:Body", |xml| {
            xml.element("siiLR:SuministroLRFacturasEmitidas", |xml| {
                header(xml, "Cabecera", record.filed, record.service, amends);
                xml.element("siiLR:RegistroLRFacturasEmitidas", |xml| {
                    identification(xml, record.filed);
                    xml.element("siiLR:FacturaExpedida", |xml| invoice(xml, record));
                });
            });
        });
    })
}

/// `CabeceraSii`, in the element of a name: the agency's answer repeats it.
pub(super) fn header(xml: &mut Writer, name: &str, filed: &FiledDocument, service: Service, amends: bool) {
    xml.element(name, |xml| {
        xml.text("IDVersionSii", service.version());
        xml.element("Titular", |xml| {
            xml.text("NombreRazon", filed.invoice.supplier.name.trim());
            xml.text("NIF", &filed.issuer);
        });
        xml.text("TipoComunicacion", if amends { "A1" } else { "A0" });
    });
}

/// Period and number.
fn identification(xml: &mut Writer, filed: &FiledDocument) {
    let period = period(filed);
    xml.element("PeriodoLiquidacion", |xml| {
        xml.text("Ejercicio", &format!("{:04}", period.year()));
        xml.text("Periodo", &format!("{:02}", period.month()));
    });
    invoice_id(xml, "siiLR:IDFactura", filed);
}

/// `IDFacturaExpedidaType`, in the element of a name.
pub(super) fn invoice_id(xml: &mut Writer, name: &str, filed: &FiledDocument) {
    xml.element(name, |xml| {
        xml.element("IDEmisorFactura", |xml| xml.text("NIF", &filed.issuer));
        xml.text("NumSerieFacturaEmisor", &filed.number);
        xml.text("FechaExpedicionFacturaEmisor", &filed.day.agency());
    });
}

/// A day of the period that the tax falls due in: that of the operation; a correction's is the one it is issued in.
fn period(filed: &FiledDocument) -> Date {
    operation_day(filed).filter(|_| !filed.invoice.corrects()).unwrap_or(filed.day)
}

/// The day of the operation, when it is another than the day of issue.
pub(super) fn operation_day(filed: &FiledDocument) -> Option<Date> {
    filed.invoice.op_date.as_deref().and_then(|date| date.parse().ok()).filter(|day| *day != filed.day)
}

fn invoice(xml: &mut Writer, record: &Record<'_>) {
    let Record { filed, total, .. } = record;
    let invoice = &filed.invoice;
    xml.text("TipoFactura", invoice.code_of(EXT_DOC_TYPE).unwrap_or_default());
    xml.optional("TipoRectificativa", invoice.code_of(EXT_CORRECTION_TYPE));
    match record.doc_type() {
        Some(doc_type) if doc_type.is_correction() => {
            references(xml, "FacturasRectificadas", "IDFacturaRectificada", invoice);
        }
        Some(DocType::F3) => references(xml, "FacturasAgrupadas", "IDFacturaAgrupada", invoice),
        Some(_) | None => {}
    }
    xml.optional("FechaOperacion", operation_day(filed).map(Date::agency).as_deref());
    let (regime, additional) = record.regimes();
    xml.text("ClaveRegimenEspecialOTrascendencia", regime);
    xml.optional("ClaveRegimenEspecialOTrascendenciaAdicional1", additional);
    xml.text("ImporteTotal", &total.written());
    xml.text("DescripcionOperacion", &description(invoice));
    xml.optional("FacturaSimplificadaArticulos7.2_7.3", invoice.code_of(EXT_ARTICLE_7));
    xml.optional("Macrodato", (total.abs() >= LARGE_TOTAL_MIN).then_some("S"));
    recipient(xml, invoice);
    xml.element("TipoDesglose", |xml| match &record.breakdown {
        Breakdown::OfInvoice(part) => {
            xml.element("DesgloseFactura", |xml| rows(xml, part, record.service));
        }
        Breakdown::ByOperation { services, goods } => xml.element("DesgloseTipoOperacion", |xml| {
            for (name, part) in [("PrestacionServicios", services), ("Entrega", goods)] {
                if !part.is_empty() {
                    xml.element(name, |xml| rows(xml, part, record.service));
                }
            }
        }),
    });
}

/// The general note, else the names of the lines, as far as they fit.
fn description(invoice: &Invoice) -> String {
    let names = || {
        let names = invoice.lines.iter().map(|line| line.item.name.trim());
        names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
    };
    let text = invoice.description().map_or_else(names, str::to_owned);
    text.chars().take(DESCRIPTION_CHARS_MAX).collect()
}

/// The documents that this one corrects or replaces.
fn references(xml: &mut Writer, list: &str, row: &str, invoice: &Invoice) {
    xml.unless_empty(list, |xml| {
        for reference in &invoice.preceding {
            xml.element(row, |xml| {
                xml.text("NumSerieFacturaEmisor", &number(reference.series.as_deref(), &reference.code));
                let issued = reference.issue_date.as_deref();
                xml.text(
                    "FechaExpedicionFacturaEmisor",
                    agency(issued).as_deref().or(issued).unwrap_or_default(),
                );
            });
        }
    });
}

/// A name alone has no place in the record.
fn recipient(xml: &mut Writer, invoice: &Invoice) {
    let Some((party, identification)) =
        invoice.customer.as_ref().and_then(|party| Some((party, IDENTITY_TERMS.identify(party)?)))
    else {
        return;
    };
    xml.element("Contraparte", |xml| {
        xml.text("NombreRazon", party.name.trim());
        match identification {
            Identification::Nif(nif) => xml.text("NIF", nif),
            Identification::Other { country, id_type, id } => xml.element("IDOtro", |xml| {
                xml.optional("CodigoPais", country);
                xml.text("IDType", id_type);
                xml.text("ID", &id);
            }),
        }
    });
}

fn rows(xml: &mut Writer, part: &Part, service: Service) {
    xml.unless_empty("Sujeta", |xml| {
        xml.unless_empty("Exenta", |xml| {
            for (code, base) in &part.exempt {
                xml.element("DetalleExenta", |xml| {
                    xml.text("CausaExencion", code);
                    xml.text("BaseImponible", &base.written());
                });
            }
        });
        if !part.taxed.is_empty() {
            let [list, row] = service.taxed_rows();
            xml.element("NoExenta", |xml| {
                xml.text("TipoNoExenta", taxed_sort(&part.taxed));
                xml.element(list, |xml| {
                    part.taxed.iter().for_each(|taxed| xml.element(row, |xml| taxed_row(xml, taxed)));
                });
            });
        }
    });
    xml.unless_empty("NoSujeta", |xml| {
        xml.optional(service.outside_by_law(), part.outside_by_law.map(Cents::written).as_deref());
        xml.optional("ImporteTAIReglasLocalizacion", part.outside_by_place.map(Cents::written).as_deref());
    });
}

/// S1, S2 where the recipient accounts for the tax, S3 where both occur.
fn taxed_sort(rows: &[TaxedRow]) -> &'static str {
    let reverse_charge = |row: &TaxedRow| row.reverse_charge;
    match (rows.iter().any(reverse_charge), rows.iter().all(reverse_charge)) {
        (false, _) => "S1",
        (true, true) => "S2",
        (true, false) => "S3",
    }
}

fn taxed_row(xml: &mut Writer, row: &TaxedRow) {
    xml.text("TipoImpositivo", &row.percent.written());
    xml.text("BaseImponible", &row.base.written());
    xml.text("CuotaRepercutida", &row.tax.written());
    if let Some((percent, amount)) = row.surcharge {
        xml.text("TipoRecargoEquivalencia", &percent.written());
        xml.text("CuotaRecargoEquivalencia", &amount.written());
    }
}
