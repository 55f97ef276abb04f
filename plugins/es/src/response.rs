//! How the agency answers to a message with one record, in VERI*FACTU and in the SII alike: in a SOAP envelope, with the state of
//! the message (`EstadoEnvio`) and of its record (`EstadoRegistro`).
//!
//! | what it says | `EstadoEnvio` | `EstadoRegistro` |
//! |---|---|---|
//! | nothing | Correcto | Correcto |
//! | 2000 to 2999 | ParcialmenteCorrecto | AceptadoConErrores |
//! | 1xxx and 3xxx | Incorrecto | Incorrecto |
//! | 4xxx and 35xx | no answer to the record, but a SOAP fault | |

use einvoice_plugin::{Answer, Outcome, ProviderFault};
use einvoice_xml::{Writer, document};
use sha2::{Digest, Sha256};

use crate::authority::{Effect, effect, is_code};

const SOAP: &str = "http://schemas.xmlsoap.org/soap/envelope/";
/// The agency's answers have no name of a file.
const NAME: &str = "response.xml";
/// Bytes of a digest that a CSV is made of.
const CSV_BYTES: usize = 7;
/// Most characters of `DescripcionErrorRegistro`.
const DESCRIPTION_CHARS_MAX: usize = 500;

/// An answer to a message with one record. Its elements have the prefix `res`, those of the service's other schema `inf`, which is
/// also what names without one get.
#[derive(Debug, Clone, Copy)]
pub struct Response<'a> {
    /// What the namespaces of the service's schemas begin with.
    pub namespace: &'a str,
    /// The root element: `RespuestaLRFacturasEmitidas`.
    pub root: &'a str,
    /// `NIFPresentador`.
    pub presenter: &'a str,
    /// `TimestampPresentacion`.
    pub presented_at: &'a str,
    /// What the agency is called in the faults of the outcome: others are not its own.
    pub agency: &'a str,
    /// What it did.
    pub outcome: &'a Outcome,
}

impl Response<'_> {
    /// The answer. `header` is everything between `DatosPresentacion` and `EstadoEnvio`, `record` everything before `EstadoRegistro`,
    /// and `duplicate` is `RegistroDuplicado`.
    pub fn answer(
        &self,
        header: impl FnOnce(&mut Writer),
        record: impl FnOnce(&mut Writer),
        duplicate: impl FnOnce(&mut Writer),
    ) -> Answer {
        let complaint =
            self.outcome.faults.iter().find(|fault| fault.provider.as_deref() == Some(self.agency));
        let refused = complaint.filter(|_| !self.outcome.accepted);
        if refused.and_then(|fault| fault.code.as_deref()).map(effect) == Some(Effect::RefusesMessage) {
            return Answer::xml(NAME, fault(refused));
        }
        let (message, state) = match (self.outcome.accepted, complaint) {
            (true, None) => ("Correcto", "Correcto"),
            (true, Some(_)) => ("ParcialmenteCorrecto", "AceptadoConErrores"),
            (false, _) => ("Incorrecto", "Incorrecto"),
        };
        let body = self.envelope(|xml| {
            if self.outcome.accepted {
                xml.text("res:CSV", &csv(self.outcome));
                xml.element("res:DatosPresentacion", |xml| {
                    xml.text("NIFPresentador", self.presenter);
                    xml.text("TimestampPresentacion", self.presented_at);
                });
            }
            header(xml);
            xml.text("res:EstadoEnvio", message);
            xml.element("res:RespuestaLinea", |xml| {
                record(xml);
                xml.text("res:EstadoRegistro", state);
                let code = complaint.and_then(|fault| fault.code.as_deref()).filter(|code| is_code(code));
                xml.optional("res:CodigoErrorRegistro", code);
                xml.optional("res:DescripcionErrorRegistro", complaint.map(description).as_deref());
                duplicate(xml);
            });
        });
        Answer::xml(NAME, body)
    }

    fn envelope(&self, content: impl FnOnce(&mut Writer)) -> String {
        let schema = |name: &str| format!("{}{name}.xsd", self.namespace);
        let (response, information) = (schema("RespuestaSuministro"), schema("SuministroInformacion"));
        let namespaces =
            [("xmlns:env", SOAP), ("xmlns:res", response.as_str()), ("xmlns:inf", information.as_str())];
        document("env:Envelope", &namespaces, "inf", |xml| {
            xml.text("env:Header", "");
            xml.element("env:Body", |xml| xml.element(&format!("res:{}", self.root), content));
        })
    }
}

/// The agency looked at no record of the message.
fn fault(complaint: Option<&ProviderFault>) -> String {
    let code = complaint.and_then(|fault| fault.code.as_deref()).unwrap_or_default();
    let sentence = complaint.map(description).unwrap_or_default();
    document("env:Envelope", &[("xmlns:env", SOAP)], "", |xml| {
        xml.element("env:Body", |xml| {
            xml.element("env:Fault", |xml| {
                xml.text("faultcode", "env:Client");
                xml.text("faultstring", &format!("Codigo[{code}].{sentence}"));
            });
        });
    })
}

fn description(fault: &ProviderFault) -> String {
    fault.message.iter().flat_map(|message| message.chars()).take(DESCRIPTION_CHARS_MAX).collect()
}

/// The number under which the agency keeps a message: `A-` and fourteen digits or letters, drawn from what was sent.
fn csv(outcome: &Outcome) -> String {
    let digest = Sha256::digest(outcome.payload.as_deref().unwrap_or_default());
    digest.iter().take(CSV_BYTES).fold("A-".to_owned(), |csv, byte| format!("{csv}{byte:02X}"))
}
