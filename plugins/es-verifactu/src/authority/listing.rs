//! The agency's list as the sandbox plays it: `RespuestaConsultaFactuSistemaFacturacion`, valid against `RespuestaConsultaLR.xsd`.

use einvoice_es::date::Date;
use einvoice_plugin::{FiledRecord, ListingQuestion, SandboxListing};
use einvoice_xml::{Writer, document};
use roxmltree::{Document, Node};

use super::READER;
use super::filed_document::FiledDocument;
use super::memory::{Standing, StoredRecord};
use crate::EsVerifactu;
use crate::doc_type::EXT_CORRECTION_TYPE;
use crate::schemas::{ACCEPTED, ACCEPTED_WITH_ERRORS, CANCELLED, NAMESPACE, SOAP};

/// Records of a page: the agency's has ten thousand.
const PAGE: usize = 50;
/// What the agency says to a question that it cannot read.
const UNREADABLE: &str = "Codigo[4102].El XML no cumple el esquema. Falta informar campo obligatorio.";

/// What is asked for.
struct Question<'a> {
    issuer: &'a str,
    name: &'a str,
    year: &'a str,
    month: &'a str,
    from: Date,
    until: Date,
    behind: Option<(Date, &'a str)>,
}

impl SandboxListing for EsVerifactu {
    fn listing(question: &ListingQuestion, filed: &[FiledRecord]) -> Vec<u8> {
        let text = std::str::from_utf8(&question.body).unwrap_or_default();
        let read = Document::parse(text).ok();
        let question = read.as_ref().and_then(|document| Question::read(document.root_element()));
        question.map_or_else(fault, |question| question.answer(filed)).into_bytes()
    }
}

impl<'a> Question<'a> {
    fn read(root: Node<'a, '_>) -> Option<Self> {
        let text = |name: &str| {
            let found = root.descendants().find(|node| node.tag_name().name() == name);
            found.and_then(|node| node.text())
        };
        let below = |name: &str, member: &str| {
            let found = root.descendants().find(|node| node.tag_name().name() == name)?;
            found.descendants().find(|node| node.tag_name().name() == member).and_then(|node| node.text())
        };
        let key = "ClavePaginacion";
        let behind = below(key, "FechaExpedicionFactura").and_then(day).zip(below(key, "NumSerieFactura"));
        Some(Self {
            issuer: text("NIF")?,
            name: text("NombreRazon")?,
            year: text("Ejercicio")?,
            month: text("Periodo")?,
            from: text("Desde").and_then(day)?,
            until: text("Hasta").and_then(day)?,
            behind,
        })
    }

    /// Whether a record is asked for, whatever page it is on.
    fn concerns(&self, filed: &FiledDocument) -> bool {
        let imputed = filed.operation_day().unwrap_or(filed.day);
        filed.issuer == self.issuer
            && format!("{:04}", imputed.year()) == self.year
            && format!("{:02}", imputed.month()) == self.month
            && (self.from..=self.until).contains(&filed.day)
    }

    fn answer(&self, filed: &[FiledRecord]) -> String {
        let mut listed: Vec<_> =
            filed.iter().filter_map(read).filter(|(filed, _)| self.concerns(filed)).collect();
        listed.sort_by(|(a, _), (b, _)| (a.day, &a.number).cmp(&(b.day, &b.number)));
        if let Some((date, number)) = self.behind {
            listed.retain(|(filed, _)| (filed.day, filed.number.as_str()) > (date, number));
        }
        let has_more = listed.len() > PAGE;
        listed.truncate(PAGE);
        envelope(|xml| {
            xml.element("res:RespuestaConsultaFactuSistemaFacturacion", |xml| {
                xml.element("res:Cabecera", |xml| {
                    xml.text("IDVersion", "1.0");
                    xml.element("ObligadoEmision", |xml| {
                        xml.text("NombreRazon", self.name);
                        xml.text("NIF", self.issuer);
                    });
                });
                xml.element("res:PeriodoImputacion", |xml| {
                    xml.text("res:Ejercicio", self.year);
                    xml.text("res:Periodo", self.month);
                });
                xml.text("res:IndicadorPaginacion", if has_more { "S" } else { "N" });
                xml.text("res:ResultadoConsulta", if listed.is_empty() { "SinDatos" } else { "ConDatos" });
                for (filed, record) in &listed {
                    xml.element("res:RegistroRespuestaConsultaFactuSistemaFacturacion", |xml| {
                        row(xml, filed, record);
                    });
                }
                if let Some((last, _)) = listed.last().filter(|_| has_more) {
                    xml.element("res:ClavePaginacion", |xml| identity(xml, last));
                }
            });
        })
    }
}

/// A document with what the agency holds of it; none of one of which it holds nothing.
fn read(filed: &FiledRecord) -> Option<(FiledDocument, StoredRecord)> {
    let record: StoredRecord = READER.record(Some(filed.record.as_str())).ok().flatten()?;
    let document = FiledDocument::read(&filed.document).ok()?;
    (record.standing != Standing::Nothing).then_some((document, record))
}

fn row(xml: &mut Writer, filed: &FiledDocument, record: &StoredRecord) {
    let [state, _] = match record.standing {
        Standing::Nothing | Standing::Accepted => ACCEPTED,
        Standing::AcceptedWithErrors => ACCEPTED_WITH_ERRORS,
        Standing::Cancelled => CANCELLED,
    };
    xml.element("res:IDFactura", |xml| identity(xml, filed));
    xml.element("res:DatosRegistroFacturacion", |xml| {
        xml.text("res:TipoFactura", &filed.document_type);
        xml.optional("res:TipoRectificativa", filed.invoice.code_of(EXT_CORRECTION_TYPE));
        xml.optional("res:FechaOperacion", filed.operation_day().map(Date::agency).as_deref());
        xml.text("res:DescripcionOperacion", &filed.description());
        xml.text("res:CuotaTotal", &filed.tax);
        xml.text("res:ImporteTotal", &filed.total);
        // After a refused amendment the newest fingerprint is that of the refused record.
        if record.refused.is_none() {
            xml.text("res:TipoHuella", "01");
            xml.text("res:Huella", &record.huella);
        }
    });
    xml.element("res:EstadoRegistro", |xml| {
        // The stand-in keeps no time of its records.
        xml.text("res:TimestampUltimaModificacion", &format!("{}T00:00:00", filed.day));
        xml.text("res:EstadoRegistro", state);
    });
}

fn identity(xml: &mut Writer, filed: &FiledDocument) {
    xml.text("IDEmisorFactura", &filed.issuer);
    xml.text("NumSerieFactura", &filed.number);
    xml.text("FechaExpedicionFactura", &filed.date);
}

fn envelope(content: impl FnOnce(&mut Writer)) -> String {
    let (response, information) =
        (format!("{NAMESPACE}RespuestaConsultaLR.xsd"), format!("{NAMESPACE}SuministroInformacion.xsd"));
    let namespaces =
        [("xmlns:env", SOAP), ("xmlns:res", response.as_str()), ("xmlns:sum", information.as_str())];
    document("env:Envelope", &namespaces, "sum", |xml| {
        xml.text("env:Header", "");
        xml.element("env:Body", content);
    })
}

fn fault() -> String {
    document("env:Envelope", &[("xmlns:env", SOAP)], "", |xml| {
        xml.element("env:Body", |xml| {
            xml.element("env:Fault", |xml| {
                xml.text("faultcode", "env:Client");
                xml.text("faultstring", UNREADABLE);
            });
        });
    })
}

/// `DD-MM-YYYY`
fn day(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    format!("{year}-{month}-{day}").parse().ok()
}
