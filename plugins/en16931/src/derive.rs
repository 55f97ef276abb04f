//! The terms of the standard from a stored document.

use einvoice_gobl::exact::Exact;
use einvoice_gobl::text::non_blank;
use einvoice_plugin::Amount;

use crate::Profile;
use crate::codes::{SCHEME_EMAIL, exemption, vatex};
use crate::lines::{self, NetLine, within};
use crate::model::{
    Account, Address, Contact, Endpoint, Identifier, Invoice, Note, Party, Payment, Period, Preceding,
    TaxRow, Totals,
};
use crate::read::{TAX_CATEGORY, Underivable, amount, category, code, day, rate_of};
use crate::stored::{self, Document};

/// UNTDID 1001.
const DOCUMENT_TYPE: &str = "untdid-document-type";
/// UNTDID 4461.
const PAYMENT_MEANS: &str = "untdid-payment-means";
/// UNTDID 4451.
const TEXT_SUBJECT: &str = "untdid-text-subject";
/// ISO 6523: in which scheme a number is.
const SCHEME_ID: &str = "iso-scheme-id";
/// The scope of the number that a party is registered under.
const LEGAL: &str = "legal";
/// VATEX.
const EXEMPTION: &str = "cef-vatex";
/// Schemes of ISO 6523 that are registers of companies: SIRENE.
const REGISTERS: [&str; 1] = ["0002"];

/// The invoice of a stored document (JSON), in the terms of a profile.
pub fn derive(json: &str, profile: Profile) -> Result<Invoice, Underivable> {
    let document: Document =
        serde_json::from_str(json).map_err(|error| Underivable::Malformed(error.to_string()))?;
    let precision = amount(&document.totals.payable)?.scale;
    let decimals = precision.max(2);
    let mut net_lines = lines::net_lines(&document, decimals)?;
    let tax_rows = tax_rows(&document, profile, &mut net_lines, precision)?;
    let lines: Vec<_> = net_lines.into_iter().map(|net| net.line).collect();
    let totals = totals(&document, &lines, &tax_rows, precision)?;
    let mut seller = party(&document.supplier);
    let mut buyer = document.customer.as_ref().map(party).unwrap_or_default();
    let local = document.supplier.identities.iter().find(|one| one.key == profile.tax_number_key);
    seller.tax_number = local.and_then(|one| filled(&one.code));
    let categories = || tax_rows.iter().map(|row| row.category.as_str());
    let not_subject = categories().any(|category| category == "O");
    if seller.vat_id.is_none() || not_subject {
        seller.identifier = seller.vat_id.clone().or_else(|| seller.tax_number.clone());
    }
    if not_subject {
        (seller.vat_id, buyer.vat_id) = (None, None);
    }
    let deliver_to = categories().any(|category| category == "K").then(|| buyer.address.clone()).flatten();
    Ok(Invoice {
        profile,
        number: number(&document.series, &document.code),
        issue_date: day(&document.issue_date)?,
        type_code: code(&document.tax.ext, DOCUMENT_TYPE).to_owned(),
        currency: document.currency.clone(),
        due_date: first_due(&document)?,
        buyer_reference: filled(&document.ordering.code),
        order_reference: document.ordering.purchases.first().and_then(|order| filled(&order.code)),
        notes: notes(&document),
        preceding: document.preceding.iter().map(preceding).collect::<Result<_, _>>()?,
        seller,
        buyer,
        delivery_date: document.op_date.as_deref().map(day).transpose()?.as_deref().and_then(filled),
        period: span(lines.iter().filter_map(|line| line.period.as_ref())),
        deliver_to,
        payment: document.payment.instructions.as_ref().map(payment),
        payment_terms: payment_terms(&document),
        totals,
        tax_rows,
        lines,
    })
}

/// A text without white space around it, or nothing.
fn filled(text: &str) -> Option<String> {
    non_blank(Some(text)).map(str::to_owned)
}

/// What all the periods span; dates are compared as they are written.
fn span<'a>(periods: impl Iterator<Item = &'a Period> + Clone) -> Option<Period> {
    let start = periods.clone().map(|period| &period.start).min()?;
    let end = periods.map(|period| &period.end).max()?;
    Some(Period { start: start.clone(), end: end.clone() })
}

fn number(series: &str, code: &str) -> String {
    if series.is_empty() { code.to_owned() } else { format!("{series}-{code}") }
}

/// The first day of payment; the standard has one.
fn first_due(document: &Document) -> Result<Option<String>, Underivable> {
    let first = document.payment.terms.due_dates.first();
    Ok(first.map(|due| day(&due.date)).transpose()?.as_deref().and_then(filled))
}

