//! Why a treasury refuses an invoice.
//!
//! What it can only know from its own registers (who is a taxpayer, which licence holds) is not played; a tester asks
//! for those codes.

use einvoice_es::country;
use einvoice_es::date::Date;
use einvoice_es::identification::{Identification, VAT_NUMBER};
use einvoice_es::nif::Nif;
use einvoice_es::stored::Reference;
use einvoice_es::text::{IDENTITY_CHARS_MAX, NAME_CHARS_MAX};
use einvoice_gobl::clock::today;
use einvoice_gobl::text::non_blank;

use super::breakdown::Class;
use super::figures;
use super::filed_document::FiledDocument;
use super::message::{address_line, regimes};
use crate::codes::{EXT_CORRECTION, Region, is_activity, regime};

/// What a treasury objects to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Objection {
    Schema,
    LinesMissing,
    FieldMissing,
    ActivityMissing,
    Future,
    RecipientNif,
    IdentityCountryMissing,
    IdentityCountryOther,
    CorrectedMissing,
    CorrectedUnexpected,
    NothingTaxed,
    NothingSold,
}

impl Objection {
    /// Its code in Araba and Gipuzkoa, and in Bizkaia.
    const fn codes(self) -> [&'static str; 2] {
        match self {
            Self::Schema => ["002", "B4_2000001"],
            // Bizkaia wants no lines.
            Self::LinesMissing => ["003", "B4_2000000"],
            Self::FieldMissing => ["004", "B4_2000000"],
            // Only the register of Bizkaia has it: its message misses a part.
            Self::ActivityMissing => ["004", "B4_1000001"],
            Self::Future => ["004", "B4_2000008"],
            Self::RecipientNif => ["011", "B4_2000011"],
            Self::IdentityCountryMissing => ["011", "B4_2000012"],
            Self::IdentityCountryOther => ["011", "B4_2000013"],
            Self::CorrectedMissing => ["004", "B4_2000045"],
            Self::CorrectedUnexpected => ["011", "B4_2000016"],
            Self::NothingTaxed => ["011", "B4_2000030"],
            Self::NothingSold => ["011", "B4_2000038"],
        }
    }
}

/// The code of the first rule that an invoice breaks. `now` is RFC 3339.
pub(super) fn violation(filed: &FiledDocument, now: &str) -> Option<&'static str> {
    let found = missing(filed)
        .or_else(|| activity(filed))
        .or_else(|| references(filed))
        .or_else(|| recipient(filed))
        .or_else(|| nothing(filed))
        .or_else(|| schema(filed))
        .or_else(|| {
            let is_future = today(now).is_some_and(|today| filed.names.day > today);
            is_future.then_some(Objection::Future)
        })?;
    let [elsewhere, in_bizkaia] = found.codes();
    Some(if filed.treasury() == Region::Bizkaia { in_bizkaia } else { elsewhere })
}

/// What every file needs.
fn missing(filed: &FiledDocument) -> Option<Objection> {
    let invoice = &filed.names.invoice;
    let in_bizkaia = filed.treasury() == Region::Bizkaia;
    if !is_nif(&filed.names.issuer) || filed.region.is_none() || invoice.description().is_none() {
        Some(Objection::FieldMissing)
    } else if invoice.lines.is_empty() && !in_bizkaia {
        Some(Objection::LinesMissing)
    } else {
        None
    }
}

/// The register of a natural person in Bizkaia has an economic activity with every invoice (`Epigrafe`).
fn activity(filed: &FiledDocument) -> Option<Objection> {
    let is_missing = !filed.activity().is_some_and(is_activity);
    let is_needed = filed.treasury() == Region::Bizkaia && filed.is_of_person();
    (is_needed && is_missing).then_some(Objection::ActivityMissing)
}

/// Whether it is one as it stands, without anything to be taken off.
fn is_nif(text: &str) -> bool {
    Nif::parse(text).is_ok_and(|nif| nif.as_str() == text)
}

fn references(filed: &FiledDocument) -> Option<Objection> {
    let invoice = &filed.names.invoice;
    let is_dated_with_code =
        |reference: &Reference| reference.issue_date.is_some() && reference.ext.contains_key(EXT_CORRECTION);
    match (invoice.corrects(), invoice.preceding.is_empty()) {
        (true, true) => Some(Objection::CorrectedMissing),
        (false, false) => Some(Objection::CorrectedUnexpected),
        _ if !invoice.preceding.iter().all(is_dated_with_code) => Some(Objection::FieldMissing),
        (true, false) | (false, true) => None,
    }
}

