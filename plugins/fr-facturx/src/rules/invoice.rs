//! BR-FR: the rules of flux 2.

use einvoice_en16931::Invoice;
use einvoice_en16931::model::{Endpoint, Identifier, Party, Period};
use einvoice_en16931::rules::{Rule, rule};
use einvoice_plugin::Amount;

use crate::address::SCHEME_DIRECTORY;
use crate::numbers::{NUMBER_CHARS_MAX, SCHEME_SIREN, SCHEME_SIRET, is_digits};
use crate::tables::is_french_rate;
use crate::treatment::Treatment;

/// Types of documents (BR-FR-04).
const TYPES: [&str; 16] = [
    "380", "389", "393", "501", "386", "500", "384", "471", "472", "473", "261", "262", "381", "396", "502",
    "503",
];
/// Documents that the buyer writes.
const SELF_BILLED: [&str; 7] = ["389", "501", "500", "471", "473", "261", "502"];
/// Documents that correct one invoice.
const CORRECTIONS: [&str; 4] = ["384", "471", "472", "473"];
/// Credit notes that name what they correct.
const CREDITS: [&str; 5] = ["261", "381", "396", "502", "503"];
/// Documents of a payment on account.
const PREPAYMENTS: [&str; 3] = ["386", "500", "503"];
/// Processes of what is paid already.
const PAID: [&str; 3] = ["B2", "S2", "M2"];

/// All of them, in the order they are reported.
pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    NUMBERS.iter().chain(DATES).chain(NOTES).chain(PARTIES).chain(TAXES).chain(TOGETHER)
}

const NUMBERS: &[Rule] = &[
    rule(
        "BR-FR-01_BT-1",
        |invoice| invoice.number.chars().count() > NUMBER_CHARS_MAX,
        "The invoice number has more than 35 characters; shorten the workspace's number pattern.",
    ),
    rule(
        "BR-FR-02_BT-1",
        |invoice| !has_known_characters(&invoice.number),
        "The invoice number has more than letters, digits and + - _ /; correct the workspace's number pattern.",
    ),
    rule(
        "BR-FR-01_BT-25",
        |invoice| invoice.preceding.iter().any(|one| one.number.chars().count() > NUMBER_CHARS_MAX),
        "The number of an invoice referred to has more than 35 characters; refer to another.",
    ),
    rule(
        "BR-FR-02_BT-25",
        |invoice| invoice.preceding.iter().any(|one| !has_known_characters(&one.number)),
        "The number of an invoice referred to has a character that France refuses; refer to another.",
    ),
    rule(
        "BR-FR-04_BT-3",
        |invoice| !TYPES.contains(&invoice.type_code.as_str()),
        "The document's type is none that France takes; use 380, 386 or 381.",
    ),
    rule(
        "BR-FR-08_BT-23",
        |invoice| invoice.profile.process_id.is_empty(),
        "The document has no business process; say business-process in its ext.",
    ),
];

/// A rule of the years 2000 to 2099.
macro_rules! year {
    ($term:literal, |$invoice:ident| $days:expr) => {
        rule(
            concat!("BR-FR-03_", $term),
            |$invoice| ($days).into_iter().any(|day| !is_of_this_century(day)),
            concat!("A date (", $term, ") lies outside the years 2000 to 2099; correct it."),
        )
    };
}

const DATES: &[Rule] = &[
    year!("BT-2", |invoice| [&invoice.issue_date]),
    year!("BT-9", |invoice| &invoice.due_date),
    year!("BT-26", |invoice| invoice.preceding.iter().map(|one| &one.issue_date)),
    year!("BT-72", |invoice| &invoice.delivery_date),
    year!("BT-73", |invoice| invoice.period.iter().map(|period| &period.start)),
    year!("BT-74", |invoice| invoice.period.iter().map(|period| &period.end)),
    year!("EXT-FR-FE-134", |invoice| periods(invoice).map(|period| &period.start)),
    year!("EXT-FR-FE-135", |invoice| periods(invoice).map(|period| &period.end)),
];

