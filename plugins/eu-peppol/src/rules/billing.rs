//! Rules of the profile and of the numbers in it, for every country.

use einvoice_en16931::Invoice;
use einvoice_en16931::model::{Address, Line};
use einvoice_gobl::exact::Exact;
use einvoice_plugin::Amount;

use super::{OfficialRule, is_within, means, official};
use crate::endpoints::is_scheme;
use crate::schemes;
use crate::tables::currency;

/// Types of invoices in the profile (UNTDID 1001).
const INVOICES: [&str; 26] = [
    "71", "80", "82", "84", "102", "218", "219", "326", "331", "380", "382", "383", "384", "386", "388",
    "393", "395", "553", "575", "623", "780", "817", "870", "875", "876", "877",
];
/// Types of credit notes in the profile (UNTDID 1001).
const CREDIT_NOTES: [&str; 5] = ["381", "396", "81", "83", "532"];
/// How far a line may be from quantity × price (R120).
const SLACK: Amount = Amount::new(2, 2);

pub(super) const RULES: &[OfficialRule] = &[
    official(
        "PEPPOL-EN16931-R008",
        has_empty_element,
        "An address or a party says nothing at all; add what it is called and its country.",
        "[PEPPOL-EN16931-R008]-Document MUST not contain empty elements.",
    ),
    official(
        "PEPPOL-EN16931-R002",
        |invoice| invoice.notes.len() > 1 && !is_within(invoice, "DE"),
        "The document has more than one note; join them.",
        "[PEPPOL-EN16931-R002]-No more than one note is allowed on document level, unless both the buyer and seller are German organizations.",
    ),
    official(
        "PEPPOL-EN16931-R003",
        |invoice| invoice.buyer_reference.is_none() && invoice.order_reference.is_none(),
        "The document has neither buyer reference nor order; say buyer-reference or order-reference in ext.",
        "[PEPPOL-EN16931-R003]-A buyer reference or purchase order reference MUST be provided.",
    ),
    official(
        "PEPPOL-EN16931-R053",
        |invoice| invoice.tax_rows.is_empty(),
        "The document has no VAT breakdown; convert the invoice again.",
        "[PEPPOL-EN16931-R053]-Only one tax total with tax subtotals MUST be provided.",
    ),
    official(
        "PEPPOL-EN16931-R054",
        |invoice| invoice.tax_rows.is_empty(),
        "The document has no VAT breakdown; convert the invoice again.",
        "[PEPPOL-EN16931-R054]-Only one tax total without tax subtotals MUST be provided when tax currency code is provided.",
    ),
    official(
        "PEPPOL-EN16931-R010",
        |invoice| invoice.buyer.endpoint.is_none(),
        "The recipient has no electronic address; say inbox in the recipient's ext.",
        "[PEPPOL-EN16931-R010]-Buyer electronic address MUST be provided",
    ),
    official(
        "PEPPOL-EN16931-R020",
        |invoice| invoice.seller.endpoint.is_none(),
        "The supplier has no electronic address; add inbox to the settings.",
        "[PEPPOL-EN16931-R020]-Seller electronic address MUST be provided",
    ),
    official(
        "PEPPOL-EN16931-R061",
        |invoice| ["49", "59"].contains(&means(invoice)),
        "A direct debit needs a mandate, which no document has; change payment in the settings.",
        "[PEPPOL-EN16931-R061]-Mandate reference MUST be provided for direct debit.",
    ),
    official(
        "PEPPOL-EN16931-R120",
        |invoice| invoice.lines.iter().any(is_not_its_product),
        "The net amount of a line is not quantity × price; convert the invoice again.",
        "[PEPPOL-EN16931-R120]-Invoice line net amount MUST equal (Invoiced quantity * (Item net price/item price base quantity) + Sum of invoice line charge amount - sum of invoice line allowance amount",
    ),
    official(
        "PEPPOL-EN16931-R051",
        |invoice| invoice.currency.is_empty(),
        "The document has no currency; add it.",
        "[PEPPOL-EN16931-R051]-All currencyID attributes must have the same value as the invoice currency code (BT-5), except for the invoice total VAT amount in accounting currency (BT-111).",
    ),
    official(
        "PEPPOL-COMMON-R040",
        |invoice| has_wrong_number(invoice, "0088"),
        "A number of scheme 0088 is no GLN; correct it where it was given.",
        "[PEPPOL-COMMON-R040]-GLN must have a valid format according to GS1 rules.",
    ),
    official(
        "PEPPOL-COMMON-R041",
        |invoice| has_wrong_number(invoice, "0192"),
        "A number of scheme 0192 is no organisation number of Norway; correct it where it was given.",
        "[PEPPOL-COMMON-R041]-Norwegian organization number MUST be stated in the correct format.",
    ),
    official(
        "PEPPOL-COMMON-R042",
        |invoice| has_wrong_number(invoice, "0184"),
        "A number of scheme 0184 is no CVR number of Denmark; correct it where it was given.",
        "[PEPPOL-COMMON-R042]-Danish organization number (CVR) MUST be stated in the correct format.",
    ),
    official(
        "PEPPOL-COMMON-R052",
        |invoice| has_wrong_number(invoice, "0096"),
        "A number of scheme 0096 is no P number of Denmark; correct it where it was given.",
        "[PEPPOL-COMMON-R052]-Danish chamber of commerce number (P) MUST be stated in the correct format.",
    ),
    official(
        "PEPPOL-COMMON-R053",
        |invoice| has_wrong_number(invoice, "0198"),
        "A number of scheme 0198 is no SE number of Denmark; correct it where it was given.",
        "[PEPPOL-COMMON-R053]-Danish ERSTORG number (SE) MUST be stated in the correct format.",
    ),
    official(
        "PEPPOL-COMMON-R043",
        |invoice| has_wrong_number(invoice, "0208"),
        "A number of scheme 0208 is no enterprise number of Belgium; correct it where it was given.",
        "[PEPPOL-COMMON-R043]-Belgian enterprise number MUST be stated in the correct format.",
    ),
    official(
        "PEPPOL-COMMON-R049",
        |invoice| has_wrong_number(invoice, "0007"),
        "A number of scheme 0007 is no organisation number of Sweden; correct it where it was given.",
        "[PEPPOL-COMMON-R049]-Swedish organization number MUST be stated in the correct format.",
    ),
    official(
        "PEPPOL-COMMON-R050",
        |invoice| has_wrong_number(invoice, "0151"),
        "A number of scheme 0151 is no business number of Australia; correct it where it was given.",
        "[PEPPOL-COMMON-R050]-Australian Business Number (ABN) MUST be stated in the correct format.",
    ),
    official(
        "PEPPOL-EN16931-CL007",
        |invoice| !is_currency(&invoice.currency),
        "The currency is none of Peppol's list; issue the invoice in another one.",
        "[PEPPOL-EN16931-CL007]-Currency code must be according to ISO 4217:2005",
    ),
    official(
        "PEPPOL-EN16931-P0100",
        |invoice| is_invoice(invoice) && !INVOICES.contains(&invoice.type_code.as_str()),
        "The type of the invoice is none of the profile; use 380.",
        "[PEPPOL-EN16931-P0100]-Invoice type code MUST be set according to the profile.",
    ),
    official(
        "PEPPOL-EN16931-P0112",
        |invoice| ["326", "384"].contains(&invoice.type_code.as_str()) && !is_within(invoice, "DE"),
        "Types 326 and 384 are for trade between Germans; use 380.",
        "[PEPPOL-EN16931-P0112]-Invoice type code 326 or 384 are only allowed when both buyer and seller are German organizations",
    ),
    official(
        "PEPPOL-EN16931-P0101",
        |invoice| invoice.is_credit_note() && !CREDIT_NOTES.contains(&invoice.type_code.as_str()),
        "The type of the credit note is none of the profile; use 381.",
        "[PEPPOL-EN16931-P0101]-Credit note type code MUST be set according to the profile.",
    ),
    official(
        "PEPPOL-EN16931-CL008",
        has_unknown_scheme,
        "The scheme of an electronic address is none of Peppol's list; correct the address.",
        "[PEPPOL-EN16931-CL008]-Electronic address identifier scheme must be from the codelist \"Electronic Address Identifier Scheme\"",
    ),
    official(
        "PEPPOL-EN16931-P0104",
        |invoice| is_reason_of_another(invoice, "VATEX-EU-G", "G"),
        "The reason VATEX-EU-G stands beside another VAT category than G; convert the invoice again.",
        "[PEPPOL-EN16931-P0104]-Tax Category G MUST be used when exemption reason code is VATEX-EU-G",
    ),
    official(
        "PEPPOL-EN16931-P0105",
        |invoice| is_reason_of_another(invoice, "VATEX-EU-O", "O"),
        "The reason VATEX-EU-O stands beside another VAT category than O; convert the invoice again.",
        "[PEPPOL-EN16931-P0105]-Tax Category O MUST be used when exemption reason code is VATEX-EU-O",
    ),
    official(
        "PEPPOL-EN16931-P0106",
        |invoice| is_reason_of_another(invoice, "VATEX-EU-IC", "K"),
        "The reason VATEX-EU-IC stands beside another VAT category than K; convert the invoice again.",
        "[PEPPOL-EN16931-P0106]-Tax Category K MUST be used when exemption reason code is VATEX-EU-IC",
    ),
    official(
        "PEPPOL-EN16931-P0107",
        |invoice| is_reason_of_another(invoice, "VATEX-EU-AE", "AE"),
        "The reason VATEX-EU-AE stands beside another VAT category than AE; convert the invoice again.",
        "[PEPPOL-EN16931-P0107]-Tax Category AE MUST be used when exemption reason code is VATEX-EU-AE",
    ),
    official(
        "PEPPOL-EN16931-P0108",
        |invoice| is_reason_of_another(invoice, "VATEX-EU-D", "E"),
        "The reason VATEX-EU-D stands beside another VAT category than E; convert the invoice again.",
        "[PEPPOL-EN16931-P0108]-Tax Category E MUST be used when exemption reason code is VATEX-EU-D",
    ),
    official(
        "PEPPOL-EN16931-P0109",
        |invoice| is_reason_of_another(invoice, "VATEX-EU-F", "E"),
        "The reason VATEX-EU-F stands beside another VAT category than E; convert the invoice again.",
        "[PEPPOL-EN16931-P0109]-Tax Category E MUST be used when exemption reason code is VATEX-EU-F",
    ),
    official(
        "PEPPOL-EN16931-P0110",
        |invoice| is_reason_of_another(invoice, "VATEX-EU-I", "E"),
        "The reason VATEX-EU-I stands beside another VAT category than E; convert the invoice again.",
        "[PEPPOL-EN16931-P0110]-Tax Category E MUST be used when exemption reason code is VATEX-EU-I",
    ),
    official(
        "PEPPOL-EN16931-P0111",
        |invoice| is_reason_of_another(invoice, "VATEX-EU-J", "E"),
        "The reason VATEX-EU-J stands beside another VAT category than E; convert the invoice again.",
        "[PEPPOL-EN16931-P0111]-Tax Category E MUST be used when exemption reason code is VATEX-EU-J",
    ),
];