/// Araba and Gipuzkoa want to know where a recipient is.
fn recipient(filed: &FiledDocument) -> Option<Objection> {
    let Some(identification) = filed.recipient() else {
        return (!filed.is_simplified()).then_some(Objection::FieldMissing);
    };
    match &identification {
        Identification::Nif(nif) if !is_nif(nif) => return Some(Objection::RecipientNif),
        Identification::Other { country: None, id_type, .. } if *id_type != VAT_NUMBER => {
            return Some(Objection::IdentityCountryMissing);
        }
        Identification::Other { country: Some(country), id_type: VAT_NUMBER, id } => {
            let prefix = if *country == "GR" { "EL" } else { country };
            if !id.starts_with(prefix) {
                return Some(Objection::IdentityCountryOther);
            }
        }
        Identification::Nif(_) | Identification::Other { .. } => {}
    }
    let customer = filed.names.invoice.customer.as_ref()?;
    let is_located = customer.addresses.first().is_some_and(|address| {
        let is_abroad = address.country.as_deref().is_some_and(|country| country != "ES");
        address_line(address).is_some() && (is_abroad || non_blank(address.code.as_deref()).is_some())
    });
    let is_complete =
        non_blank(Some(&customer.name)).is_some() && (is_located || filed.treasury() == Region::Bizkaia);
    (!is_complete).then_some(Objection::FieldMissing)
}

fn nothing(filed: &FiledDocument) -> Option<Objection> {
    if filed.names.invoice.rows().next().is_some() {
        return None;
    }
    Some(if filed.is_to_foreigner() { Objection::NothingSold } else { Objection::NothingTaxed })
}

/// Characters of a series or a number.
const NUMBER_CHARS_MAX: usize = 20;
/// Characters of a line's description, or of the invoice's.
const TEXT_CHARS_MAX: usize = 250;
const LINES_MAX: usize = 1000;
const REFERENCES_MAX: usize = 100;
const REGIMES_MAX: usize = 3;
/// Rows of the breakdown.
const ROWS_MAX: usize = 12;

/// What the schema has no room for.
fn schema(filed: &FiledDocument) -> Option<Objection> {
    let invoice = &filed.names.invoice;
    let regimes = regimes(filed);
    let is_valid = number_fits(filed.series(), filed.number())
        && is_within(&invoice.supplier.name, NAME_CHARS_MAX)
        && is_within(invoice.description().unwrap_or_default(), TEXT_CHARS_MAX)
        && recipient_fits(filed)
        && invoice.lines.len() <= LINES_MAX
        && invoice.preceding.len() <= REFERENCES_MAX
        && invoice.preceding.iter().all(reference_fits)
        && (1..=REGIMES_MAX).contains(&regimes.len())
        && regimes.iter().all(|code| regime(code).is_some())
        && figures_fit(filed);
    (!is_valid).then_some(Objection::Schema)
}

fn number_fits(series: Option<&str>, number: &str) -> bool {
    series.is_none_or(|series| is_within(series, NUMBER_CHARS_MAX)) && is_within(number, NUMBER_CHARS_MAX)
}

fn reference_fits(reference: &Reference) -> bool {
    let is_correction = |code: &String| ["R1", "R2", "R3", "R4", "R5"].contains(&code.as_str());
    number_fits(non_blank(reference.series.as_deref()), &reference.code)
        && reference.issue_date.as_deref().is_some_and(|day| day.parse::<Date>().is_ok())
        && reference.ext.get(EXT_CORRECTION).is_some_and(is_correction)
}

fn recipient_fits(filed: &FiledDocument) -> bool {
    let Some(customer) = &filed.names.invoice.customer else { return true };
    let postcode = customer.addresses.first().and_then(|address| non_blank(address.code.as_deref()));
    let identified = match filed.recipient() {
        None | Some(Identification::Nif(_)) => true,
        Some(Identification::Other { country, id_type, id }) => {
            country.is_none_or(|code| country::normalise(code) == Some(code))
                && ["02", "03", "04", "05", "06"].contains(&id_type)
                && is_within(&id, IDENTITY_CHARS_MAX)
        }
    };
    identified
        && is_within(&customer.name, NAME_CHARS_MAX)
        && postcode.is_none_or(|postcode| is_within(postcode, NUMBER_CHARS_MAX))
}

fn figures_fit(filed: &FiledDocument) -> bool {
    let invoice = &filed.names.invoice;
    let amount = |text: &str| filed.figure(text).is_some();
    let percent = |text: &String| figures::read_percent(text).is_some();
    let rows = invoice.rows().all(|row| {
        Class::of(row).is_some()
            && amount(&row.base)
            && amount(&row.amount)
            && row.percent.as_ref().is_none_or(percent)
            && row.surcharge.as_ref().is_none_or(|more| percent(&more.percent) && amount(&more.amount))
    });
    let lines = invoice.lines.iter().all(|line| {
        let percents = line.taxes.iter().flat_map(|tax| [&tax.percent, &tax.surcharge]).flatten();
        is_within(&line.item.name, TEXT_CHARS_MAX)
            && [&line.quantity, &line.item.price, &line.total].into_iter().all(|text| amount(text))
            && percents.into_iter().all(percent)
    });
    let totals = [Some(&invoice.totals.total_with_tax), invoice.totals.retained_tax.as_ref()];
    rows && lines
        && invoice.rows().count() <= ROWS_MAX
        && totals.into_iter().flatten().all(|text| amount(text))
}

fn is_within(text: &str, chars_max: usize) -> bool {
    (1..=chars_max).contains(&text.trim().chars().count())
}