fn preceding(stored: &stored::DocumentRef) -> Result<Preceding, Underivable> {
    Ok(Preceding { number: number(&stored.series, &stored.code), issue_date: day(&stored.issue_date)? })
}

fn notes(document: &Document) -> Vec<Note> {
    let texts = document.notes.iter().filter_map(|note| Some((note, filled(&note.text)?)));
    texts.map(|(note, text)| Note { subject: code(&note.ext, TEXT_SUBJECT).to_owned(), text }).collect()
}

fn party(stored: &stored::Party) -> Party {
    let vat_id = filled(&stored.tax_id.code).map(|code| vat_identifier(&stored.tax_id.country, &code));
    let person = stored.people.first();
    let name = person.map(|person| format!("{} {}", person.name.given.trim(), person.name.surname.trim()));
    let of_person = |list: fn(&stored::Person) -> Option<&String>| person.and_then(list).map(String::as_str);
    let telephone = of_person(|person| person.telephones.first().map(|one| &one.num))
        .or_else(|| stored.telephones.first().map(|one| one.num.as_str()));
    let email = of_person(|person| person.emails.first().map(|one| &one.addr))
        .or_else(|| stored.emails.first().map(|one| one.addr.as_str()));
    let contact = Contact {
        name: name.unwrap_or_default().trim().to_owned(),
        telephone: telephone.unwrap_or_default().trim().to_owned(),
        email: email.unwrap_or_default().trim().to_owned(),
    };
    Party {
        name: stored.name.trim().to_owned(),
        identifier: None,
        vat_id,
        tax_number: None,
        tax_number_scheme: None,
        endpoint: stored.inboxes.first().and_then(endpoint),
        address: stored.addresses.first().map(address),
        contact: (contact != Contact::default()).then_some(contact),
        global_ids: identifiers(stored).filter(|one| !is_register(one)).collect(),
        legal_id: legal_id(stored),
    }
}

/// With the country's prefix. Norwegian numbers end in MVA where they stand for the registration (NO-R-001 of Peppol); the
/// format keeps them without.
fn vat_identifier(country: &str, code: &str) -> String {
    let suffix = if country == "NO" && !code.ends_with("MVA") { "MVA" } else { "" };
    format!("{country}{code}{suffix}")
}

/// What a party is registered under: what says so, else a number of a register of companies.
fn legal_id(stored: &stored::Party) -> Option<Identifier> {
    let registered = stored.identities.iter().filter(|one| one.scope == LEGAL);
    let mut registered = registered.filter_map(|one| {
        Some(Identifier { scheme: code(&one.ext, SCHEME_ID).to_owned(), id: filled(&one.code)? })
    });
    registered.next().or_else(|| identifiers(stored).find(is_register))
}

/// The numbers whose scheme is known, without those that say what the party is registered under.
fn identifiers(stored: &stored::Party) -> impl Iterator<Item = Identifier> + '_ {
    stored.identities.iter().filter(|one| one.scope != LEGAL).filter_map(|one| {
        let scheme = filled(code(&one.ext, SCHEME_ID))?;
        Some(Identifier { scheme, id: filled(&one.code)? })
    })
}

fn is_register(identifier: &Identifier) -> bool {
    REGISTERS.contains(&identifier.scheme.as_str())
}

fn endpoint(inbox: &stored::Inbox) -> Option<Endpoint> {
    match filled(&inbox.email) {
        Some(id) => Some(Endpoint { scheme: SCHEME_EMAIL.to_owned(), id }),
        None => filled(&inbox.code).map(|id| Endpoint { scheme: inbox.scheme.clone(), id }),
    }
}

fn address(stored: &stored::Address) -> Address {
    let street = format!("{} {}", stored.street.trim(), stored.num.trim());
    Address {
        street: street.trim().to_owned(),
        city: stored.locality.trim().to_owned(),
        postcode: stored.code.trim().to_owned(),
        region: stored.region.trim().to_owned(),
        // Kosovo has another code in the standard's list.
        country: if stored.country == "XK" { "1A".to_owned() } else { stored.country.clone() },
    }
}

fn payment(stored: &stored::Instructions) -> Payment {
    let account = |stored: &stored::CreditTransfer| Account {
        iban: stored.iban.clone(),
        name: stored.name.as_deref().and_then(filled),
        bic: stored.bic.as_deref().and_then(filled),
    };
    Payment {
        means: code(&stored.ext, PAYMENT_MEANS).to_owned(),
        accounts: stored.credit_transfer.iter().map(account).collect(),
    }
}

