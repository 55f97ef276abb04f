//! What goes over the wire to the agency: `RegFactuSistemaFacturacion`, with one record.
//!
//! Namespaces and prefixes are those of the agency's own examples. Every accepted record is valid against its schemas
//! (`SuministroLR.xsd`); the order of the elements is theirs.

use einvoice_es::date::Date;
use einvoice_es::identification::Identification;
use einvoice_es::stored::{Category, Rate, agency, number};
use einvoice_gobl::decimal::Decimal;
use einvoice_xml::{Writer, document};

use super::document::Tax;
use super::figures;
use super::filed_document::FiledDocument;
use super::memory::{Purpose, StoredRecord};
use crate::codes::{EXT_ARTICLE_7, EXT_EXEMPT, EXT_OP_CLASS, EXT_REGIME};
use crate::doc_type::{DocType, EXT_CORRECTION_TYPE};
use crate::schemas::NAMESPACE;

/// From which total on a record is marked as a large one, in euro.
const LARGE_TOTAL_MIN: Decimal = figures::euros(100_000_000);

/// The record's place in the chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link<'a> {
    pub(super) previous: Option<&'a StoredRecord>,
    pub(super) generated_at: &'a str,
    pub(super) huella: &'a str,
}

/// The message with the record that `purpose` asks for.
pub(super) fn message(filed: &FiledDocument, purpose: Purpose, link: Link<'_>) -> String {
    let (records, information) =
        (format!("{NAMESPACE}SuministroLR.xsd"), format!("{NAMESPACE}SuministroInformacion.xsd"));
    let namespaces = [("xmlns:sum", records.as_str()), ("xmlns:sum1", information.as_str())];
    document("sum:RegFactuSistemaFacturacion", &namespaces, "sum1", |xml| {
        xml.element("sum:Cabecera", |xml| {
            xml.element("ObligadoEmision", |xml| {
                xml.text("NombreRazon", filed.invoice.supplier.name.trim());
                xml.text("NIF", &filed.issuer);
            });
            if filed.held_up {
                xml.element("RemisionVoluntaria", |xml| xml.text("Incidencia", "S"));
            }
        });
        xml.element("sum:RegistroFactura", |xml| match purpose {
            Purpose::Register => registration(xml, filed, link, None, None),
            Purpose::RegisterAgain => registration(xml, filed, link, Some("S"), Some("X")),
            Purpose::Amend { refused_before } => {
                registration(xml, filed, link, Some("S"), refused_before.then_some("S"));
            }
            Purpose::Cancel { without_record, refused_before } => {
                cancellation(xml, filed, link, without_record, refused_before);
            }
        });
    })
}

/// `RegistroAlta`. `amends` and `refused` are `Subsanacion` and `RechazoPrevio`.
fn registration(
    xml: &mut Writer,
    filed: &FiledDocument,
    link: Link<'_>,
    amends: Option<&str>,
    refused: Option<&str>,
) {
    let invoice = &filed.invoice;
    let doc_type = filed.doc_type();
    xml.element("RegistroAlta", |xml| {
        xml.text("IDVersion", "1.0");
        xml.element("IDFactura", |xml| {
            xml.text("IDEmisorFactura", &filed.issuer);
            xml.text("NumSerieFactura", &filed.number);
            xml.text("FechaExpedicionFactura", &filed.date);
        });
        xml.text("NombreRazonEmisor", invoice.supplier.name.trim());
        xml.optional("Subsanacion", amends);
        xml.optional("RechazoPrevio", refused);
        xml.text("TipoFactura", &filed.document_type);
        xml.optional("TipoRectificativa", invoice.code_of(EXT_CORRECTION_TYPE));
        if doc_type.is_some_and(DocType::is_correction) {
            references(xml, "FacturasRectificadas", "IDFacturaRectificada", filed);
        } else if doc_type == Some(DocType::F3) {
            references(xml, "FacturasSustituidas", "IDFacturaSustituida", filed);
        }
        xml.optional("FechaOperacion", filed.operation_day().map(Date::agency).as_deref());
        xml.text("DescripcionOperacion", &filed.description());
        xml.optional("FacturaSimplificadaArt7273", invoice.code_of(EXT_ARTICLE_7));
        if doc_type.is_some_and(DocType::is_simplified) {
            let nobody = invoice.customer.is_none();
            xml.text("FacturaSinIdentifDestinatarioArt61d", if nobody { "S" } else { "N" });
        }
        let total = figures::read(&filed.total);
        xml.optional("Macrodato", total.is_some_and(|total| total.abs() >= LARGE_TOTAL_MIN).then_some("S"));
        recipients(xml, filed);
        xml.element("Desglose", |xml| {
            for (category, rate) in invoice.rows_by_category() {
                xml.element("DetalleDesglose", |xml| breakdown(xml, filed, category, rate));
            }
        });
        xml.text("CuotaTotal", &filed.tax);
        xml.text("ImporteTotal", &filed.total);
        ending(xml, link);
    });
}

