//! Whether and how the record identifies the recipient.

use einvoice_es::country;
use einvoice_es::doc_type::DocType;
use einvoice_es::identification::{Identification, VAT_NUMBER};
use einvoice_es::nif::Nif;
use einvoice_es::stored::{Invoice, Party};
use einvoice_es::text;

use crate::answers::{
    COUNTRY, COUNTRY_SPAIN, FIELD_MISSING, ID_NO_NIF, NIF_MALFORMED, VAT_NUMBER_WRONG, WRONG_VALUE,
};
use crate::codes::IDENTITY_TERMS;

const PASSPORT: &str = "03";
const NOT_IN_CENSUS: &str = "07";

pub(super) fn violation(invoice: &Invoice, doc_type: DocType) -> Option<&'static str> {
    let found = invoice.customer.as_ref().and_then(|party| Some((party, IDENTITY_TERMS.identify(party)?)));
    let Some((party, identification)) = found else {
        return (!doc_type.is_simplified()).then_some(FIELD_MISSING);
    };
    if text::name(&party.name).is_err() {
        return Some(WRONG_VALUE);
    }
    match identification {
        Identification::Nif(nif) => Nif::parse(nif).is_err().then_some(NIF_MALFORMED),
        Identification::Other { country, id_type, id } => other(country, id_type, &id),
    }
}

/// What the agency refuses and the sandbox accepts with a remark: the specification identifies some Spaniards so.
pub(in crate::authority) fn tolerated_violation(customer: Option<&Party>) -> Option<&'static str> {
    match customer.and_then(|party| IDENTITY_TERMS.identify(party)) {
        Some(Identification::Other { country: Some("ES"), id_type, .. }) => {
            (![PASSPORT, NOT_IN_CENSUS].contains(&id_type)).then_some(COUNTRY_SPAIN)
        }
        Some(Identification::Other { .. } | Identification::Nif(_)) | None => None,
    }
}

fn other(country: Option<&str>, id_type: &str, id: &str) -> Option<&'static str> {
    if text::identity(id).is_err() {
        return Some(WRONG_VALUE);
    }
    match (id_type, country) {
        (VAT_NUMBER, _) => {
            let begins = id.get(..2).is_some_and(country::has_vat_numbers_of_the_union);
            (!begins || id.len() < 4).then_some(VAT_NUMBER_WRONG)
        }
        (_, Some(code)) if !country::is_at_the_agency(code) => Some(COUNTRY),
        (NOT_IN_CENSUS, Some("ES")) => Nif::parse(id).is_err().then_some(ID_NO_NIF),
        (NOT_IN_CENSUS, _) => Some(COUNTRY_SPAIN),
        (PASSPORT | "04" | "05" | "06", Some(_)) => None,
        (PASSPORT | "04" | "05" | "06", None) => Some(FIELD_MISSING),
        (_, _) => Some(WRONG_VALUE),
    }
}
