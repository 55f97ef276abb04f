//! What publishers answer (SMP 1.4, "Data model"), read without trusting it. No document type declaration is accepted, so that nothing
//! in an answer refers to anything else or grows; what is read is a bounded number of nodes.

use gateway_domain_recipients::participant::{
    DocumentType, LookupDoubt, PARTICIPANT_SCHEME, PROCESS, Participant, TRANSPORT_PROFILE,
};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use percent_encoding::percent_decode_str;
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::HashSet;
use url::Url;

const PUBLISHING: &str = "http://busdox.org/serviceMetadata/publishing/1.0/";
const IDENTIFIERS: &str = "http://busdox.org/transport/identifiers/1.0/";
/// Elements, texts and attributes of an answer: a participant with thousands of types of documents.
const NODES_MAX: u32 = 50_000;
/// Attributes of an element. The library compares each with each.
const ATTRIBUTES_MAX: usize = 64;
/// Prefixes of namespaces of an answer. For each element that declares one, the library compares those in force with each other.
const PREFIXES_MAX: usize = 32;
/// What stands between the participant and the type of documents in the address of metadata.
const SERVICES: &str = "/services/";

/// What the metadata of a type of documents say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Metadata {
    /// There is an endpoint for it now.
    InForce,
    /// There is none, or none yet, or none any more.
    NotInForce,
    /// They are at another publisher.
    Redirect(Url),
}

fn parse(xml: &str) -> Result<Document<'_>, LookupDoubt> {
    ensure_readable(xml)?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    Document::parse_with_options(xml, options).map_err(|error| {
        tracing::info!(causes = %error, "The answer of a publisher is no XML.");
        LookupDoubt::Unreadable
    })
}

/// Refuses what would take the library longer the more there is of it. No tag has another one in it, so that what stands between two
/// of their beginnings has every attribute of one.
fn ensure_readable(xml: &str) -> Result<(), LookupDoubt> {
    let is_wide = |tag: &str| tag.matches('=').count() > ATTRIBUTES_MAX;
    let declared =
        xml.split("xmlns").skip(1).map(|rest| rest.split_once('=').map_or(rest, |(prefix, _)| prefix));
    let prefixes: HashSet<_> = declared.collect();
    if prefixes.len() > PREFIXES_MAX || xml.split('<').any(is_wide) {
        return Err(LookupDoubt::Unreadable);
    }
    Ok(())
}

fn children<'a>(
    node: Node<'a, 'a>,
    namespace: &'static str,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.has_tag_name((namespace, name)))
}

fn child<'a>(
    node: Node<'a, 'a>,
    namespace: &'static str,
    name: &'static str,
) -> Result<Node<'a, 'a>, LookupDoubt> {
    children(node, namespace, name).next().ok_or(LookupDoubt::Unreadable)
}

/// An identifier with its scheme: `scheme::value`.
fn identifier(node: Node<'_, '_>) -> String {
    let scheme = node.attribute("scheme").unwrap_or_default().trim();
    format!("{scheme}::{}", node.text().unwrap_or_default().trim())
}

/// An answer is about whom it was asked about, or it is none.
fn ensure_about(node: Node<'_, '_>, participant: &Participant) -> Result<(), LookupDoubt> {
    let found = identifier(child(node, IDENTIFIERS, "ParticipantIdentifier")?);
    let is_same = found.eq_ignore_ascii_case(&format!("{PARTICIPANT_SCHEME}::{}", participant.value()));
    if is_same { Ok(()) } else { Err(LookupDoubt::Unreadable) }
}

/// Whether a participant receives a type of documents, by the list of what it receives (`ServiceGroup`).
///
/// # Errors
/// Where the answer is no such list, or another participant's.
pub(crate) fn is_listed(
    xml: &str,
    participant: &Participant,
    document_type: DocumentType,
) -> Result<bool, LookupDoubt> {
    let document = parse(xml)?;
    let group = document.root_element();
    if !group.has_tag_name((PUBLISHING, "ServiceGroup")) {
        return Err(LookupDoubt::Unreadable);
    }
    ensure_about(group, participant)?;
    let list = child(group, PUBLISHING, "ServiceMetadataReferenceCollection")?;
    let is_listed = children(list, PUBLISHING, "ServiceMetadataReference").any(|reference| {
        let href = reference.attribute("href").unwrap_or_default();
        let listed = href.rsplit_once(SERVICES).map(|(_, encoded)| percent_decode_str(encoded.trim()));
        listed.is_some_and(|listed| listed.eq(document_type.identifier().bytes()))
    });
    Ok(is_listed)
}

