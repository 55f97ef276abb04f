//! National rules of Italy, Greece, the Netherlands and Germany.

use einvoice_en16931::Invoice;
use einvoice_en16931::model::{Address, Contact, Party};
use einvoice_eu::vat;

use super::{
    OfficialRule, address_country, is_registered_otherwise, is_within, lacks, means, official, registered,
};
use crate::schemes::digits_of;

const MEANS_OF_THE_NETHERLANDS: [&str; 6] = ["30", "48", "49", "57", "58", "59"];
/// Greek VAT numbers as electronic addresses.
const SCHEME_OF_GREECE: &str = "9933";

pub(super) const RULES: &[OfficialRule] = &[
    official(
        "IT-R-001",
        |invoice| registered(&invoice.seller) == "IT" && has_no_fiscal_code(invoice),
        "What an Italian supplier states of its tax registration is no fiscal code; correct tax_registration in the settings.",
        "[IT-R-001]-BT-32 (Seller tax registration identifier) - For Italian suppliers BT-32 minimum length 11 and maximum length shall be 16. Per i fornitori italiani il BT-32 deve avere una lunghezza tra 11 e 16 caratteri",
    ),
    official(
        "IT-R-002",
        |invoice| registered(&invoice.seller) == "IT" && lacks(&invoice.seller, &["street"]),
        "The Italian supplier's address has no street; add it to the workspace.",
        "[IT-R-002]-BT-35 (Seller address line 1) - Italian suppliers MUST provide the postal address line 1 - I fornitori italiani devono indicare l'indirizzo postale.",
    ),
    official(
        "IT-R-003",
        |invoice| registered(&invoice.seller) == "IT" && lacks(&invoice.seller, &["city"]),
        "The Italian supplier's address has no locality; add it to the workspace.",
        "[IT-R-003]-BT-37 (Seller city) - Italian suppliers MUST provide the postal address city - I fornitori italiani devono indicare la città di residenza.",
    ),
    official(
        "IT-R-004",
        |invoice| registered(&invoice.seller) == "IT" && lacks(&invoice.seller, &["postcode"]),
        "The Italian supplier's address has no postcode; add it to the workspace.",
        "[IT-R-004]-BT-38 (Seller post code) - Italian suppliers MUST provide the postal address post code - I fornitori italiani devono indicare il CAP di residenza.",
    ),
    official(
        "GR-R-001-1",
        |invoice| is_greek(&invoice.seller) && invoice.number.split('|').count() != 6,
        "The number of a Greek invoice has six parts; use the tax regime gr-mydata.",
        "[GR-R-001-1]- When the Supplier is Greek, the Invoice Id should consist of 6 segments",
    ),
    official(
        "GR-R-002",
        |invoice| is_greek(&invoice.seller),
        "A Greek supplier states its name as registered, which the record does not; use the tax regime gr-mydata.",
        "[GR-R-002]-Greek Suppliers must provide their full name as they are registered in the Greek Business Registry (G.E.MH.) as a legal entity or in the Tax Registry as a natural person",
    ),
    official(
        "GR-R-003",
        |invoice| is_greek(&invoice.seller) && lacks_greek_number(invoice.seller.vat_id.as_deref()),
        "The VAT number of a Greek supplier is EL and nine digits; correct the workspace.",
        "[GR-R-003]-For the Greek Suppliers, the VAT must start with 'EL' and must be a valid TIN number",
    ),
    official(
        "GR-R-004-1",
        |invoice| is_greek(&invoice.seller) && address_country(&invoice.seller) == "GR",
        "A Greek invoice has a number of myDATA, which Peppol does not give; use the tax regime gr-mydata.",
        "[GR-R-004-1]- When Supplier is Greek, there must be one MARK Number",
    ),
    official(
        "GR-R-005",
        |invoice| is_greek(&invoice.seller),
        "A Greek invoice states the recipient's full name, which the record does not; use the tax regime gr-mydata.",
        "[GR-R-005]-Greek Suppliers must provide the full name of the buyer",
    ),
    official(
        "GR-R-009",
        |invoice| is_greek(&invoice.seller) && has_other_address(&invoice.seller),
        "The electronic address of a Greek supplier is its VAT number in the scheme 9933; correct inbox in the settings.",
        "[GR-R-009]-Greek suppliers that send an invoice through the PEPPOL network must use a correct TIN number as an electronic address according to PEPPOL Electronic Address Identifier scheme (schemeID 9933).",
    ),
    official(
        "GR-R-006",
        |invoice| is_among_greeks(invoice) && lacks_greek_number(invoice.buyer.vat_id.as_deref()),
        "The VAT number of a Greek recipient is EL and nine digits; correct it.",
        "[GR-R-006]-Greek Suppliers must provide the VAT number of the buyer, if the buyer is Greek",
    ),
    official(
        "GR-R-010",
        |invoice| is_among_greeks(invoice) && has_other_address(&invoice.buyer),
        "The electronic address of a Greek recipient is its VAT number in the scheme 9933; correct inbox in the recipient's ext.",
        "[GR-R-010]-Greek Suppliers that send an invoice through the PEPPOL network to a greek buyer must use a correct TIN number as an electronic address according to PEPPOL Electronic Address Identifier scheme (SchemeID 9933)",
    ),
    official(
        "NL-R-001",
        |invoice| {
            is_dutch(invoice)
                && invoice.is_credit_note()
                && invoice.preceding.iter().all(|one| one.number.is_empty())
        },
        "A Dutch credit note names no invoice that it corrects; refer to it.",
        "[NL-R-001]-For suppliers in the Netherlands, if the document is a creditnote, the document MUST contain an invoice reference (cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID)",
    ),
    official(
        "NL-R-002",
        |invoice| is_dutch(invoice) && lacks(&invoice.seller, &["street", "city", "postcode"]),
        "The Dutch supplier's address has no street, locality or postcode; add it to the workspace.",
        "[NL-R-002]-For suppliers in the Netherlands the supplier's address (cac:AccountingSupplierParty/cac:Party/cac:PostalAddress) MUST contain street name (cbc:StreetName), city (cbc:CityName) and post code (cbc:PostalZone)",
    ),
    official(
        "NL-R-003",
        |invoice| is_dutch(invoice) && is_registered_otherwise(&invoice.seller, &["0106", "0190"]),
        "The Dutch supplier is registered under another scheme than 0106 or 0190; correct legal_id in the settings.",
        "[NL-R-003]-For suppliers in the Netherlands, the legal entity identifier MUST be either a KVK or OIN number (schemeID 0106 or 0190)",
    ),
    official(
        "NL-R-004",
        |invoice| is_within(invoice, "NL") && lacks(&invoice.buyer, &["street", "city", "postcode"]),
        "The Dutch recipient's address has no street, locality or postcode; add it.",
        "[NL-R-004]-For suppliers in the Netherlands, if the customer is in the Netherlands, the customer address (cac:AccountingCustomerParty/cac:Party/cac:PostalAddress) MUST contain the street name (cbc:StreetName), the city (cbc:CityName) and post code (cbc:PostalZone)",
    ),
    official(
        "NL-R-005",
        |invoice| is_within(invoice, "NL") && is_registered_otherwise(&invoice.buyer, &["0106", "0190"]),
        "The Dutch recipient is registered under another scheme than 0106 or 0190; correct legal-id in the recipient's ext.",
        "[NL-R-005]-For suppliers in the Netherlands, if the customer is in the Netherlands, the customer's legal entity identifier MUST be either a KVK or OIN number (schemeID 0106 or 0190)",
    ),
    official(
        "NL-R-007",
        |invoice| is_dutch(invoice) && invoice.payment.is_none() && is_owed(invoice),
        "The Dutch supplier does not say how it is paid; add payment to the settings.",
        "[NL-R-007]-For suppliers in the Netherlands, the supplier MUST provide a means of payment (cac:PaymentMeans) if the payment is from customer to supplier",
    ),
    official(
        "NL-R-008",
        |invoice| {
            is_within(invoice, "NL")
                && invoice.payment.is_some()
                && !MEANS_OF_THE_NETHERLANDS.contains(&means(invoice))
        },
        "Between Dutch this means of payment is not allowed; change payment in the settings.",
        "[NL-R-008]-For suppliers in the Netherlands, if the customer is in the Netherlands, the payment means code (cac:PaymentMeans/cbc:PaymentMeansCode) MUST be one of 30, 48, 49, 57, 58 or 59",
    ),
    official(
        "DE-R-001",
        |invoice| is_within(invoice, "DE") && invoice.payment.is_none(),
        "The document does not say how to pay; add payment to the settings.",
        "[DE-R-001]-If both supplier and customer are located in Germany, an invoice shall contain information on \"PAYMENT INSTRUCTIONS\" (BG-16).",
    ),
    official(
        "DE-R-015",
        |invoice| is_within(invoice, "DE") && invoice.buyer_reference.is_none(),
        "The document has no buyer reference; say buyer-reference in ext.",
        "[DE-R-015]-If both supplier and customer are located in Germany, the element \"Buyer reference\" (BT-10) shall be provided.",
    ),
    official(
        "DE-R-016",
        |invoice| is_within(invoice, "DE") && has_no_tax_number(invoice),
        "The supplier has no VAT number; correct the workspace.",
        "[DE-R-016]-If both supplier and customer are located in Germany, and if one of the VAT codes S, Z, E, AE, K, G, L, or M is used, an invoice shall contain at least one of the following elements: \"Seller VAT identifier\" (BT-31) or \"Seller tax registration identifier\" (BT-32) or \"SELLER TAX REPRESENTATIVE PARTY\" (BG-11).",
    ),
    official(
        "DE-R-018",
        |invoice| is_within(invoice, "DE") && has_line_of_skonto(invoice),
        "A line of the payment terms starts with #; start it with something else.",
        "[DE-R-018]-If both supplier and customer are located in Germany, information on cash discounts for prompt payment (Skonto) shall be provided within the element \"Payment terms\" BT-20 in the following way: First segment \"SKONTO\", second segment amount of days (\"TAGE=N\"), third segment percentage (\"PROZENT=N\"). Percentage must be separated by dot with two decimal places. In case the base value of the invoiced amount is not provided in BT-115 but as a partial amount, the base value shall be provided as fourth segment \"BASISBETRAG=N\" as semantic data type amount. Each entry shall start with a #, the segments must be separated by # and a row shall end with a #. A complete statement on cash discount for prompt payment shall end with a XML-conformant line break. All statements on cash discount for prompt payment shall be given in capital letters. Additional whitespaces (blanks, tabulators or line breaks) are not allowed. Other characters or texts than defined above are not allowed.",
    ),
    official(
        "DE-R-002",
        |invoice| is_within(invoice, "DE") && invoice.seller.contact.is_none(),
        "The document does not say whom to ask; add contact to the settings.",
        "[DE-R-002]-If both supplier and customer are located in Germany, the group \"SELLER CONTACT\" (BG-6) shall be provided.",
    ),
    official(
        "DE-R-003",
        |invoice| is_within(invoice, "DE") && lacks(&invoice.seller, &["city"]),
        "The supplier's address has no locality; add it to the workspace.",
        "[DE-R-003]-If both supplier and customer are located in Germany, the element \"Seller city\" (BT-37) shall be provided.",
    ),
    official(
        "DE-R-004",
        |invoice| is_within(invoice, "DE") && lacks(&invoice.seller, &["postcode"]),
        "The supplier's address has no postcode; add it to the workspace.",
        "[DE-R-004]-If both supplier and customer are located in Germany, the element \"Seller post code\" (BT-38) shall be provided.",
    ),
    official(
        "DE-R-005",
        |invoice| is_within(invoice, "DE") && contact_lacks(invoice, |contact| &contact.name),
        "The document names nobody to ask; add contact to the settings.",
        "[DE-R-005]-If both supplier and customer are located in Germany, the element \"Seller contact point\" (BT-41) shall be provided.",
    ),
    official(
        "DE-R-006",
        |invoice| is_within(invoice, "DE") && contact_lacks(invoice, |contact| &contact.telephone),
        "The document has no telephone to ask at; add contact to the settings.",
        "[DE-R-006]-If both supplier and customer are located in Germany, the element \"Seller contact telephone number\" (BT-42) shall be provided.",
    ),
    official(
        "DE-R-007",
        |invoice| is_within(invoice, "DE") && contact_lacks(invoice, |contact| &contact.email),
        "The document has no address for electronic mail to ask at; add contact to the settings.",
        "[DE-R-007]-If both supplier and customer are located in Germany, the element \"Seller contact email address\" (BT-43) shall be provided.",
    ),
    official(
        "DE-R-008",
        |invoice| is_within(invoice, "DE") && lacks(&invoice.buyer, &["city"]),
        "The recipient's address has no locality; add it.",
        "[DE-R-008]-If both supplier and customer are located in Germany, the element \"Buyer city\" (BT-52) shall be provided.",
    ),
    official(
        "DE-R-009",
        |invoice| is_within(invoice, "DE") && lacks(&invoice.buyer, &["postcode"]),
        "The recipient's address has no postcode; add it.",
        "[DE-R-009]-If both supplier and customer are located in Germany, the element \"Buyer post code\" (BT-53) shall be provided.",
    ),
    official(
        "DE-R-010",
        |invoice| is_within(invoice, "DE") && delivery_lacks(invoice, |to| &to.city),
        "The address of the delivery, the recipient's, has no locality; add it.",
        "[DE-R-010]-If both supplier and customer are located in Germany, the element \"Deliver to city\" (BT-77) shall be provided if the group \"DELIVER TO ADDRESS\" (BG-15) is delivered.",
    ),
    official(
        "DE-R-011",
        |invoice| is_within(invoice, "DE") && delivery_lacks(invoice, |to| &to.postcode),
        "The address of the delivery, the recipient's, has no postcode; add it.",
        "[DE-R-011]-If both supplier and customer are located in Germany, the element \"Deliver to post code\" (BT-78) shall be provided if the group \"DELIVER TO ADDRESS\" (BG-15) is delivered.",
    ),
    official(
        "DE-R-023-1",
        |invoice| {
            is_within(invoice, "DE") && ["30", "58"].contains(&means(invoice)) && has_no_account(invoice)
        },
        "A transfer names no account to pay to; add the IBAN to payment in the settings.",
        "[DE-R-023-1]-If both supplier and customer are German, if \"Payment means type code\" (BT-81) contains a code for credit transfer (30, 58), \"CREDIT TRANSFER\" (BG-17) shall be provided.",
    ),
    official(
        "DE-R-024-1",
        |invoice| is_within(invoice, "DE") && ["48", "54", "55"].contains(&means(invoice)),
        "A payment by card names the card, which no document has; change payment in the settings.",
        "[DE-R-024-1]-If both supplier and customer are located in Germany, and if \"Payment means type code\" (BT-81) contains a code for payment card (48, 54, 55), \"PAYMENT CARD INFORMATION\" (BG-18) shall be provided.",
    ),
    official(
        "DE-R-025-1",
        |invoice| is_within(invoice, "DE") && means(invoice) == "59",
        "A direct debit names its mandate, which no document has; change payment in the settings.",
        "[DE-R-025-1]-If both supplier and customer are located in Germany, and if \"Payment means type code\" (BT-81) contains a code for direct debit (59), \"DIRECT DEBIT\" (BG-19) shall be provided.",
    ),
];

