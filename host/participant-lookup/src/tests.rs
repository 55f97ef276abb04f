//! Look-ups over real sockets: a name server and publishers of the tests' own.

use super::*;
use hickory_resolver::proto::op::{Message, MessageType, OpCode, ResponseCode};
use hickory_resolver::proto::rr::rdata::{NAPTR, SOA};
use hickory_resolver::proto::rr::{Name, RData, Record};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};

/// How long a look-up of a test may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A list of what a participant receives, as publishers write it.
pub(crate) fn group(participant: &str, document_types: &[&str]) -> String {
    let mut references = String::new();
    for document_type in document_types {
        let encoded =
            percent_encoding::utf8_percent_encode(document_type, percent_encoding::NON_ALPHANUMERIC);
        let _ = write!(
            references,
            "<smp:ServiceMetadataReference href=\"https://smp.example/iso6523-actorid-upis%3A%3A{participant}/services/{encoded}\"/>"
        );
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><smp:ServiceGroup xmlns:smp=\"http://busdox.org/serviceMetadata/publishing/1.0/\" xmlns:id=\"http://busdox.org/transport/identifiers/1.0/\"><id:ParticipantIdentifier scheme=\"iso6523-actorid-upis\">{participant}</id:ParticipantIdentifier><smp:ServiceMetadataReferenceCollection>{references}</smp:ServiceMetadataReferenceCollection></smp:ServiceGroup>"
    )
}

/// The metadata of a type of documents, as publishers write them; without what nobody here reads.
pub(crate) fn metadata(participant: &str, document_type: &str) -> String {
    let (scheme, value) = document_type.split_once("::").unwrap();
    format!(
        "<SignedServiceMetadata xmlns=\"http://busdox.org/serviceMetadata/publishing/1.0/\" xmlns:id=\"http://busdox.org/transport/identifiers/1.0/\"><ServiceMetadata><ServiceInformation><id:ParticipantIdentifier scheme=\"iso6523-actorid-upis\">{participant}</id:ParticipantIdentifier><id:DocumentIdentifier scheme=\"{scheme}\">{value}</id:DocumentIdentifier><ProcessList><Process><id:ProcessIdentifier scheme=\"cenbii-procid-ubl\">urn:fdc:peppol.eu:2017:poacc:billing:01:1.0</id:ProcessIdentifier><ServiceEndpointList><Endpoint transportProfile=\"peppol-transport-as4-v2_0\"><EndpointReference xmlns=\"http://www.w3.org/2005/08/addressing\"><Address>https://ap.example/as4</Address></EndpointReference><RequireBusinessLevelSignature>false</RequireBusinessLevelSignature><ServiceActivationDate>2020-01-01T00:00:00Z</ServiceActivationDate><ServiceExpirationDate>2030-01-01T00:00:00</ServiceExpirationDate></Endpoint></ServiceEndpointList></Process></ProcessList></ServiceInformation></ServiceMetadata><Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\"/></SignedServiceMetadata>"
    )
}

/// What a publisher of a test answers to a path; none: nothing, ever.
type Answers = dyn Fn(&str) -> Option<String> + Send + Sync;

#[expect(clippy::unnecessary_wraps, reason = "a publisher may also answer nothing")]
fn ok(body: &str) -> Option<String> {
    Some(format!("HTTP/1.1 200 OK\r\ncontent-type: text/xml\r\ncontent-length: {}\r\n\r\n{body}", body.len()))
}

#[expect(clippy::unnecessary_wraps, reason = "a publisher may also answer nothing")]
fn status(line: &str) -> Option<String> {
    Some(format!("HTTP/1.1 {line}\r\ncontent-length: 0\r\n\r\n"))
}

/// A publisher at a free port of this machine; its address, and how often it was asked.
async fn publisher(
    answers: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
) -> (Url, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let (answers, requests): (Arc<Answers>, _) = (Arc::new(answers), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&requests);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (answers, count) = (Arc::clone(&answers), Arc::clone(&count));
            tokio::spawn(async move {
                let mut buffer = vec![0; 16 * 1024];
                while let Ok(read) = stream.read(&mut buffer).await {
                    let request = String::from_utf8_lossy(&buffer[..read]).into_owned();
                    let Some(path) = request.split(' ').nth(1) else { break };
                    count.fetch_add(1, Ordering::SeqCst);
                    match answers(path) {
                        Some(answer) => {
                            let _ = stream.write_all(answer.as_bytes()).await;
                        }
                        None => std::future::pending().await,
                    }
                }
            });
        }
    });
    (url, requests)
}

/// One that has a participant who receives these types of documents.
fn receiving(document_types: &'static [DocumentType]) -> impl Fn(&str) -> Option<String> + Send + Sync {
    move |path| {
        let Some((_, encoded)) = path.split_once("/services/") else {
            let identifiers: Vec<_> = document_types.iter().map(|known| known.identifier()).collect();
            return ok(&group("0192:991825827", &identifiers));
        };
        let document_type = percent_encoding::percent_decode_str(encoded).decode_utf8_lossy().into_owned();
        ok(&metadata("0192:991825827", &document_type))
    }
}

