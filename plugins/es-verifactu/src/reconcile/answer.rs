//! What the agency's answer lists. It is read as it came: by the names of elements, whatever their prefixes; without document type
//! definitions, so that no entity is expanded; within a bounded number of nodes.

use einvoice_plugin::{Amount, ListedRecord, ListingAnswer, ListingProblem, RecordState};
use roxmltree::{Document, Node, ParsingOptions};

use super::Behind;
use crate::schemas::{ACCEPTED, ACCEPTED_WITH_ERRORS, CANCELLED};

/// Elements, texts and all else of one answer: twelve MiB of the densest records have fewer.
const NODES_MAX: u32 = 1_500_000;
/// Characters of the agency's own words that are handed on.
const WORDS_CHARS_MAX: usize = 400;
const RESPONSE: &str = "RespuestaConsultaFactuSistemaFacturacion";
/// Of a record: what was filed.
const CONTENT: &str = "DatosRegistroFacturacion";
const RECORD: &str = "RegistroRespuestaConsultaFactuSistemaFacturacion";

/// The records of the issuer, and the last one where more follow.
pub(super) fn read(
    answer: &ListingAnswer,
    issuer: &str,
) -> Result<(Vec<ListedRecord>, Option<Behind>), ListingProblem> {
    let no_xml = || {
        if answer.status == 200 {
            let message =
                "The agency's answer is no XML of its service; look at the address that is set for it.";
            ListingProblem::lasting(message)
        } else {
            ListingProblem::of_status(answer.status, "the agency")
        }
    };
    let text = std::str::from_utf8(&answer.body).map_err(|_| no_xml())?;
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text.trim_start_matches('\u{FEFF}').trim_start(), options)
        .map_err(|_| no_xml())?;
    let body = child(document.root_element(), "Body").and_then(|body| body.first_element_child());
    let content = body.ok_or_else(no_xml)?;
    match content.tag_name().name() {
        "Fault" => Err(fault(content)),
        RESPONSE => list(content, issuer),
        _ => Err(no_xml()),
    }
}

fn list(content: Node<'_, '_>, issuer: &str) -> Result<(Vec<ListedRecord>, Option<Behind>), ListingProblem> {
    let rows = content.children().filter(|node| node.is_element() && node.tag_name().name() == RECORD);
    let records = rows.filter_map(|row| record(row, issuer)).collect::<Result<_, _>>()?;
    let behind = match text_at(content, &["IndicadorPaginacion"]) {
        Some("S") => Some(Behind {
            date: required(content, &["ClavePaginacion", "FechaExpedicionFactura"])?.to_owned(),
            number: required(content, &["ClavePaginacion", "NumSerieFactura"])?.to_owned(),
        }),
        Some("N") => None,
        _ => return Err(missing("IndicadorPaginacion")),
    };
    Ok((records, behind))
}

/// None of one that another issuer made.
fn record(row: Node<'_, '_>, issuer: &str) -> Option<Result<ListedRecord, ListingProblem>> {
    if text_at(row, &["IDFactura", "IDEmisorFactura"]) != Some(issuer) {
        return None;
    }
    Some(own_record(row))
}

fn own_record(row: Node<'_, '_>) -> Result<ListedRecord, ListingProblem> {
    let state = required(row, &["EstadoRegistro", "EstadoRegistro"])?;
    let state = match state {
        _ if ACCEPTED.contains(&state) => RecordState::Accepted,
        _ if ACCEPTED_WITH_ERRORS.contains(&state) => RecordState::AcceptedWithErrors,
        _ if CANCELLED.contains(&state) => RecordState::Cancelled,
        _ => return Err(unknown("EstadoRegistro", state)),
    };
    let date = required(row, &["IDFactura", "FechaExpedicionFactura"])?;
    let issue_date = iso(date).ok_or_else(|| unknown("FechaExpedicionFactura", date))?;
    // A correction states negative what it credits, and the gateway positive.
    let is_correction = text_at(row, &[CONTENT, "TipoFactura"]).is_some_and(|kind| kind.starts_with('R'));
    let total = match text_at(row, &[CONTENT, "ImporteTotal"]) {
        Some(text) => {
            let total = amount(text).ok_or_else(|| unknown("ImporteTotal", text))?;
            Some(if is_correction { Amount { units: total.units.saturating_neg(), ..total } } else { total })
        }
        None => None,
    };
    Ok(ListedRecord {
        number: required(row, &["IDFactura", "NumSerieFactura"])?.to_owned(),
        issue_date,
        state,
        total,
        fingerprint: text_at(row, &[CONTENT, "Huella"]).map(str::to_owned),
    })
}

/// `(\+|-)?\d{1,12}(\.\d{0,2})?`
fn amount(text: &str) -> Option<Amount> {
    text.trim_start_matches('+').trim_end_matches('.').parse().ok()
}

/// `DD-MM-YYYY` as `YYYY-MM-DD`.
fn iso(date: &str) -> Option<String> {
    let mut parts = date.split('-');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let iso = format!("{year}-{month}-{day}");
    (parts.next().is_none() && iso.parse::<einvoice_es::date::Date>().is_ok()).then_some(iso)
}

/// What a SOAP fault says, in the agency's words. One of the server may pass.
fn fault(fault: Node<'_, '_>) -> ListingProblem {
    let code = text_at(fault, &["faultcode"]).unwrap_or_default();
    let words = quoted(text_at(fault, &["faultstring"]).unwrap_or("no reason"));
    let is_temporary = code.rsplit(':').next().is_some_and(|code| code.starts_with("Server"));
    let message =
        format!("The agency refused the question ({words}); look its code up in the agency's list.");
    ListingProblem { message, temporary: is_temporary }
}

fn required<'a>(node: Node<'a, '_>, path: &[&str]) -> Result<&'a str, ListingProblem> {
    text_at(node, path).ok_or_else(|| missing(path.last().copied().unwrap_or_default()))
}

fn missing(element: &str) -> ListingProblem {
    ListingProblem::lasting(format!(
        "The agency's answer lacks {element}; look for a newer version of the plugin."
    ))
}

fn unknown(element: &str, value: &str) -> ListingProblem {
    let value = quoted(value);
    ListingProblem::lasting(format!(
        "The agency's answer says {element} '{value}', which is unknown here; look for a newer version of the plugin."
    ))
}

fn quoted(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(WORDS_CHARS_MAX).collect()
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.is_element() && child.tag_name().name() == name)
}

/// The text of an element below others; none where it is missing or empty.
fn text_at<'a>(node: Node<'a, '_>, path: &[&str]) -> Option<&'a str> {
    let mut found = node;
    for name in path {
        found = child(found, name)?;
    }
    found.text().map(str::trim).filter(|text| !text.is_empty())
}