fn has_no_fiscal_code(invoice: &Invoice) -> bool {
    let has_form = |text: &str| {
        let sound = text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        (11..=16).contains(&text.len()) && sound
    };
    invoice.seller.tax_number.as_deref().is_some_and(|text| !has_form(text))
}

fn is_greek(party: &Party) -> bool {
    matches!(registered(party), "EL" | "GR")
}

fn is_among_greeks(invoice: &Invoice) -> bool {
    is_greek(&invoice.seller) && is_greek(&invoice.buyer)
}

fn is_greek_number(code: &str) -> bool {
    digits_of(code, 9) && vat::parse("GR", code).is_ok()
}

fn lacks_greek_number(vat_id: Option<&str>) -> bool {
    !vat_id.and_then(|id| id.strip_prefix("EL")).is_some_and(is_greek_number)
}

fn has_other_address(party: &Party) -> bool {
    let endpoint = party.endpoint.as_ref();
    endpoint.is_some_and(|endpoint| endpoint.scheme != SCHEME_OF_GREECE || !is_greek_number(&endpoint.id))
}

fn is_dutch(invoice: &Invoice) -> bool {
    address_country(&invoice.seller) == "NL"
}

/// Whether the recipient owes the supplier.
fn is_owed(invoice: &Invoice) -> bool {
    let payable = invoice.totals.payable;
    if invoice.is_credit_note() {
        payable.is_negative()
    } else {
        !payable.is_negative() && !payable.is_zero()
    }
}

fn has_no_tax_number(invoice: &Invoice) -> bool {
    let taxed = invoice.lines.iter().any(|line| !matches!(line.category.as_str(), "O" | ""));
    taxed && invoice.seller.vat_id.is_none() && invoice.seller.tax_number.is_none()
}

/// Our documents have no Skonto, so any line that looks like one is none.
fn has_line_of_skonto(invoice: &Invoice) -> bool {
    let terms = invoice.payment_terms.as_deref().unwrap_or_default();
    terms.lines().any(|line| line.trim_start().starts_with('#'))
}

fn contact_lacks(invoice: &Invoice, part: fn(&Contact) -> &String) -> bool {
    invoice.seller.contact.as_ref().is_some_and(|contact| part(contact).is_empty())
}

fn delivery_lacks(invoice: &Invoice, part: fn(&Address) -> &String) -> bool {
    invoice.deliver_to.as_ref().is_some_and(|to| part(to).is_empty())
}

fn has_no_account(invoice: &Invoice) -> bool {
    invoice.payment.as_ref().is_some_and(|payment| payment.accounts.is_empty())
}