async fn look_up(
    directory: &NetworkDirectory,
    document_type: DocumentType,
) -> Result<Reception, LookupDoubt> {
    let participant = Participant::parse("0192:991825827").unwrap();
    directory.look_up(&participant, document_type, "2026-11-20T09:00:00Z".parse().unwrap()).await
}

/// The one publisher that is configured.
fn publisher_at(url: Url, allow_private: bool) -> Locator {
    Locator::Publisher { url, allow_private }
}

async fn at(url: Url) -> Result<Reception, LookupDoubt> {
    let directory = NetworkDirectory::new(publisher_at(url, true), TIMEOUT).unwrap();
    look_up(&directory, DocumentType::Invoice).await
}

#[tokio::test]
async fn a_participant_receives_what_its_publisher_lists_and_has_an_endpoint_for() {
    let (url, requests) = publisher(receiving(&[DocumentType::Invoice])).await;
    let directory = NetworkDirectory::new(publisher_at(url, true), TIMEOUT).unwrap();
    assert_eq!(look_up(&directory, DocumentType::Invoice).await, Ok(Reception::Receives));
    assert_eq!(requests.load(Ordering::SeqCst), 2, "the list and the metadata");
    assert_eq!(look_up(&directory, DocumentType::CreditNote).await, Ok(Reception::OtherDocuments));
    assert_eq!(requests.load(Ordering::SeqCst), 3, "the list is enough");
}

#[tokio::test]
async fn whom_a_publisher_does_not_have_is_not_registered() {
    let (url, _) = publisher(|_| status("404 Not Found")).await;
    assert_eq!(at(url).await, Ok(Reception::NotRegistered));
    let (url, _) = publisher(|path| {
        if path.contains("/services/") {
            status("404 Not Found")
        } else {
            ok(&group("0192:991825827", &[DocumentType::Invoice.identifier()]))
        }
    })
    .await;
    assert_eq!(at(url).await, Ok(Reception::OtherDocuments), "listed, and not there");
}

