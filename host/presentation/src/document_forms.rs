//! What is typed into the forms of documents, as commands take it.

use crate::fields::Fields;
use gateway_domain::invoicing::{Invoice, InvoiceNumber, Recipient};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::{AcceptanceForm, CommandForm, Edit, Proof, RejectionForm};
use gateway_domain_input::document::{AddressForm, IdentityForm, RecipientForm};
use gateway_domain_input::{Faults, acceptance};
use jiff::Timestamp;

/// Longest text of a command, bytes.
const TEXT_BYTES_MAX: usize = 4_000;

/// What identifies a person, and a company, is typed into fields of their own: those of the other kind are passed over. What the
/// tax system wants to know besides stays as it is. Codes of countries are typed in either case.
fn recipient(fields: &Fields, before: Option<&Recipient>) -> RecipientForm {
    let is_company = fields.text("type") == "company";
    let code = |name| fields.given(name).map(str::to_uppercase);
    let identity = fields.given("document_number").is_some() || fields.given("document_kind").is_some();
    let identity_document = (identity && !is_company).then(|| IdentityForm {
        kind: fields.owned("document_kind"),
        number: fields.owned("document_number"),
        country: code("document_country"),
    });
    let address = ["street", "locality", "region", "postcode", "address_country"];
    let has_address = address.iter().any(|name| fields.given(name).is_some());
    let ext = before.map(|before| match before {
        Recipient::Individual { ext, .. } | Recipient::Company { ext, .. } => ext.clone(),
    });
    RecipientForm {
        kind: Some(if is_company { "company" } else { "individual" }.to_owned()),
        name: fields.owned("name"),
        identity_document,
        tax_number: fields.owned("tax_number").filter(|_| is_company),
        country: code("country").filter(|_| is_company),
        address: has_address.then(|| AddressForm {
            street: fields.owned("street"),
            locality: fields.owned("locality"),
            region: fields.owned("region"),
            postcode: fields.owned("postcode"),
            country: code("address_country"),
        }),
        email: fields.owned("email"),
        ext: ext.filter(|ext| !ext.is_empty()),
    }
}

/// The recipient as it was typed, over the one that the document has.
///
/// # Errors
/// What is wrong with it, member by member.
pub fn edit_recipient(fields: &Fields, document: &Invoice) -> Result<CommandForm, Vec<FieldError>> {
    let recipient = recipient(fields, document.content.recipient.as_ref()).check()?;
    Ok(CommandForm::Edit(Box::new(Edit::Recipient(Box::new(recipient)))))
}

fn text(faults: &mut Faults, name: &str, text: Option<String>) -> Option<String> {
    if text.as_ref().is_some_and(|text| text.len() > TEXT_BYTES_MAX || text.contains('\0')) {
        let message = format!("may have at most {TEXT_BYTES_MAX} bytes and no NUL");
        faults.refuse(name, ErrorCode::TooLong, message);
    }
    text
}

/// A part of the authority's proof; that there is none has to be ticked, because an invoice ends with it for good.
fn proof(
    faults: &mut Faults,
    fields: &Fields,
    (name, absent): (&str, &str),
    wrong: fn(&str) -> Option<String>,
) -> Proof {
    match fields.owned(name) {
        None if fields.is_ticked(absent) => Proof::Absent,
        None => Proof::Unsaid,
        Some(given) => {
            if let Some(message) = wrong(&given) {
                faults.refuse(name, ErrorCode::InvalidFormat, message);
            }
            Proof::Given(given)
        }
    }
}

/// What a verdict by hand is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictOn {
    /// The number that the document has.
    Present,
    /// A number that it was sent under before, which the form names.
    Earlier,
}

fn number(faults: &mut Faults, fields: &Fields, verdict_on: VerdictOn) -> Option<InvoiceNumber> {
    let number = text(faults, "number", fields.owned("number").filter(|_| verdict_on == VerdictOn::Earlier));
    if verdict_on == VerdictOn::Earlier && number.is_none() {
        faults.refuse("number", ErrorCode::Required, "is required: choose one");
    }
    number.map(InvoiceNumber)
}

/// A verdict by hand: the authority accepted it, with its proof.
///
/// # Errors
/// A part of the proof that cannot be taken, or a number that is not chosen.
pub fn accept(fields: &Fields, verdict_on: VerdictOn) -> Result<CommandForm, Vec<FieldError>> {
    let mut faults = Faults::default();
    let form = AcceptanceForm {
        qr_url: proof(&mut faults, fields, ("qr_url", "no_qr_url"), acceptance::wrong_address),
        tax_system_hash: proof(&mut faults, fields, ("tax_system_hash", "no_hash"), acceptance::wrong_hash),
        accepted_at: None,
        number: number(&mut faults, fields, verdict_on),
    };
    if verdict_on == VerdictOn::Present {
        for (name, proof) in [("qr_url", &form.qr_url), ("tax_system_hash", &form.tax_system_hash)] {
            if *proof == Proof::Unsaid {
                let message =
                    "is required: give what the tax authority gave, or tick that its system gives none";
                faults.refuse(name, ErrorCode::Required, message);
            }
        }
    }
    faults.or(CommandForm::Accept(form))
}

/// A verdict by hand: the authority rejected it, and why.
///
/// # Errors
/// A text that is too long, or a number that is not chosen.
pub fn reject(fields: &Fields, verdict_on: VerdictOn) -> Result<CommandForm, Vec<FieldError>> {
    let mut faults = Faults::default();
    let form = RejectionForm {
        reason: text(&mut faults, "reason", fields.owned("reason")),
        code: text(&mut faults, "code", fields.owned("code")),
        number: number(&mut faults, fields, verdict_on),
    };
    faults.or(CommandForm::Reject(form))
}

/// Which lines are ticked, from zero.
pub fn ticked_lines(fields: &Fields) -> Vec<usize> {
    fields.all("line").filter_map(|at| at.parse().ok()).collect()
}

/// All of it, or the lines that are ticked.
///
/// # Errors
/// No line is ticked.
pub fn credit(fields: &Fields, document: &Invoice, now: Timestamp) -> Result<CommandForm, Vec<FieldError>> {
    let ticked = ticked_lines(fields);
    let lines: Vec<_> = document
        .content
        .lines
        .iter()
        .enumerate()
        .filter(|(at, _)| ticked.contains(at))
        .map(|(_, line)| line.clone())
        .collect();
    if lines.is_empty() {
        return Err(vec![FieldError::new("lines", ErrorCode::Required, "are not ticked: tick at least one")]);
    }
    let is_all = lines.len() == document.content.lines.len();
    Ok(CommandForm::Credit { at: now, lines: (!is_all).then_some(lines) })
}