const NOTES: &[Rule] = &[
    rule(
        "BR-FR-05_BT-22_PMT",
        |invoice| notes(invoice, "PMT") == 0,
        "The document does not say what late payers owe for recovery (note PMT); convert it again.",
    ),
    rule(
        "BR-FR-05_BT-22_PMD",
        |invoice| notes(invoice, "PMD") == 0,
        "The document does not say what late payers owe (note PMD); convert it again.",
    ),
    rule(
        "BR-FR-05_BT-22_AAB",
        |invoice| notes(invoice, "AAB") == 0,
        "The document does not say what early payers deduct (note AAB); convert it again.",
    ),
    rule(
        "BR-FR-06_BT-21_PMT",
        |invoice| notes(invoice, "PMT") > 1,
        "The document says twice what late payers owe for recovery (note PMT); convert it again.",
    ),
    rule(
        "BR-FR-06_BT-21_PMD",
        |invoice| notes(invoice, "PMD") > 1,
        "The document says twice what late payers owe (note PMD); convert it again.",
    ),
    rule(
        "BR-FR-06_BT-21_AAB",
        |invoice| notes(invoice, "AAB") > 1,
        "The document says twice what early payers deduct (note AAB); convert it again.",
    ),
    rule(
        "BR-FR-06_BT-21_TXD",
        |invoice| notes(invoice, "TXD") > 1,
        "The document has two notes on tax (TXD); convert it again.",
    ),
    rule(
        "BR-FR-20_BT-21",
        |invoice| treatments(invoice).any(|text| Treatment::of(text).is_none()),
        "The note BAR says no treatment that platforms know; say treatment in the document's ext.",
    ),
    rule(
        "BR-FR-31_BT-21",
        |invoice| treatments(invoice).filter(|text| Treatment::of(text).is_some()).count() > 1,
        "The document has two treatments (note BAR); convert it again.",
    ),
];

const PARTIES: &[Rule] = &[
    rule(
        "BR-FR-09_BT-29",
        |invoice| has_foreign_siret(&invoice.seller),
        "The supplier's SIRET is none of its SIREN; correct siret in the settings.",
    ),
    rule(
        "BR-FR-09_BT-46",
        |invoice| has_foreign_siret(&invoice.buyer),
        "The recipient's SIRET is none of its SIREN; correct the tax number.",
    ),
    rule(
        "BR-FR-10_BT-30",
        |invoice| siren(&invoice.seller).is_none_or(|siren| !is_nine_digits(&siren.id)),
        "The supplier has no SIREN of nine digits; correct the workspace's tax id.",
    ),
    rule(
        "BR-FR-11_BT-47",
        |invoice| is_b2b(invoice) && siren(&invoice.buyer).is_none_or(|siren| !is_nine_digits(&siren.id)),
        "The recipient has no SIREN of nine digits; add it as tax number.",
    ),
    rule(
        "BR-FR-32-LEGALID",
        |invoice| {
            let sirens = [&invoice.seller, &invoice.buyer].map(siren);
            sirens.into_iter().flatten().any(|siren| !is_nine_digits(&siren.id))
        },
        "A SIREN has nine digits; correct the tax number.",
    ),
    rule(
        "BR-FR-12_BT-49",
        |invoice| invoice.buyer.endpoint.is_none(),
        "The recipient has no electronic address; add the email, or inbox to its ext.",
    ),
    rule(
        "BR-FR-13_BT-34",
        |invoice| invoice.seller.endpoint.is_none(),
        "The supplier has no electronic address; add inbox to the settings.",
    ),
    rule(
        "BR-FR-21_BT-49",
        |invoice| is_b2b(invoice) && !is_self_billed(invoice) && !is_in_directory(&invoice.buyer),
        "The recipient's electronic address is none of its SIREN in the annuaire (scheme 0225); correct inbox in its ext.",
    ),
    rule(
        "BR-FR-22_BT-34",
        |invoice| is_b2b(invoice) && is_self_billed(invoice) && !is_in_directory(&invoice.seller),
        "The supplier's electronic address is none of its SIREN in the annuaire (scheme 0225); correct inbox in the settings.",
    ),
    rule(
        "BR-FR-23_BT-34",
        |invoice| has_strange_address(&invoice.seller),
        "The supplier's electronic address has more than letters, digits and + - _ . in it; correct inbox in the settings.",
    ),
    rule(
        "BR-FR-23_BT-49",
        |invoice| has_strange_address(&invoice.buyer),
        "The recipient's electronic address has more than letters, digits and + - _ . in it; correct inbox in its ext.",
    ),
    rule(
        "BR-FR-25_BT-34",
        |invoice| has_long_address(&invoice.seller),
        "The supplier's electronic address has more than 125 characters; shorten it.",
    ),
    rule(
        "BR-FR-25_BT-49",
        |invoice| has_long_address(&invoice.buyer),
        "The recipient's electronic address has more than 125 characters; shorten it.",
    ),
];

