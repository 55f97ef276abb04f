//! The stored document in the terms of the file.

use einvoice_gobl::country;
use einvoice_gobl::decimal::Decimal;
use einvoice_gobl::email::is_email;
use einvoice_gobl::stored;
use einvoice_gobl::text::non_blank;

use super::{
    ADMINISTRATION_FORMAT, Address, Customer, Fattura, PRIVATE_FORMAT, Payment, Reference, Registration,
    SEPARATOR, SIMPLIFIED_FORMAT, Supplier, TaxId, breakdown, lines,
};
use crate::identity::FISCAL_CODE;
use crate::tables::{EXT_DOCUMENT_TYPE, EXT_FISCAL_REGIME, EXT_FORMAT, EXT_PAYMENT_MEANS, is_simplified};

/// The inbox with the destination code.
const DESTINATION_INBOX: &str = "it-sdi-code";
/// The inbox with the certified address.
const CERTIFIED_MAIL_INBOX: &str = "it-sdi-pec";
/// Where SdI delivers to when nothing is known of an administration: its central office.
const CENTRAL_OFFICE: &str = "999999";
/// Italians without a code of their own.
const NO_CODE: &str = "0000000";
/// Recipients abroad.
const ABROAD: &str = "XXXXXXX";
/// A recipient abroad without tax id.
const PERSON_ABROAD: &str = "0000000";
/// A company outside the Union without a tax id that is known.
const COMPANY_OUTSIDE_UNION: &str = "OO99999999999";
/// The postcode of every address abroad.
const POSTCODE_ABROAD: &str = "00000";
const REMARK_CHARS_MAX: usize = 200;

/// Member states as tax numbers write them, besides Italy.
const UNION: [&str; 27] = [
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "EL", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "LT",
    "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
];

impl Fattura {
    /// The file of a document. What the document lacks is empty in it, which SdI refuses.
    pub fn from_document(document: &stored::Invoice, progressive: &str) -> Self {
        let doc_type = document.code_of(EXT_DOCUMENT_TYPE).to_owned();
        let format = match document.code_of(EXT_FORMAT) {
            _ if is_simplified(&doc_type) => SIMPLIFIED_FORMAT,
            "" => PRIVATE_FORMAT,
            other => other,
        };
        let nobody = stored::Party::default();
        let customer = document.customer.as_ref().unwrap_or(&nobody);
        let destination = destination(customer, format);
        let inbox = customer.inbox(CERTIFIED_MAIL_INBOX);
        let certified_mail = inbox.filter(|_| destination == NO_CODE).map(|inbox| inbox.email.clone());
        let summary = breakdown::summary(document);
        Self {
            format: format.to_owned(),
            progressive: progressive.to_owned(),
            certified_mail,
            supplier: supplier(&document.supplier),
            customer: recipient(customer),
            doc_type,
            currency: document.currency.clone(),
            date: document.issue_date.clone(),
            number: document.number(SEPARATOR),
            retentions: breakdown::retentions(document),
            references: document.preceding.iter().map(reference).collect(),
            total: document.totals.total_with_tax,
            remarks: remarks(document),
            lines: lines::lines(document, &summary),
            payments: payments(document, breakdown::split(&summary)),
            summary,
            destination,
        }
    }
}

fn destination(customer: &stored::Party, format: &str) -> String {
    let own = customer.inbox(DESTINATION_INBOX).map(|inbox| inbox.code.as_str());
    let usual = match customer.tax_id.country.as_str() {
        _ if format == ADMINISTRATION_FORMAT => CENTRAL_OFFICE,
        "IT" | "" => NO_CODE,
        _ => ABROAD,
    };
    non_blank(own).unwrap_or(usual).to_owned()
}

fn supplier(party: &stored::Party) -> Supplier {
    let TaxId { country, code } = tax_id(&party.tax_id);
    let code = if code.is_empty() { party.number().to_owned() } else { code };
    let emails = party.emails.iter().map(|email| email.addr.trim());
    Supplier {
        tax_id: TaxId { country, code },
        name: one_line(&party.name),
        regime: party.ext.get(EXT_FISCAL_REGIME).cloned().unwrap_or_default(),
        address: address(party),
        registration: party.registration.as_ref().map(|registration| Registration {
            office: registration.office.clone(),
            entry: one_line(&registration.entry),
            capital: registration.capital,
        }),
        // `EmailContattiType`; nobody needs it, so one that has no place there stays away.
        email: emails
            .filter(|email| is_email(email) && (7..=256).contains(&email.len()))
            .map(str::to_owned)
            .next(),
    }
}