/// What the document says of payment, and what is withheld from it.
fn payment_terms(document: &Document) -> Option<String> {
    let withheld =
        document.withheld().map(|tax| format!("{}: -{} {}", tax.code, tax.amount, document.currency));
    let lines: Vec<_> = filled(&document.payment.terms.notes).into_iter().chain(withheld).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// One row for each category and rate; the lines are made to come to it.
fn tax_rows(
    document: &Document,
    profile: Profile,
    lines: &mut [NetLine],
    precision: u8,
) -> Result<Vec<TaxRow>, Underivable> {
    let mut rows: Vec<TaxRow> = Vec::new();
    for stored in document.charged().flat_map(|category| &category.rates) {
        let row = tax_row(document, profile, stored)?;
        let same = |known: &&mut TaxRow| known.category == row.category && known.rate == row.rate;
        if let Some(known) = rows.iter_mut().find(same) {
            let sum = |a, b| Exact::of(a).plus(Exact::of(b)).and_then(Exact::amount);
            known.base = sum(known.base, row.base).ok_or(Underivable::Figure)?;
            known.amount = sum(known.amount, row.amount).ok_or(Underivable::Figure)?;
        } else {
            rows.push(row);
        }
    }
    for row in &mut rows {
        row.base = lines::settle(lines, row, precision).ok_or(Underivable::Figure)?;
    }
    Ok(rows)
}

fn tax_row(document: &Document, profile: Profile, stored: &stored::Rate) -> Result<TaxRow, Underivable> {
    let category = category(&stored.ext, &stored.key);
    let is_taxed = matches!(category, "S" | "Z" | "L" | "M");
    let notes = || document.tax.notes.iter();
    let note = notes()
        .find(|note| code(&note.ext, TAX_CATEGORY) == category)
        .or_else(|| notes().find(|note| note.key == stored.key));
    let rate = rate_of(stored.percent.as_deref(), category)?;
    Ok(TaxRow {
        base: amount(&stored.base)?,
        amount: amount(&stored.amount)?,
        category: category.to_owned(),
        rate: rate.or_else(|| profile.rate_of_not_subject.then_some(Amount::new(0, 0))),
        reason: note.filter(|_| !is_taxed).and_then(|note| filled(&note.text)),
        reason_code: vatex(code(&stored.ext, EXEMPTION)).or_else(|| exemption(category)),
    })
}

/// The header. Each total is the sum that the standard wants where the document states it but for roundings to `precision`
/// decimals, else as the document states it.
fn totals(
    document: &Document,
    lines: &[crate::model::Line],
    rows: &[TaxRow],
    precision: u8,
) -> Result<Totals, Underivable> {
    let decimals = precision.max(2);
    let roundings = lines.len().saturating_add(rows.len()).saturating_add(1);
    let zero = Exact::of(Amount::new(0, decimals));
    let sum = |mut amounts: Box<dyn Iterator<Item = Amount> + '_>| {
        amounts.try_fold(zero, |sum, amount| sum.plus(Exact::of(amount))).ok_or(Underivable::Figure)
    };
    let settled = |computed: Exact, stated: &str| {
        let stated = Exact::of(amount(stated)?);
        let near = within(computed, stated, roundings, precision).ok_or(Underivable::Figure)?;
        Ok(if near { computed } else { stated })
    };
    let printed = |figure: Exact| figure.amount().ok_or(Underivable::Figure);
    let minus = |a: Exact, b: Exact| a.minus(b).ok_or(Underivable::Figure);
    let line_sum = sum(Box::new(lines.iter().map(|line| line.net)))?;
    let stored = &document.totals;
    let net = settled(line_sum, &stored.total)?;
    let tax = settled(sum(Box::new(rows.iter().map(|row| row.amount)))?, &stored.tax)?;
    let gross = settled(net.plus(tax).ok_or(Underivable::Figure)?, &stored.total_with_tax)?;
    let paid = stored.advances.as_deref().map(amount).transpose()?;
    let withheld: Vec<_> =
        document.withheld().map(|tax| amount(&tax.amount)).collect::<Result<_, Underivable>>()?;
    let mut payable = Exact::of(amount(&stored.payable)?);
    payable = payable.plus(sum(Box::new(withheld.into_iter()))?).ok_or(Underivable::Figure)?;
    payable = minus(payable, paid.map_or(zero, Exact::of))?;
    let requested = stored.rounding.as_deref().map(amount).transpose()?.map_or(zero, Exact::of);
    let left = minus(payable, minus(gross, paid.map_or(zero, Exact::of))?)?;
    let rounding =
        if within(left, requested, roundings, precision).unwrap_or_default() { left } else { requested };
    Ok(Totals {
        lines: printed(line_sum)?,
        net: printed(net)?,
        tax: printed(tax)?,
        gross: printed(gross)?,
        paid,
        rounding: printed(rounding).map(|rounding| (!rounding.is_zero()).then_some(rounding))?,
        payable: printed(payable)?,
    })
}