const TAXES: &[Rule] = &[
    rule(
        "BR-FR-15_BT-95_BT-118_LM",
        |invoice| invoice.tax_rows.iter().any(|row| matches!(row.category.as_str(), "L" | "M")),
        "The breakdown has a tax of the Canary Islands, Ceuta or Melilla; correct the taxes of the lines.",
    ),
    rule(
        "BR-FR-15_BT-95_BT-151_LM",
        |invoice| invoice.lines.iter().any(|line| matches!(line.category.as_str(), "L" | "M")),
        "A line has a tax of the Canary Islands, Ceuta or Melilla; correct its tax.",
    ),
    rule(
        "BR-FR-16_BT-119",
        |invoice| rates(invoice.tax_rows.iter().map(|row| row.rate)).any(|rate| !is_french_rate(rate)),
        "The breakdown has a rate that is none of France's; correct the lines.",
    ),
    rule(
        "BR-FR-16_BT-152",
        |invoice| rates(invoice.lines.iter().map(|line| line.rate)).any(|rate| !is_french_rate(rate)),
        "A line has a rate that is none of France's; correct its tax.",
    ),
    rule(
        "BR-FR-DEC-02_BT-129",
        |invoice| invoice.lines.iter().any(|line| line.quantity.scale > 4),
        "A quantity has more than four decimals; round it.",
    ),
    rule(
        "BR-FR-DEC-04_BT-119",
        |invoice| rates(invoice.tax_rows.iter().map(|row| row.rate)).any(|rate| !is_printable_rate(rate)),
        "The breakdown has a rate below nought or of more than two decimals; correct the lines.",
    ),
    rule(
        "BR-FR-DEC-04_BT-152",
        |invoice| rates(invoice.lines.iter().map(|line| line.rate)).any(|rate| !is_printable_rate(rate)),
        "A line has a rate below nought or of more than two decimals; correct its tax.",
    ),
];

const TOGETHER: &[Rule] = &[
    rule(
        "BR-FR-CO-03_BT-3",
        |invoice| invoice.type_code == "262",
        "A global credit note names a contract, which documents here do not have; issue a credit note (381).",
    ),
    rule(
        "BR-FR-CO-04_BT-4",
        |invoice| is_of(&CORRECTIONS, &invoice.type_code) && invoice.preceding.len() != 1,
        "A corrected invoice refers to the one it corrects; refer to one invoice.",
    ),
    rule(
        "BR-FR-CO-05_BT-3",
        |invoice| {
            let named =
                invoice.preceding.iter().any(|one| !one.number.is_empty() && !one.issue_date.is_empty());
            is_of(&CREDITS, &invoice.type_code) && !named
        },
        "The credit note names no invoice with number and date; refer to it.",
    ),
    rule(
        "BR-FR-CO-07_BT-9",
        |invoice| {
            let may = is_of(&PREPAYMENTS, &invoice.type_code) || is_of(&PAID, invoice.profile.process_id);
            !may && invoice.due_date.as_ref().is_some_and(|due| *due < invoice.issue_date)
        },
        "The invoice is due before it is issued; use a later due date.",
    ),
    rule(
        "BR-FR-CO-08_BT-23",
        |invoice| {
            let last = is_of(&["B4", "S4", "M4"], invoice.profile.process_id);
            last && is_of(&PREPAYMENTS, &invoice.type_code)
        },
        "A payment on account comes before the final invoice; use a business process that ends in 1.",
    ),
    rule(
        "BR-FR-CO-09_BT-23-1",
        |invoice| {
            let paid = invoice.totals.paid.unwrap_or(Amount::new(0, 2));
            is_of(&PAID, invoice.profile.process_id) && !paid.same_value(invoice.totals.gross)
        },
        "The document says that it is paid (BT-23), and states no payment of all of it; use a business process that ends in 1.",
    ),
    rule(
        "BR-FR-CO-09_BT-23-2",
        |invoice| is_of(&PAID, invoice.profile.process_id) && !invoice.totals.payable.is_zero(),
        "The document says that it is paid (BT-23), and something is due; use a business process that ends in 1.",
    ),
    rule(
        "BR-FR-CO-09_BT-23-3",
        |invoice| is_of(&PAID, invoice.profile.process_id) && invoice.due_date.is_none(),
        "A document that is paid says since when (BT-9); add the due date.",
    ),
    rule(
        "BR-FR-CO-12_BT-5",
        |invoice| invoice.currency != "EUR",
        "A document in another currency states its VAT in euro too; issue it in euro.",
    ),
    rule(
        "BR-FR-MV-02_EXT-FR-FE-163",
        |invoice| is_of(&["B8", "S8", "M8"], invoice.profile.process_id),
        "An invoice of several sellers groups its lines, which documents here do not; use a business process that ends in 1.",
    ),
    rule(
        "BR-FR-BD-02_EXT-FR-FE-163",
        |invoice| is_of(&["B9", "S9", "M9"], invoice.profile.process_id),
        "An invoice in both directions groups its lines, which documents here do not; use a business process that ends in 1.",
    ),
];

