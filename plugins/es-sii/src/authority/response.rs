//! The agency's answer: `RespuestaLRFacturasEmitidas`, about one record.
//!
//! Every answer that is no SOAP fault is valid against the schemas of the service that it comes from (`RespuestaSuministro.xsd`).

use einvoice_es::response::Response;
use einvoice_es::stored::FiledDocument;
use einvoice_gobl::clock::central_europe;
use einvoice_plugin::{Answer, Outcome, Submission};
use einvoice_xml::Writer;

use super::message::{header, invoice_id, service};
use super::{AGENCY, State, StoredRecord};
use crate::answers::DUPLICATE;

/// The answer to the one record of a message.
pub(super) fn response(
    submission: &Submission,
    filed: &FiledDocument,
    registered: Option<&StoredRecord>,
    outcome: &Outcome,
) -> Answer {
    let service = service(filed);
    let response = Response {
        namespace: service.namespace(),
        root: "RespuestaLRFacturasEmitidas",
        presenter: &filed.issuer,
        presented_at: &timestamp(&submission.now),
        agency: AGENCY,
        outcome,
    };
    let is_duplicate = outcome.faults.iter().any(|fault| fault.code.as_deref() == Some(DUPLICATE));
    let held = registered.filter(|_| is_duplicate);
    response.answer(
        |xml| header(xml, "res:Cabecera", filed, service, submission.amends.is_some()),
        |xml| invoice_id(xml, "res:IDFactura", filed),
        |xml| duplicate(xml, held),
    )
}

/// What the agency holds already.
fn duplicate(xml: &mut Writer, held: Option<&StoredRecord>) {
    let Some(held) = held else { return };
    xml.element("res:RegistroDuplicado", |xml| {
        let state = match held.state {
            State::Correct => "Correcta",
            State::WithErrors => "AceptadaConErrores",
        };
        xml.text("EstadoRegistro", state);
    });
}

/// `DD-MM-YYYY hh:mm:ss`, as the clocks in Spain show it.
fn timestamp(instant: &str) -> String {
    central_europe(instant).map_or_else(String::new, |local| {
        let whole = local.to_string();
        format!("{} {}", local.day.agency(), whole.get(11..19).unwrap_or_default())
    })
}