#[tokio::test]
async fn a_publisher_may_name_another_one_once() {
    let (other, _) = publisher(receiving(&[DocumentType::Invoice])).await;
    let list = group("0192:991825827", &[DocumentType::Invoice.identifier()]);
    let redirect = |to: &str| {
        format!(
            "<SignedServiceMetadata xmlns=\"http://busdox.org/serviceMetadata/publishing/1.0/\"><ServiceMetadata><Redirect href=\"{to}\"/></ServiceMetadata></SignedServiceMetadata>"
        )
    };
    let encoded = percent_encoding::utf8_percent_encode(
        DocumentType::Invoice.identifier(),
        percent_encoding::NON_ALPHANUMERIC,
    );
    let there = redirect(&format!("{other}x/services/{encoded}"));
    let (url, _) = publisher({
        let list = list.clone();
        move |path| if path.contains("/services/") { ok(&there) } else { ok(&list) }
    })
    .await;
    assert_eq!(at(url).await, Ok(Reception::Receives));
    let itself = Arc::new(OnceLock::new());
    let there = Arc::clone(&itself);
    let (url, requests) = publisher(move |path| {
        let there: &Url = there.get().unwrap();
        if path.contains("/services/") { ok(&redirect(there.as_str())) } else { ok(&list) }
    })
    .await;
    itself.set(url.join("/a/services/b").unwrap()).unwrap();
    assert_eq!(at(url).await, Err(LookupDoubt::Unreadable), "that one names another one");
    assert_eq!(requests.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_publisher_that_is_configured_leads_nowhere_inside() {
    let (inside, requests) = publisher(receiving(&[DocumentType::Invoice])).await;
    let (url, _) = publisher(move |_| {
        Some(format!("HTTP/1.1 302 Found\r\nlocation: {inside}\r\ncontent-length: 0\r\n\r\n"))
    })
    .await;
    let directory = NetworkDirectory::new(publisher_at(url, false), TIMEOUT).unwrap();
    assert_eq!(look_up(&directory, DocumentType::Invoice).await, Err(LookupDoubt::AddressRefused));
    assert_eq!(requests.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_publisher_that_redirects_for_ever_is_left() {
    let (url, requests) = publisher(|path| {
        Some(format!("HTTP/1.1 302 Found\r\nlocation: {path}x\r\ncontent-length: 0\r\n\r\n"))
    })
    .await;
    assert_eq!(at(url).await, Err(LookupDoubt::PublisherError));
    assert!(requests.load(Ordering::SeqCst) <= 5, "{requests:?}");
}

#[tokio::test]
async fn an_answer_that_is_an_error_or_too_long_or_late_is_a_doubt() {
    let (url, _) = publisher(|_| status("500 Internal Server Error")).await;
    assert_eq!(at(url).await, Err(LookupDoubt::PublisherError));
    let (url, _) = publisher(|_| ok(&"x".repeat(2 * 1024 * 1024))).await;
    assert_eq!(at(url).await, Err(LookupDoubt::Unreadable));
    let (url, _) = publisher(|_| None).await;
    let directory = NetworkDirectory::new(publisher_at(url, true), Duration::from_millis(100)).unwrap();
    assert_eq!(look_up(&directory, DocumentType::Invoice).await, Err(LookupDoubt::NoAnswer));
    // The head comes, and then nothing.
    let (url, _) = publisher(|_| Some("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n<".to_owned())).await;
    let directory = NetworkDirectory::new(publisher_at(url, true), Duration::from_millis(100)).unwrap();
    assert_eq!(look_up(&directory, DocumentType::Invoice).await, Err(LookupDoubt::NoAnswer));
}

/// What a name server of a test answers.
#[derive(Debug, Clone)]
enum Zone {
    Publisher(Url),
    Nobody,
    Failing,
    Silent,
    Referring,
}

/// A name server at a free port of this machine.
async fn name_server(zone: Zone) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut buffer = vec![0; 4096];
        loop {
            let (read, from) = socket.recv_from(&mut buffer).await.unwrap();
            let question = Message::from_vec(&buffer[..read]).unwrap();
            if let Some(answer) = answer(&question, &zone) {
                socket.send_to(&answer.to_vec().unwrap(), from).await.unwrap();
            }
        }
    });
    address
}

fn answer(question: &Message, zone: &Zone) -> Option<Message> {
    let mut answer = Message::new(question.metadata.id, MessageType::Response, OpCode::Query);
    let query = question.queries.first().unwrap().clone();
    let soa = SOA::new(Name::root(), Name::root(), 1, 1, 1, 1, 1);
    let name = query.name().clone();
    answer.add_query(query);
    answer.metadata.recursion_desired = true;
    answer.metadata.recursion_available = true;
    match zone {
        Zone::Silent => return None,
        Zone::Failing => answer.metadata.response_code = ResponseCode::ServFail,
        Zone::Referring => {}
        Zone::Nobody => {
            answer.metadata.response_code = ResponseCode::NXDomain;
            answer.add_authority(Record::from_rdata(
                Name::from_ascii("example.").unwrap(),
                60,
                RData::SOA(soa),
            ));
        }
        Zone::Publisher(url) => {
            let regexp = format!("!.*!{url}!").into_bytes();
            let record = NAPTR::new(
                100,
                10,
                b"U".to_vec().into(),
                b"Meta:SMP".to_vec().into(),
                regexp.into(),
                Name::root(),
            );
            answer.add_answer(Record::from_rdata(name, 60, RData::NAPTR(record)));
        }
    }
    Some(answer)
}

async fn located(zone: Zone, allow_private: bool, timeout: Duration) -> Result<Reception, LookupDoubt> {
    let locator = Locator::Sml {
        zone: "sml.example".to_owned(),
        name_servers: vec![name_server(zone).await],
        allow_private,
    };
    look_up(&NetworkDirectory::new(locator, timeout).unwrap(), DocumentType::Invoice).await
}

#[tokio::test]
async fn the_publisher_is_the_one_that_the_locator_names() {
    let (url, _) = publisher(receiving(&[DocumentType::Invoice])).await;
    assert_eq!(located(Zone::Publisher(url), true, TIMEOUT).await, Ok(Reception::Receives));
}

#[tokio::test]
async fn a_publisher_inside_is_not_called() {
    let (url, requests) = publisher(receiving(&[DocumentType::Invoice])).await;
    let inside = format!("https://127.0.0.1:{}/", url.port().unwrap()).parse().unwrap();
    let named = format!("https://localhost:{}/", url.port().unwrap()).parse().unwrap();
    for address in [url, inside, named] {
        let answered = located(Zone::Publisher(address), false, TIMEOUT).await;
        assert_eq!(answered, Err(LookupDoubt::AddressRefused));
    }
    assert_eq!(requests.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn who_has_no_name_is_not_registered_and_a_server_that_fails_is_a_doubt() {
    assert_eq!(located(Zone::Nobody, true, TIMEOUT).await, Ok(Reception::NotRegistered));
    assert_eq!(located(Zone::Failing, true, TIMEOUT).await, Err(LookupDoubt::LocatorNoAnswer));
    assert_eq!(located(Zone::Referring, true, TIMEOUT).await, Err(LookupDoubt::LocatorNoAnswer));
    let silent = located(Zone::Silent, true, Duration::from_millis(200)).await;
    assert_eq!(silent, Err(LookupDoubt::LocatorNoAnswer));
}
