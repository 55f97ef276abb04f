//! The fatal rules of OpenPEPPOL's schematron 3.0.21 that a stored document can break, beside those of the standard in
//! `einvoice_en16931::rules`.
//!
//! What no document breaks is not here: identifiers of the profile (R001, R004, R007), what the record has no element for
//! (allowances, attachments, a second currency, mandates), and what the derivation makes true (R110, R111). A Greek
//! supplier breaks GR-R-002 and GR-R-004-1 whatever its number is, so the segments of the number are one rule.

mod billing;
mod continental;
mod nordic;

use einvoice_en16931::Invoice;
use einvoice_en16931::model::Party;
use einvoice_en16931::rules::{self, Rule, rule};

/// A rule with what OpenPEPPOL says of it.
#[derive(Debug, Clone, Copy)]
pub struct OfficialRule {
    /// What it looks at, and what to do next.
    pub rule: Rule,
    /// The message of the schematron.
    pub text: &'static str,
}

/// A row of a table of rules.
const fn official(
    id: &'static str,
    is_broken: fn(&Invoice) -> bool,
    meaning: &'static str,
    text: &'static str,
) -> OfficialRule {
    OfficialRule { rule: rule(id, is_broken, meaning), text }
}

/// Rules of the standard that no record breaks: terms of payment left them in 1.3.16, which access points validate by, and the
/// subject of a note has no place in the profile.
const NOT_IN_PEPPOL: [&str; 2] = ["BR-CO-25", "BR-CL-08"];

fn of_peppol() -> impl Iterator<Item = &'static OfficialRule> {
    billing::RULES.iter().chain(nordic::RULES).chain(continental::RULES)
}

/// All rules, those of the standard first, as the validator runs them.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let of_standard = rules::all().filter(|rule| !NOT_IN_PEPPOL.contains(&rule.id));
    of_standard.chain(of_peppol().map(|official| &official.rule))
}

/// The rules an invoice breaks, in the order of [`all`].
pub fn broken(invoice: &Invoice) -> impl Iterator<Item = &'static Rule> + '_ {
    all().filter(|rule| (rule.is_broken)(invoice))
}

/// What a rule says, with what to do next; none of one that is not here.
pub fn meaning(id: &str) -> Option<&'static str> {
    all().find(|rule| rule.id == id).map(|rule| rule.meaning)
}

/// The official message of a rule of OpenPEPPOL.
pub fn text(id: &str) -> Option<&'static str> {
    of_peppol().find(|official| official.rule.id == id).map(|official| official.text)
}

/// The country of a party's address; empty when it has none.
fn address_country(party: &Party) -> &str {
    party.address.as_ref().map_or("", |address| address.country.as_str())
}

/// Whether the addresses of both parties lie in a country.
fn is_within(invoice: &Invoice, country: &str) -> bool {
    address_country(&invoice.seller) == country && address_country(&invoice.buyer) == country
}

/// The country of a party: the prefix of its VAT number, else that of its address.
fn registered(party: &Party) -> &str {
    party.vat_id.as_deref().and_then(|id| id.get(..2)).unwrap_or_else(|| address_country(party))
}

/// Whether an address lacks a part; one that is not there does.
fn lacks(party: &Party, members: &[&str]) -> bool {
    let Some(address) = &party.address else { return true };
    members.iter().any(|member| {
        let text = match *member {
            "street" => &address.street,
            "city" => &address.city,
            _ => &address.postcode,
        };
        text.is_empty()
    })
}

/// The means of payment (BT-81); empty when there are none.
fn means(invoice: &Invoice) -> &str {
    invoice.payment.as_ref().map_or("", |payment| payment.means.as_str())
}

/// Whether a party is registered under a number of none of these schemes.
fn is_registered_otherwise(party: &Party, schemes: &[&str]) -> bool {
    party.legal_id.as_ref().is_some_and(|legal| !schemes.contains(&legal.scheme.as_str()))
}