/// What the metadata of a type of documents say (`SignedServiceMetadata`); the signature is passed over.
///
/// # Errors
/// Where the answer is no such metadata, or those of another participant or type of documents.
pub(crate) fn read(
    xml: &str,
    participant: &Participant,
    document_type: DocumentType,
    now: Timestamp,
) -> Result<Metadata, LookupDoubt> {
    let document = parse(xml)?;
    let signed = document.root_element();
    if !signed.has_tag_name((PUBLISHING, "SignedServiceMetadata")) {
        return Err(LookupDoubt::Unreadable);
    }
    let metadata = child(signed, PUBLISHING, "ServiceMetadata")?;
    if let Some(redirect) = children(metadata, PUBLISHING, "Redirect").next() {
        let address = redirect.attribute("href").and_then(|href| href.trim().parse().ok());
        return address.map(Metadata::Redirect).ok_or(LookupDoubt::Unreadable);
    }
    let service = child(metadata, PUBLISHING, "ServiceInformation")?;
    ensure_about(service, participant)?;
    if identifier(child(service, IDENTIFIERS, "DocumentIdentifier")?) != document_type.identifier() {
        return Err(LookupDoubt::Unreadable);
    }
    let processes = children(child(service, PUBLISHING, "ProcessList")?, PUBLISHING, "Process");
    let of_process = processes.filter(|process| {
        children(*process, IDENTIFIERS, "ProcessIdentifier").any(|found| identifier(found) == PROCESS)
    });
    for list in of_process.flat_map(|process| children(process, PUBLISHING, "ServiceEndpointList")) {
        for endpoint in children(list, PUBLISHING, "Endpoint") {
            if is_in_force(endpoint, now)? {
                return Ok(Metadata::InForce);
            }
        }
    }
    Ok(Metadata::NotInForce)
}

/// Whether documents can be sent to an endpoint now.
fn is_in_force(endpoint: Node<'_, '_>, now: Timestamp) -> Result<bool, LookupDoubt> {
    let begins = time(endpoint, "ServiceActivationDate")?;
    let ends = time(endpoint, "ServiceExpirationDate")?;
    let is_now = begins.is_none_or(|begins| begins <= now) && ends.is_none_or(|ends| now < ends);
    Ok(is_now && endpoint.attribute("transportProfile").map(str::trim) == Some(TRANSPORT_PROFILE))
}

