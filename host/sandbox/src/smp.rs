//! The publisher's stand-in: who receives which documents in the delivery network, as SMP 1.4 publishes it, without a token and without
//! a locator, for every participant there may be. Its metadata are not signed. The last three digits of a participant's number steer it;
//! every number that ends otherwise receives invoices and credit notes.
//!
//! | ends in | answer |
//! |---|---|
//! | `200` | nobody is registered |
//! | `201` | receives other documents |
//! | `202` | receives invoices, and no credit notes |
//! | `203` | lists invoices and credit notes, whose endpoints are not in force any more |
//! | `300` | an error of the server |
//! | `310` | an error of the server the first time in this process, then as any other |
//! | `320` | no answer within a minute |
//! | `400` | a page that is no metadata |

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use gateway_domain_recipients::participant::{
    DocumentType, PARTICIPANT_SCHEME, PROCESS, Participant, TRANSPORT_PROFILE,
};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Where it is below the stand-in.
pub const SMP_PATH: &str = "smp";
/// How long a number takes that gets no answer.
const NO_ANSWER: Duration = Duration::from_mins(1);
const PUBLISHING: &str = "http://busdox.org/serviceMetadata/publishing/1.0/";
const IDENTIFIERS: &str = "http://busdox.org/transport/identifiers/1.0/";
/// A type of documents that no invoice is.
const ORDER: &str =
    "busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:Order-2::Order##urn:example:order::2.1";

/// Participants that were away once.
#[derive(Debug, Default)]
struct Publisher(Mutex<HashSet<String>>);

/// Its routes, as those of a real one are below its address.
pub(crate) fn router() -> Router {
    Router::new()
        .route(&format!("/{SMP_PATH}/{{participant}}"), get(group))
        .route(&format!("/{SMP_PATH}/{{participant}}/services/{{document_type}}"), get(metadata))
        .with_state(Arc::new(Publisher::default()))
}

/// What a participant receives (`ServiceGroup`).
async fn group(
    State(publisher): State<Arc<Publisher>>,
    headers: HeaderMap,
    Path(participant): Path<String>,
) -> Result<Response, Response> {
    let participant = publisher.find(&participant).await?;
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let below = format!("http://{host}/{SMP_PATH}/{}/services", encoded(&participant.to_string()));
    let references: Vec<_> = listed(&participant)
        .iter()
        .map(|document_type| {
            format!("<smp:ServiceMetadataReference href=\"{below}/{}\"/>", encoded(document_type))
        })
        .collect();
    Ok(xml(&format!(
        "<smp:ServiceGroup xmlns:smp=\"{PUBLISHING}\" xmlns:id=\"{IDENTIFIERS}\">{}\
            <smp:ServiceMetadataReferenceCollection>{}</smp:ServiceMetadataReferenceCollection></smp:ServiceGroup>",
        identifier("ParticipantIdentifier", &participant.to_string()),
        references.concat()
    )))
}

/// How it receives a type of documents (`SignedServiceMetadata`).
async fn metadata(
    State(publisher): State<Arc<Publisher>>,
    Path((participant, document_type)): Path<(String, String)>,
) -> Result<Response, Response> {
    let participant = publisher.find(&participant).await?;
    if !listed(&participant).contains(&document_type.as_str()) {
        return Err(StatusCode::NOT_FOUND.into_response());
    }
    let ends =
        if last_digits(&participant) == "203" { "2021-01-01T00:00:00Z" } else { "2099-01-01T00:00:00Z" };
    Ok(xml(&format!(
        "<smp:SignedServiceMetadata xmlns:smp=\"{PUBLISHING}\" xmlns:id=\"{IDENTIFIERS}\" xmlns:wsa=\"http://www.w3.org/2005/08/addressing\">\
            <smp:ServiceMetadata><smp:ServiceInformation>{}{}<smp:ProcessList><smp:Process>{}<smp:ServiceEndpointList>\
            <smp:Endpoint transportProfile=\"{TRANSPORT_PROFILE}\">\
            <wsa:EndpointReference><wsa:Address>https://ap.example/as4</wsa:Address></wsa:EndpointReference>\
            <smp:RequireBusinessLevelSignature>false</smp:RequireBusinessLevelSignature>\
            <smp:ServiceActivationDate>2020-01-01T00:00:00Z</smp:ServiceActivationDate>\
            <smp:ServiceExpirationDate>{ends}</smp:ServiceExpirationDate>\
            <smp:Certificate/><smp:ServiceDescription>Sandbox</smp:ServiceDescription>\
            <smp:TechnicalContactUrl>https://ap.example</smp:TechnicalContactUrl></smp:Endpoint></smp:ServiceEndpointList>\
            </smp:Process></smp:ProcessList></smp:ServiceInformation></smp:ServiceMetadata></smp:SignedServiceMetadata>",
        identifier("ParticipantIdentifier", &participant.to_string()),
        identifier("DocumentIdentifier", &document_type),
        identifier("ProcessIdentifier", PROCESS),
    )))
}