fn is_of(list: &[&str], code: &str) -> bool {
    list.contains(&code)
}

fn has_known_characters(number: &str) -> bool {
    let known = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'_' | b'/');
    !number.is_empty() && number.bytes().all(known)
}

fn periods(invoice: &Invoice) -> impl Iterator<Item = &Period> {
    invoice.lines.iter().filter_map(|line| line.period.as_ref())
}

/// Days that are not there are no matter of this rule.
fn is_of_this_century(day: &str) -> bool {
    day.is_empty() || day.starts_with("20")
}

fn notes(invoice: &Invoice, subject: &str) -> usize {
    invoice.notes.iter().filter(|note| note.subject == subject).count()
}

fn treatments(invoice: &Invoice) -> impl Iterator<Item = &str> {
    invoice.notes.iter().filter(|note| note.subject == "BAR").map(|note| note.text.as_str())
}

fn is_b2b(invoice: &Invoice) -> bool {
    treatments(invoice).any(|text| text == Treatment::B2b.code())
}

fn is_self_billed(invoice: &Invoice) -> bool {
    is_of(&SELF_BILLED, &invoice.type_code)
}

fn siren(party: &Party) -> Option<&Identifier> {
    party.legal_id.as_ref().filter(|legal| legal.scheme == SCHEME_SIREN)
}

fn is_nine_digits(text: &str) -> bool {
    text.len() == 9 && is_digits(text)
}

fn has_foreign_siret(party: &Party) -> bool {
    let siret = party.global_ids.iter().find(|one| one.scheme == SCHEME_SIRET);
    let company = siren(party).map_or("", |siren| siren.id.as_str());
    siret.is_some_and(|siret| {
        siret.id.len() != 14 || !is_digits(&siret.id) || siret.id.get(..9) != Some(company)
    })
}

fn directory_address(party: &Party) -> Option<&Endpoint> {
    party.endpoint.as_ref().filter(|endpoint| endpoint.scheme == SCHEME_DIRECTORY)
}

fn is_in_directory(party: &Party) -> bool {
    let company = party.legal_id.as_ref().map_or("", |legal| legal.id.as_str());
    directory_address(party).is_some_and(|endpoint| endpoint.id.starts_with(company))
}

fn has_strange_address(party: &Party) -> bool {
    let known = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'_' | b'.');
    directory_address(party).is_some_and(|endpoint| !endpoint.id.bytes().all(known))
}

fn has_long_address(party: &Party) -> bool {
    party.endpoint.as_ref().is_some_and(|endpoint| endpoint.id.chars().count() > 125)
}

fn rates(rates: impl Iterator<Item = Option<Amount>>) -> impl Iterator<Item = Amount> {
    rates.flatten()
}

/// At most four digits, two of them decimals.
fn is_printable_rate(rate: Amount) -> bool {
    let rate = rate.canonical(0);
    !rate.is_negative() && rate.scale <= 2 && rate.units < 10_000
}
