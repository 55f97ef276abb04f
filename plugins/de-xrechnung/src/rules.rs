//! The fatal rules of XRechnung 3.0.2 (KoSIT's schematron 2.5.0) that a stored document can break, beside those of the
//! standard in `einvoice_en16931::rules`.

use einvoice_en16931::Invoice;
use einvoice_en16931::model::{Address, Contact};
use einvoice_en16931::rules::{self, Rule, rule};

use crate::wire::is_terms;

/// What is no document of the standard at all: the validator's step before its rules.
pub const NOT_VALID: &str = "val-xsd";

/// Means of payment that are transfers (BR-DE-23-a).
const TRANSFERS: [&str; 2] = ["30", "58"];

const RULES: &[Rule] = &[
    rule(
        "BR-DE-15",
        |invoice| invoice.buyer_reference.is_none(),
        "The document has no buyer reference (BT-10); add the Leitweg-ID.",
    ),
    rule(
        "BR-DE-16",
        |invoice| {
            let taxed = invoice.lines.iter().any(|line| !matches!(line.category.as_str(), "O" | ""));
            taxed && invoice.seller.vat_id.is_none() && invoice.seller.tax_number.is_none()
        },
        "The supplier has neither VAT number nor tax number; correct the workspace.",
    ),
    rule(
        "BR-DE-1",
        |invoice| invoice.payment.is_none(),
        "The document does not say how to pay; add payment to the settings.",
    ),
    rule(
        "BR-DE-23-a",
        |invoice| {
            let means = invoice.payment.as_ref();
            means.is_some_and(|payment| {
                TRANSFERS.contains(&payment.means.as_str()) && payment.accounts.is_empty()
            })
        },
        "A transfer names no account to pay to; add the IBAN to payment in the settings.",
    ),
    rule(
        "BR-DE-2",
        |invoice| invoice.seller.contact.is_none(),
        "The document does not say whom to ask; add contact to the settings.",
    ),
    rule(
        "BR-DE-5",
        |invoice| lacks(invoice, |contact| &contact.name),
        "The document names nobody to ask; add contact to the settings.",
    ),
    rule(
        "BR-DE-6",
        |invoice| lacks(invoice, |contact| &contact.telephone),
        "The document has no telephone to ask at; add contact to the settings.",
    ),
    rule(
        "BR-DE-7",
        |invoice| lacks(invoice, |contact| &contact.email),
        "The document has no address for electronic mail to ask at; add contact to the settings.",
    ),
    rule(
        "BR-DE-3",
        |invoice| address_lacks(invoice.seller.address.as_ref(), |address| &address.city),
        "The supplier's address has no locality; add it to the workspace.",
    ),
    rule(
        "BR-DE-4",
        |invoice| address_lacks(invoice.seller.address.as_ref(), |address| &address.postcode),
        "The supplier's address has no postcode; add it to the workspace.",
    ),
    rule(
        "BR-DE-8",
        |invoice| address_lacks(invoice.buyer.address.as_ref(), |address| &address.city),
        "The recipient's address has no locality; add it.",
    ),
    rule(
        "BR-DE-9",
        |invoice| address_lacks(invoice.buyer.address.as_ref(), |address| &address.postcode),
        "The recipient's address has no postcode; add it.",
    ),
    rule(
        "BR-DE-10",
        |invoice| address_lacks(invoice.deliver_to.as_ref(), |address| &address.city),
        "The address of the delivery, the recipient's, has no locality; add it.",
    ),
    rule(
        "BR-DE-11",
        |invoice| address_lacks(invoice.deliver_to.as_ref(), |address| &address.postcode),
        "The address of the delivery, the recipient's, has no postcode; add it.",
    ),
    rule(
        "BR-DE-18",
        |invoice| invoice.payment_terms.as_deref().is_some_and(|terms| !is_terms(terms)),
        "The payment terms have a line that starts with # and is no Skonto; write it as #SKONTO#TAGE=14#PROZENT=2.00#.",
    ),
    rule(
        "PEPPOL-EN16931-R020",
        |invoice| invoice.seller.endpoint.is_none(),
        "The supplier has no electronic address; add inbox to the settings.",
    ),
    rule(
        "PEPPOL-EN16931-R010",
        |invoice| invoice.buyer.endpoint.is_none(),
        "The recipient has no electronic address; add the email.",
    ),
];

/// All rules, those of the standard first, as the validator runs them.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    rules::all().chain(RULES)
}

/// The rules an invoice breaks, in the order of [`all`].
pub fn broken(invoice: &Invoice) -> impl Iterator<Item = &'static Rule> + '_ {
    all().filter(|rule| (rule.is_broken)(invoice))
}

/// What a rule says, with what to do next; none of one that is not here.
pub fn meaning(id: &str) -> Option<&'static str> {
    all().find(|rule| rule.id == id).map(|rule| rule.meaning)
}

/// Whether a contact is named, but not this of it.
fn lacks(invoice: &Invoice, part: fn(&Contact) -> &String) -> bool {
    invoice.seller.contact.as_ref().is_some_and(|contact| part(contact).is_empty())
}

fn address_lacks(address: Option<&Address>, part: fn(&Address) -> &String) -> bool {
    address.is_some_and(|address| part(address).is_empty())
}
