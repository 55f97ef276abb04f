//! How a recipient may be identified.
//!
//! Milder than the agency in one thing: it refuses a Spaniard's documents of type 04, 05 and 06 (1126), of which
//! `check` warns only. Here they pass with a remark ([`tolerated`]), so that an operator who decides to send one sees
//! it through and is told.

use einvoice_es::identification::{Identification, VAT_NUMBER};
use einvoice_es::nif::{Holder, Nif};
use einvoice_es::{country, text};

use crate::authority::filed_document::FiledDocument;
use crate::doc_type::DocType;

const SPAIN: &str = "ES";
const PASSPORT: &str = "03";
const NOT_IN_CENSUS: &str = "07";

pub(super) fn violation(filed: &FiledDocument) -> Option<&'static str> {
    match filed.recipient()? {
        Identification::Nif(nif) => spanish(nif, &filed.issuer),
        Identification::Other { country, id_type, id } => listed(country, id_type)
            .or_else(|| allowed(filed, id_type))
            .or_else(|| number(country, id_type, &id)),
    }
}

/// The agency's code for a Spaniard's document of another type than it takes.
pub(super) fn tolerated_violation(filed: &FiledDocument) -> Option<&'static str> {
    match filed.recipient()? {
        Identification::Other { country: Some(SPAIN), id_type: "04" | "05" | "06", .. } => Some("1126"),
        Identification::Nif(_) | Identification::Other { .. } => None,
    }
}

fn spanish(nif: &str, issuer: &str) -> Option<&'static str> {
    match Nif::parse(nif) {
        Err(_) => Some("1123"),
        Ok(nif) if nif.as_str() == issuer => Some("1193"),
        Ok(_) => None,
    }
}

/// The agency's lists of types and countries.
fn listed(country: Option<&str>, id_type: &str) -> Option<&'static str> {
    match (id_type, country) {
        (VAT_NUMBER | PASSPORT | "04" | "05" | "06" | NOT_IN_CENSUS, None) => {
            (id_type != VAT_NUMBER).then_some("1111")
        }
        (VAT_NUMBER | PASSPORT | "04" | "05" | "06" | NOT_IN_CENSUS, Some(code)) => {
            (!country::is_at_the_agency(code)).then_some("1101")
        }
        _ => Some("1102"),
    }
}

/// What a document's type lets a recipient without NIF show: insolvency and bad debt are of Spanish taxpayers.
fn allowed(filed: &FiledDocument, id_type: &str) -> Option<&'static str> {
    match filed.doc_type()? {
        DocType::R2 if ![VAT_NUMBER, NOT_IN_CENSUS].contains(&id_type) => Some("1192"),
        DocType::R3 if id_type != NOT_IN_CENSUS => Some("1191"),
        _ => None,
    }
}

fn number(country: Option<&str>, id_type: &str, id: &str) -> Option<&'static str> {
    let spanish = country == Some(SPAIN);
    match id_type {
        VAT_NUMBER => vat_number(country, id),
        NOT_IN_CENSUS if !spanish => Some("1126"),
        NOT_IN_CENSUS => {
            let natural = |nif: Nif| nif.holder() != Holder::Organisation;
            (!Nif::parse(id).is_ok_and(natural)).then_some("1131")
        }
        _ => misspelt(id),
    }
}

fn vat_number(country: Option<&str>, id: &str) -> Option<&'static str> {
    let prefix = id.get(..2).unwrap_or_default();
    let of_country = match prefix {
        "EL" => "GR",
        "XI" => "GB",
        other => other,
    };
    if country.is_some_and(|country| country != of_country) {
        Some("1122")
    } else if prefix == "GB" {
        Some("1255")
    } else if !country::has_vat_numbers_of_the_union(prefix) || prefix == SPAIN {
        Some("1103")
    } else {
        misspelt(id)
    }
}

fn misspelt(id: &str) -> Option<&'static str> {
    text::identity(id).is_err().then_some("1103")
}