/// A time (`xs:dateTime`), in UTC where it names no offset; none where there is none.
fn time(endpoint: Node<'_, '_>, name: &'static str) -> Result<Option<Timestamp>, LookupDoubt> {
    let Some(node) = children(endpoint, PUBLISHING, name).next() else { return Ok(None) };
    let text = node.text().unwrap_or_default().trim();
    let stated = text.parse::<Timestamp>().ok();
    let local = || text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    stated.or_else(local).map(Some).ok_or(LookupDoubt::Unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{group, metadata};
    use std::time::Instant;

    fn participant() -> Participant {
        Participant::parse("9930:DE123456789").unwrap()
    }

    fn now() -> Timestamp {
        "2026-11-20T09:00:00Z".parse().unwrap()
    }

    fn listed(xml: &str) -> Result<bool, LookupDoubt> {
        is_listed(xml, &participant(), DocumentType::Invoice)
    }

    fn found(xml: &str) -> Result<Metadata, LookupDoubt> {
        read(xml, &participant(), DocumentType::Invoice, now())
    }

    #[test]
    fn a_list_has_the_types_of_documents_at_the_ends_of_its_addresses() {
        let (invoice, credit_note) =
            (DocumentType::Invoice.identifier(), DocumentType::CreditNote.identifier());
        let list = group("9930:de123456789", &[credit_note, invoice]);
        assert_eq!(listed(&list), Ok(true));
        assert_eq!(listed(&group("9930:DE123456789", &[credit_note])), Ok(false));
        assert_eq!(listed(&group("9930:de123456789", &[])), Ok(false));
        let longer = format!("{invoice}x");
        assert_eq!(listed(&group("9930:de123456789", &[&longer])), Ok(false), "the whole identifier counts");
    }

    #[test]
    fn a_list_of_somebody_else_says_nothing() {
        assert_eq!(listed(&group("9930:de987654321", &[])), Err(LookupDoubt::Unreadable));
        let schemes = group("9930:de123456789", &[]).replace("iso6523-actorid-upis\"", "other\"");
        assert_eq!(listed(&schemes), Err(LookupDoubt::Unreadable));
    }

    #[test]
    fn metadata_are_in_force_with_an_endpoint_of_the_process_and_the_transport_of_today() {
        let xml = metadata("9930:de123456789", DocumentType::Invoice.identifier());
        assert_eq!(found(&xml), Ok(Metadata::InForce));
        for (what, other) in [
            ("urn:fdc:peppol.eu:2017:poacc:billing:01:1.0", "urn:fdc:peppol.eu:poacc:bis:ordering:3"),
            ("cenbii-procid-ubl", "other-procid"),
            ("peppol-transport-as4-v2_0", "busdox-transport-as2-ver1p0"),
            ("2020-01-01T00:00:00Z", "2026-11-21T00:00:00Z"),
            ("2030-01-01T00:00:00", "2026-11-20T09:00:00"),
        ] {
            assert!(xml.contains(what), "{what}");
            assert_eq!(found(&xml.replace(what, other)), Ok(Metadata::NotInForce), "{other}");
        }
        assert_eq!(
            found(&xml.replace("2030-01-01T00:00:00", "for ever")),
            Err(LookupDoubt::Unreadable),
            "whether it is over, nobody knows"
        );
        let other_type = metadata("9930:de123456789", DocumentType::CreditNote.identifier());
        assert_eq!(found(&other_type), Err(LookupDoubt::Unreadable));
    }

    #[test]
    fn metadata_may_be_at_another_publisher() {
        let redirect = format!(
            "<s:SignedServiceMetadata xmlns:s=\"{PUBLISHING}\"><s:ServiceMetadata><s:Redirect href=\"https://other.example/a\"/></s:ServiceMetadata></s:SignedServiceMetadata>"
        );
        let other = "https://other.example/a".parse().unwrap();
        assert_eq!(found(&redirect), Ok(Metadata::Redirect(other)));
        assert_eq!(found(&redirect.replace("https://other", "")), Err(LookupDoubt::Unreadable));
    }

    #[test]
    fn whatever_else_is_published_is_no_answer() {
        let list = group("9930:de123456789", &[DocumentType::Invoice.identifier()]);
        let xml = metadata("9930:de123456789", DocumentType::Invoice.identifier());
        let oasis = "http://docs.oasis-open.org/bdxr/ns/SMP/2016/05";
        for text in [
            "",
            "<html><body>maintenance</body></html>",
            "{}",
            "<a><b></a>",
            &list.replace(PUBLISHING, oasis),
            &list.replace(IDENTIFIERS, oasis),
            &xml.replace(PUBLISHING, oasis),
            &format!("<!DOCTYPE a SYSTEM \"file:///etc/passwd\">{list}"),
            &format!("<!DOCTYPE a [<!ENTITY b \"c\">]>{xml}"),
        ] {
            assert_eq!(listed(text), Err(LookupDoubt::Unreadable), "{text}");
            assert_eq!(found(text), Err(LookupDoubt::Unreadable), "{text}");
        }
        assert_eq!(listed(&xml), Err(LookupDoubt::Unreadable));
        assert_eq!(found(&list), Err(LookupDoubt::Unreadable));
    }

    /// A megabyte of each takes no time that anybody notices.
    #[test]
    fn what_grows_when_it_is_read_is_refused_at_once() {
        let laughs = "<!DOCTYPE a [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;\">]><a>&c;</a>";
        let deep = format!("{}{}", "<a>".repeat(130_000), "</a>".repeat(130_000));
        let wide = format!("<a>{}</a>", "<b/>".repeat(200_000));
        let attributes: Vec<_> = (0..60_000).map(|number| format!(" a{number}=\"\"")).collect();
        let attributes = attributes.concat();
        let namespaces = |count: usize, prefixes: usize| {
            let declared = |number: usize| format!("<a xmlns:n{}=\"u{number}\">", number % prefixes);
            (0..count).map(declared).collect::<Vec<_>>().concat()
        };
        let began = Instant::now();
        let hostile =
            [laughs.to_owned(), deep, wide, format!("<a{attributes}/>"), namespaces(20_000, 20_000)];
        for text in hostile.into_iter().chain([namespaces(20_000, PREFIXES_MAX)]) {
            assert_eq!(listed(&text), Err(LookupDoubt::Unreadable));
        }
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
    }
}