impl Publisher {
    /// Who it is, unless its number has it that nobody says.
    async fn find(&self, text: &str) -> Result<Participant, Response> {
        let is_scheme = text.starts_with(PARTICIPANT_SCHEME);
        let Some(participant) = Participant::parse(text).ok().filter(|_| is_scheme) else {
            return Err(StatusCode::NOT_FOUND.into_response());
        };
        let is_away = match last_digits(&participant).as_str() {
            "200" => return Err(StatusCode::NOT_FOUND.into_response()),
            "400" => return Err(Html("<html><body>Maintenance</body></html>").into_response()),
            "300" => true,
            "310" => self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned()),
            "320" => {
                tokio::time::sleep(NO_ANSWER).await;
                true
            }
            _ => false,
        };
        if is_away { Err(StatusCode::INTERNAL_SERVER_ERROR.into_response()) } else { Ok(participant) }
    }
}

/// Types of documents that a participant receives.
fn listed(participant: &Participant) -> Vec<&'static str> {
    let (invoice, credit_note) = (DocumentType::Invoice.identifier(), DocumentType::CreditNote.identifier());
    match last_digits(participant).as_str() {
        "201" => vec![ORDER],
        "202" => vec![ORDER, invoice],
        _ => vec![ORDER, invoice, credit_note],
    }
}

/// The last three digits of a number; some numbers have letters behind them.
fn last_digits(participant: &Participant) -> String {
    let digits: String = participant.value().chars().filter(char::is_ascii_digit).collect();
    digits.get(digits.len().saturating_sub(3)..).unwrap_or_default().to_owned()
}

/// An element with an identifier, whose scheme is an attribute.
fn identifier(element: &str, identifier: &str) -> String {
    let (scheme, value) = identifier.split_once("::").unwrap_or_default();
    let value = value.replace('&', "&amp;").replace('<', "&lt;");
    format!("<id:{element} scheme=\"{scheme}\">{value}</id:{element}>")
}

/// A segment of a path.
fn encoded(identifier: &str) -> String {
    url::form_urlencoded::byte_serialize(identifier.as_bytes()).collect()
}

fn xml(text: &str) -> Response {
    let declared = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{text}");
    ([(header::CONTENT_TYPE, "text/xml; charset=UTF-8")], declared).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn participant(text: &str) -> Participant {
        Participant::parse(text).unwrap()
    }

    #[test]
    fn the_last_three_digits_steer_it() {
        assert_eq!(last_digits(&participant("9944:NL123456200B01")), "001");
        assert_eq!(listed(&participant("9930:DE123456201")), [ORDER]);
        assert_eq!(listed(&participant("9930:DE123456202")), [ORDER, DocumentType::Invoice.identifier()]);
        assert_eq!(listed(&participant("9930:DE123456789")).len(), 3);
    }

    #[test]
    fn identifiers_are_written_as_the_real_ones_do() {
        assert_eq!(
            identifier("ParticipantIdentifier", &participant("0192:991825827").to_string()),
            "<id:ParticipantIdentifier scheme=\"iso6523-actorid-upis\">0192:991825827</id:ParticipantIdentifier>"
        );
        assert_eq!(encoded("a::b#c:1.0"), "a%3A%3Ab%23c%3A1.0");
    }

    #[tokio::test]
    async fn whoever_is_away_once_is_there_the_next_time() {
        let publisher = Publisher::default();
        let number = "iso6523-actorid-upis::9930:de123456310";
        assert!(publisher.find(number).await.is_err());
        assert!(publisher.find(number).await.is_ok());
        assert!(publisher.find("9930:de123456789").await.is_err(), "without the scheme of participants");
    }
}
