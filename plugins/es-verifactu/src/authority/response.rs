//! The agency's answer: `RespuestaRegFactuSistemaFacturacion`, about one record.
//!
//! Every answer that is no SOAP fault is valid against its schemas (`RespuestaSuministro.xsd`); the order of the elements is theirs.

use einvoice_es::response::Response;
use einvoice_plugin::{Answer, Outcome};
use einvoice_xml::Writer;

use super::AGENCY;
use super::filed_document::FiledDocument;
use super::memory::{DUPLICATE, Purpose, Standing, StoredRecord};
use crate::schemas::NAMESPACE;

/// Seconds that a system has to wait before its next message, as the agency's usual answer says.
const WAIT: &str = "60";
/// Characters of the number of an earlier message.
const REQUEST_CHARS: usize = 20;

/// The answer to the record that `purpose` asks for.
pub(super) fn response(
    filed: &FiledDocument,
    purpose: Purpose,
    registered: Option<&StoredRecord>,
    presented_at: &str,
    outcome: &Outcome,
) -> Answer {
    let response = Response {
        namespace: NAMESPACE,
        root: "RespuestaRegFactuSistemaFacturacion",
        presenter: &filed.issuer,
        presented_at,
        agency: AGENCY,
        outcome,
    };
    let is_duplicate = outcome.faults.iter().any(|fault| fault.code.as_deref() == Some(DUPLICATE));
    let held = registered.filter(|_| is_duplicate);
    response.answer(|xml| header(xml, filed), |xml| record(xml, filed, purpose), |xml| duplicate(xml, held))
}

fn header(xml: &mut Writer, filed: &FiledDocument) {
    xml.element("res:Cabecera", |xml| {
        xml.element("ObligadoEmision", |xml| {
            xml.text("NombreRazon", filed.invoice.supplier.name.trim());
            xml.text("NIF", &filed.issuer);
        });
    });
    xml.text("res:TiempoEsperaEnvio", WAIT);
}

fn record(xml: &mut Writer, filed: &FiledDocument, purpose: Purpose) {
    let (kind, amends, refused, without_record) = match purpose {
        Purpose::Register => ("Alta", None, None, None),
        Purpose::RegisterAgain => ("Alta", Some("S"), Some("X"), None),
        Purpose::Amend { refused_before } => ("Alta", Some("S"), refused_before.then_some("S"), None),
        Purpose::Cancel { without_record, refused_before } => {
            ("Anulacion", None, refused_before.then_some("S"), without_record.then_some("S"))
        }
    };
    xml.element("res:IDFactura", |xml| {
        xml.text("IDEmisorFactura", &filed.issuer);
        xml.text("NumSerieFactura", &filed.number);
        xml.text("FechaExpedicionFactura", &filed.date);
    });
    xml.element("res:Operacion", |xml| {
        xml.text("TipoOperacion", kind);
        xml.optional("Subsanacion", amends);
        xml.optional("RechazoPrevio", refused);
        xml.optional("SinRegistroPrevio", without_record);
    });
}

/// What the agency holds already.
fn duplicate(xml: &mut Writer, held: Option<&StoredRecord>) {
    let Some(held) = held else { return };
    let state = match held.standing {
        Standing::Nothing => return,
        Standing::Accepted => "Correcta",
        Standing::AcceptedWithErrors => "AceptadaConErrores",
        Standing::Cancelled => "Anulada",
    };
    xml.element("res:RegistroDuplicado", |xml| {
        xml.text("IdPeticionRegistroDuplicado", held.huella.get(..REQUEST_CHARS).unwrap_or_default());
        xml.text("EstadoRegistroDuplicado", state);
    });
}