/// `RegistroAnulacion`.
fn cancellation(
    xml: &mut Writer,
    filed: &FiledDocument,
    link: Link<'_>,
    without_record: bool,
    refused_before: bool,
) {
    xml.element("RegistroAnulacion", |xml| {
        xml.text("IDVersion", "1.0");
        xml.element("IDFactura", |xml| {
            xml.text("IDEmisorFacturaAnulada", &filed.issuer);
            xml.text("NumSerieFacturaAnulada", &filed.number);
            xml.text("FechaExpedicionFacturaAnulada", &filed.date);
        });
        xml.optional("SinRegistroPrevio", without_record.then_some("S"));
        xml.optional("RechazoPrevio", refused_before.then_some("S"));
        ending(xml, link);
    });
}

/// The documents that this one corrects or replaces; all of the same issuer.
fn references(xml: &mut Writer, list: &str, row: &str, filed: &FiledDocument) {
    if filed.invoice.preceding.is_empty() {
        return;
    }
    xml.element(list, |xml| {
        for reference in &filed.invoice.preceding {
            xml.element(row, |xml| {
                xml.text("IDEmisorFactura", &filed.issuer);
                xml.text("NumSerieFactura", &number(reference.series.as_deref(), &reference.code));
                let issued = reference.issue_date.as_deref();
                let day = agency(issued);
                xml.text("FechaExpedicionFactura", day.as_deref().or(issued).unwrap_or_default());
            });
        }
    });
}

fn recipients(xml: &mut Writer, filed: &FiledDocument) {
    let (Some(customer), Some(identification)) = (&filed.invoice.customer, filed.recipient()) else { return };
    xml.element("Destinatarios", |xml| {
        xml.element("IDDestinatario", |xml| {
            xml.text("NombreRazon", customer.name.trim());
            match identification {
                Identification::Nif(nif) => xml.text("NIF", nif),
                Identification::Other { country, id_type, id } => xml.element("IDOtro", |xml| {
                    xml.optional("CodigoPais", country);
                    xml.text("IDType", id_type);
                    xml.text("ID", &id);
                }),
            }
        });
    });
}

fn breakdown(xml: &mut Writer, filed: &FiledDocument, category: &Category, rate: &Rate) {
    xml.text("Impuesto", Tax::of(category).code());
    xml.optional("ClaveRegimen", rate.code_of(EXT_REGIME));
    xml.optional("CalificacionOperacion", rate.code_of(EXT_OP_CLASS));
    xml.optional("OperacionExenta", rate.code_of(EXT_EXEMPT));
    let reverse_charge = rate.code_of(EXT_OP_CLASS) == Some("S2");
    let charged = reverse_charge || rate.percent.is_some();
    if charged {
        xml.text("TipoImpositivo", percent(rate.percent.as_deref().unwrap_or("0")));
    }
    xml.text("BaseImponibleOimporteNoSujeto", &filed.stated(&rate.base));
    if charged {
        xml.text("CuotaRepercutida", &filed.stated(&rate.amount));
    }
    if let Some(surcharge) = &rate.surcharge {
        xml.text("TipoRecargoEquivalencia", percent(&surcharge.percent));
        xml.text("CuotaRecargoEquivalencia", &filed.stated(&surcharge.amount));
    }
}

/// A percent as the agency writes it, without the sign.
pub(super) fn percent(percent: &str) -> &str {
    percent.trim_end_matches('%')
}

/// What every record ends with: its place in the chain, who made it and when, its fingerprint.
fn ending(xml: &mut Writer, link: Link<'_>) {
    xml.element("Encadenamiento", |xml| match link.previous {
        None => xml.text("PrimerRegistro", "S"),
        Some(previous) => xml.element("RegistroAnterior", |xml| {
            xml.text("IDEmisorFactura", &previous.issuer);
            xml.text("NumSerieFactura", &previous.number);
            xml.text("FechaExpedicionFactura", &previous.date);
            xml.text("Huella", &previous.huella);
        }),
    });
    xml.element("SistemaInformatico", system);
    xml.text("FechaHoraHusoGenRegistro", link.generated_at);
    xml.text("TipoHuella", "01");
    xml.text("Huella", link.huella);
}

/// The provider's system, played by the sandbox. Its NIF is the one of the agency's own examples: nobody's.
fn system(xml: &mut Writer) {
    xml.text("NombreRazon", "Sandbox");
    xml.text("NIF", "89890001K");
    xml.text("NombreSistemaInformatico", "Sandbox");
    xml.text("IdSistemaInformatico", "SB");
    xml.text("Version", "1.0");
    xml.text("NumeroInstalacion", "1");
    // It can only send at once, and it serves several taxpayers.
    xml.text("TipoUsoPosibleSoloVerifactu", "S");
    xml.text("TipoUsoPosibleMultiOT", "S");
    xml.text("IndicadorMultiplesOT", "S");
}