fn has_empty_element(invoice: &Invoice) -> bool {
    [&invoice.seller, &invoice.buyer].into_iter().any(|party| {
        let nameless = party.name.is_empty() && party.vat_id.is_none() && party.legal_id.is_none();
        let unreachable = party.endpoint.is_none() && party.contact.is_none();
        match &party.address {
            Some(address) => *address == Address::default(),
            None => nameless && unreachable && party.identifier.is_none() && party.tax_number.is_none(),
        }
    })
}

/// Whether a currency is in the list of OpenPEPPOL, which has two that the standard's does not.
fn is_currency(code: &str) -> bool {
    matches!(code, "STN" | "XCG") || currency(code).is_some()
}

/// Whether the document has a type, and goes out under the root of invoices.
fn is_invoice(invoice: &Invoice) -> bool {
    !invoice.type_code.is_empty() && !invoice.is_credit_note()
}

fn has_wrong_number(invoice: &Invoice, scheme: &str) -> bool {
    [&invoice.seller, &invoice.buyer].into_iter().any(|party| {
        let endpoint = party.endpoint.as_ref().map(|endpoint| (&endpoint.scheme, &endpoint.id));
        let legal = party.legal_id.as_ref().map(|legal| (&legal.scheme, &legal.id));
        let numbers = endpoint.into_iter().chain(legal);
        numbers.into_iter().any(|(known, id)| known == scheme && schemes::broken(scheme, id).is_some())
    })
}

fn has_unknown_scheme(invoice: &Invoice) -> bool {
    let endpoints = [&invoice.seller, &invoice.buyer].map(|party| party.endpoint.as_ref());
    endpoints.into_iter().flatten().any(|endpoint| !is_scheme(&endpoint.scheme))
}

fn is_reason_of_another(invoice: &Invoice, code: &str, category: &str) -> bool {
    invoice.tax_rows.iter().any(|row| row.reason_code == Some(code) && row.category != category)
}

fn is_not_its_product(line: &Line) -> bool {
    let decimals = line.price.scale.saturating_add(line.quantity.scale);
    let product = Exact::of(line.price).widen(decimals).and_then(|price| price.times(line.quantity));
    let net = Exact::of(line.net);
    let near = |product: Exact| {
        let slack = Exact::of(SLACK);
        let (above, below) = (net.plus(slack)?, net.minus(slack)?);
        Some(above.compare(product)?.is_ge() && below.compare(product)?.is_le())
    };
    !product.and_then(near).unwrap_or_default()
}