fn recipient(party: &stored::Party) -> Customer {
    let fiscal_code = party.identity(FISCAL_CODE).map(str::to_owned);
    let country = party.tax_id.country.as_str();
    let anonymous = || match country {
        "" | "IT" => None,
        _ if UNION.contains(&country) || !party.identities.is_empty() => Some(PERSON_ABROAD),
        _ => Some(COMPANY_OUTSIDE_UNION),
    };
    let tax_id = match party.tax_id.code.as_str() {
        "" => anonymous().map(|code| TaxId { country: country.to_owned(), code: code.to_owned() }),
        _ => Some(tax_id(&party.tax_id)),
    };
    Customer { tax_id, fiscal_code, name: one_line(&party.name), address: address(party) }
}

fn tax_id(tax_id: &stored::TaxId) -> TaxId {
    TaxId { country: tax_id.country.clone(), code: tax_id.code.clone() }
}

/// The first address. Without a country it lies in that of the tax id.
fn address(party: &stored::Party) -> Address {
    let Some(first) = party.addresses.first() else { return Address::default() };
    let country = match first.country.as_str() {
        "" => country::normalise(&party.tax_id.country).unwrap_or_default(),
        country => country,
    };
    let italian = country == "IT";
    let province = first.region.trim().to_uppercase();
    let is_province = province.len() == 2 && province.bytes().all(|byte| byte.is_ascii_uppercase());
    Address {
        street: one_line(&first.street),
        house_number: non_blank(Some(&first.num)).map(one_line),
        postcode: if italian { first.code.trim() } else { POSTCODE_ABROAD }.to_owned(),
        locality: one_line(&first.locality),
        province: (italian && is_province).then_some(province),
        country: country.to_owned(),
    }
}

fn reference(reference: &stored::Reference) -> Reference {
    let date = reference.issue_date.as_str();
    Reference {
        number: reference.number(SEPARATOR),
        date: non_blank(Some(date)).map(str::to_owned),
        reason: one_line(&reference.reason),
    }
}

fn remarks(document: &stored::Invoice) -> Vec<String> {
    let notes = document.notes.iter().map(|note| &note.text);
    let texts = notes.chain([&document.payment.terms.notes]).map(|text| one_line(text));
    texts
        .flat_map(|text| {
            let characters: Vec<char> = text.chars().collect();
            characters.chunks(REMARK_CHARS_MAX).map(|part| part.iter().collect()).collect::<Vec<String>>()
        })
        .collect()
}

/// One payment for each date, or one without. `split` is the VAT that is not paid to the supplier, though the document
/// counts it in; instalments are left as they are stated.
fn payments(document: &stored::Invoice, split: Decimal) -> Vec<Payment> {
    let payable = document.totals.payable.minus(split);
    let Some(instructions) = document.payment.instructions.as_ref().filter(|_| payable != Decimal::ZERO)
    else {
        return Vec::new();
    };
    let account = instructions.credit_transfer.first();
    let of_account = |member: fn(&stored::CreditTransfer) -> &String| {
        account.and_then(|account| non_blank(Some(member(account).as_str())).map(str::to_owned))
    };
    let payment = Payment {
        beneficiary: of_account(|account| &account.name).map(|name| one_line(&name)),
        means: instructions.ext.get(EXT_PAYMENT_MEANS).cloned().unwrap_or_default(),
        due_date: None,
        amount: payable,
        iban: of_account(|account| &account.iban),
        bic: of_account(|account| &account.bic).map(|bic| bic.to_uppercase()).filter(|bic| is_bic(bic)),
    };
    let dates = &document.payment.terms.due_dates;
    if let [] | [_] = dates.as_slice() {
        let due_date = dates.first().map(|due| due.date.clone());
        return vec![Payment { due_date, ..payment }];
    }
    let due = |due: &stored::DueDate| Payment {
        due_date: Some(due.date.clone()),
        amount: due.amount,
        ..payment.clone()
    };
    dates.iter().map(due).collect()
}

/// `BICType`: the schema takes no other.
fn is_bic(bic: &str) -> bool {
    matches!(bic.len(), 8 | 11)
        && bic.bytes().enumerate().all(|(at, byte)| match at {
            0..=5 => byte.is_ascii_uppercase(),
            6 => byte.is_ascii_uppercase() || matches!(byte, b'2'..=b'9'),
            7 => byte != b'O' && (byte.is_ascii_uppercase() || byte.is_ascii_digit()),
            _ => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        })
}

/// A text without line breaks and double spaces, which the schema's texts do not have.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
