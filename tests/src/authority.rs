//! The Spanish agency's own list of records, as a test says it.

use crate::http_server::{Reply, Server};
use serde_json::Value;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const NAMESPACES: &str = "xmlns:env=\"http://schemas.xmlsoap.org/soap/envelope/\" \
    xmlns:res=\"https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/RespuestaConsultaLR.xsd\"";

/// A record in the list.
#[derive(Debug, Clone)]
pub struct ListedInvoice {
    /// Of the invoice.
    pub number: String,
    /// `YYYY-MM-DD`.
    pub date: String,
    /// With taxes.
    pub total: String,
    /// `Correcto`, `AceptadoConErrores`, `Anulado`.
    pub state: String,
}

impl ListedInvoice {
    /// The record of a document that is issued.
    ///
    /// # Panics
    /// When the document lacks number, date or total.
    pub fn of(document: &Value) -> Self {
        let text = |pointer: &str| {
            let found = document.pointer(pointer).and_then(Value::as_str);
            found.unwrap_or_else(|| panic!("{pointer} of {document}")).to_owned()
        };
        Self {
            number: text("/display_invoice_number"),
            date: text("/issue_date"),
            total: text("/totals/gross"),
            state: "Correcto".to_owned(),
        }
    }

    fn xml(&self, issuer: &str) -> String {
        let Self { number, date, total, state } = self;
        format!(
            "<res:RegistroRespuestaConsultaFactuSistemaFacturacion><res:IDFactura><res:IDEmisorFactura>{issuer}</res:IDEmisorFactura>\
             <res:NumSerieFactura>{number}</res:NumSerieFactura><res:FechaExpedicionFactura>{}</res:FechaExpedicionFactura>\
             </res:IDFactura><res:DatosRegistroFacturacion><res:TipoFactura>F1</res:TipoFactura>\
             <res:ImporteTotal>{total}</res:ImporteTotal></res:DatosRegistroFacturacion><res:EstadoRegistro>\
             <res:EstadoRegistro>{state}</res:EstadoRegistro></res:EstadoRegistro>\
             </res:RegistroRespuestaConsultaFactuSistemaFacturacion>",
            reversed(date)
        )
    }
}

#[derive(Debug, Default)]
struct State {
    listed: Vec<ListedInvoice>,
    replies: VecDeque<(u16, String)>,
    questions: Vec<String>,
    is_endless: bool,
}

/// An agency that lists what a test says. It ends when dropped.
#[derive(Debug)]
pub struct ScriptedAuthority {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl ScriptedAuthority {
    /// On a free port of this machine, with an empty list.
    pub async fn start() -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let kept = Arc::clone(&state);
        let server = Server::start(move |request| {
            let question = String::from_utf8_lossy(&request.bytes).into_owned();
            let mut state = kept.lock().unwrap_or_else(PoisonError::into_inner);
            let (status, body) = state
                .replies
                .pop_front()
                .unwrap_or_else(|| (200, list(&question, &state.listed, state.is_endless)));
            state.questions.push(question);
            Reply::Answer(status, vec![("content-type", "text/xml".to_owned())], body)
        });
        Self { server: server.await, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where it is asked.
    pub fn url(&self) -> String {
        format!("http://{}/ws/list", self.server.addr)
    }

    /// From now on it lists these.
    pub fn list(&self, listed: Vec<ListedInvoice>) {
        self.state().listed = listed;
    }

    /// The next question is answered with this, whatever it is; again for the one behind.
    pub fn reply(&self, status: u16, body: &str) {
        self.state().replies.push_back((status, body.to_owned()));
    }

    /// From now on each page names the same place behind it, or none any more.
    pub fn never_end(&self, is_endless: bool) {
        self.state().is_endless = is_endless;
    }

    /// What it was asked so far.
    pub fn questions(&self) -> Vec<String> {
        self.state().questions.clone()
    }
}

/// The records of the days that a question names, whichever month it asks for: that of the day of issue.
fn list(question: &str, listed: &[ListedInvoice], is_endless: bool) -> String {
    let of = |name: &str| {
        let (_, rest) = question.split_once(&format!(":{name}>")).unwrap_or_default();
        rest.split('<').next().unwrap_or_default().to_owned()
    };
    let (from, until, issuer) = (reversed(&of("Desde")), reversed(&of("Hasta")), of("NIF"));
    let month = format!("{}-{}", of("Ejercicio"), of("Periodo"));
    let within = |record: &&ListedInvoice| {
        record.date.starts_with(&month) && (from.as_str()..=until.as_str()).contains(&record.date.as_str())
    };
    let records = listed.iter().filter(within).fold(String::new(), |mut text, record| {
        let _ = write!(text, "{}", record.xml(&issuer));
        text
    });
    let (more, behind) = if is_endless {
        let key = "<res:ClavePaginacion><res:NumSerieFactura>F-1</res:NumSerieFactura>\
            <res:FechaExpedicionFactura>01-01-2026</res:FechaExpedicionFactura></res:ClavePaginacion>";
        ("S", key)
    } else {
        ("N", "")
    };
    format!(
        "<env:Envelope {NAMESPACES}><env:Body><res:RespuestaConsultaFactuSistemaFacturacion>\
         <res:IndicadorPaginacion>{more}</res:IndicadorPaginacion>{records}{behind}\
         </res:RespuestaConsultaFactuSistemaFacturacion></env:Body></env:Envelope>"
    )
}

/// `YYYY-MM-DD` as `DD-MM-YYYY`, and back.
fn reversed(date: &str) -> String {
    date.split('-').rev().collect::<Vec<_>>().join("-")
}
