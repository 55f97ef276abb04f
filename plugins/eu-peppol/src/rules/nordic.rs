//! National rules of Norway, Denmark, Sweden and Iceland.

use einvoice_en16931::Invoice;
use einvoice_en16931::model::{Account, Party};
use einvoice_plugin::Amount;

use super::{
    OfficialRule, address_country, is_registered_otherwise, is_within, lacks, means, official, registered,
};
use crate::schemes::{self, digits, digits_of};

const MEANS_OF_DENMARK: [&str; 11] = ["1", "10", "31", "42", "48", "49", "50", "58", "59", "93", "97"];
/// As Swedish suppliers state it, in small letters.
const REGISTRATION_OF_SWEDEN: &str = "godkänd för f-skatt";
/// Characters of a bank account in Iceland.
const ACCOUNT_OF_ICELAND_CHARS: usize = 12;

pub(super) const RULES: &[OfficialRule] = &[
    official(
        "NO-R-001",
        |invoice| registered(&invoice.seller) == "NO" && has_no_norwegian_number(invoice),
        "The VAT number of a Norwegian supplier is NO, nine digits and MVA; correct the workspace.",
        "[NO-R-001]-For Norwegian suppliers, a VAT number MUST be the country code prefix NO followed by a valid Norwegian organization number (nine numbers) followed by the letters MVA.",
    ),
    official(
        "DK-R-002",
        |invoice| address_country(&invoice.seller) == "DK" && invoice.seller.legal_id.is_none(),
        "The Danish supplier has no CVR number; add legal_id to the settings.",
        "[DK-R-002]-Danish suppliers MUST provide legal entity (CVR-number)",
    ),
    official(
        "DK-R-014",
        |invoice| {
            address_country(&invoice.seller) == "DK" && is_registered_otherwise(&invoice.seller, &["0184"])
        },
        "The Danish supplier is registered under another scheme than 0184; correct legal_id in the settings.",
        "[DK-R-014]-For Danish Suppliers it is mandatory to specify schemeID as \"0184\" (DK CVR-number) when PartyLegalEntity/CompanyID is used for AccountingSupplierParty",
    ),
    official(
        "DK-R-016",
        |invoice| {
            is_within(invoice, "DK") && invoice.is_credit_note() && invoice.totals.payable.is_negative()
        },
        "A credit note between Danes has a negative total; issue an invoice instead.",
        "[DK-R-016]-For Danish Suppliers, a Credit note cannot have a negative total (PayableAmount)",
    ),
    official(
        "DK-R-013",
        |invoice| is_within(invoice, "DK") && invoice.seller.identifier.is_some(),
        "The Danish supplier is identified without a scheme; add legal_id to the settings.",
        "[DK-R-013]-For Danish Suppliers it is mandatory to use schemeID when PartyIdentification/ID is used for AccountingCustomerParty or AccountingSupplierParty",
    ),
    official(
        "DK-R-005",
        |invoice| is_danish_payment(invoice) && !MEANS_OF_DENMARK.contains(&means(invoice)),
        "Between Danes this means of payment is not allowed; change payment in the settings.",
        "[DK-R-005]-For Danish suppliers the following Payment means codes are allowed: 1, 10, 31, 42, 48, 49, 50, 58, 59, 93 and 97",
    ),
    official(
        "DK-R-006",
        |invoice| is_danish_payment(invoice) && ["31", "42"].contains(&means(invoice)) && lacks_bank(invoice),
        "Between Danes a transfer names account and bank; add IBAN and BIC to payment in the settings.",
        "[DK-R-006]-For Danish suppliers bank account and registration account is mandatory if payment means is 31 or 42",
    ),
    official(
        "DK-R-007",
        |invoice| is_danish_payment(invoice) && means(invoice) == "49",
        "Between Danes a direct debit names its mandate, which no document has; change payment in the settings.",
        "[DK-R-007]-For Danish suppliers PaymentMandate/ID and PayerFinancialAccount/ID are mandatory when payment means is 49",
    ),
    official(
        "DK-R-008",
        |invoice| is_danish_payment(invoice) && means(invoice) == "50",
        "Giro needs a payment number, which no document has; change payment in the settings.",
        "[DK-R-008]-For Danish Suppliers PaymentID is mandatory and MUST start with 01#, 04# or 15# (kortartkode), and PayeeFinancialAccount/ID (Giro kontonummer) is mandatory and must be 7 or 8 numerical characters long, when payment means equals 50 (Giro)",
    ),
    official(
        "DK-R-010",
        |invoice| is_danish_payment(invoice) && means(invoice) == "93",
        "FIK needs a payment number, which no document has; change payment in the settings.",
        "[DK-R-010]-For Danish Suppliers using PaymentMeansCode 93, PaymentID is mandatory. The first three characters of the PaymentID MUST be 71#, 73# or 75# (kortartskode), and PayeeFinancialAccount/ID MUST be exactly 8 characters long.",
    ),
    official(
        "DK-R-017",
        |invoice| is_within(invoice, "DK") && is_registered_otherwise(&invoice.buyer, &["0184"]),
        "The Danish recipient is registered under another scheme than 0184; correct legal-id in the recipient's ext.",
        "[DK-R-017]-For Danish Customers it is mandatory to specify schemeID as \"0184\" (DK CVR-number) when PartyLegalEntity/CompanyID is used for AccountingCustomerParty",
    ),
    official(
        "SE-R-001",
        |invoice| swedish_number(invoice).is_some_and(|id| id.len() != 14),
        "The VAT number of a Swedish supplier has twelve digits; correct the workspace.",
        "[SE-R-001]-For Swedish suppliers, Swedish VAT-numbers must consist of 14 characters.",
    ),
    official(
        "SE-R-002",
        |invoice| {
            swedish_number(invoice).is_some_and(|id| !id.get(2..14).or(id.get(2..)).is_some_and(digits))
        },
        "The VAT number of a Swedish supplier has twelve digits; correct the workspace.",
        "[SE-R-002]-For Swedish suppliers, the Swedish VAT-numbers must have the trailing 12 characters in numeric form",
    ),
    official(
        "SE-R-003",
        |invoice| swedish_register(invoice).is_some_and(|id| !digits(id)),
        "The organisation number of a Swedish supplier has digits alone; correct legal_id in the settings.",
        "[SE-R-003]-Swedish organisation numbers should be numeric.",
    ),
    official(
        "SE-R-004",
        |invoice| swedish_register(invoice).is_some_and(|id| id.chars().count() != 10),
        "The organisation number of a Swedish supplier has ten digits; correct legal_id in the settings.",
        "[SE-R-004]-Swedish organisation numbers consist of 10 characters.",
    ),
    official(
        "SE-R-013",
        |invoice| swedish_register(invoice).is_some_and(|id| !schemes::is_sound("0007", id)),
        "The organisation number of a Swedish supplier has a wrong check digit; correct legal_id in the settings.",
        "[SE-R-013]-The last digit of a Swedish organization number must be valid according to the Luhn algorithm.",
    ),
    official(
        "SE-R-005",
        |invoice| swedish_register(invoice).is_some() && has_other_registration(invoice),
        "A Swedish supplier states nothing but 'Godkänd för F-skatt'; correct tax_registration in the settings.",
        "[SE-R-005]-For Swedish suppliers, when using Seller tax registration identifier, 'Godkänd för F-skatt' must be stated",
    ),
    official(
        "SE-R-006",
        |invoice| swedish_number(invoice).is_some() && has_other_rate(invoice),
        "A Swedish supplier charges 25, 12 or 6 %; correct the rate.",
        "[SE-R-006]-For Swedish suppliers, only standard VAT rate of 6, 12 or 25 are used",
    ),
    official(
        "IS-R-002",
        |invoice| address_country(&invoice.seller) == "IS" && lacks_kennitala(&invoice.seller),
        "The supplier of Iceland has no kennitala; add legal_id to the settings, with the scheme 0196.",
        "[IS-R-002]-If seller is icelandic then it shall contain sellers legal id — Ef seljandi er íslenskur þá skal reikningur innihalda íslenska kennitölu seljanda (BT-30).",
    ),
    official(
        "IS-R-003",
        |invoice| address_country(&invoice.seller) == "IS" && lacks(&invoice.seller, &["street", "postcode"]),
        "The address of the supplier of Iceland has no street or postcode; add it to the workspace.",
        "[IS-R-003]-If seller is icelandic then it shall contain his address with street name and zip code — Ef seljandi er íslenskur þá skal heimilisfang seljanda innihalda götuheiti og póstnúmer (BT-35 og BT-38).",
    ),
    official(
        "IS-R-006",
        |invoice| {
            address_country(&invoice.seller) == "IS"
                && means(invoice) == "9"
                && lacks_icelandic_account(invoice)
        },
        "A claim in Iceland names an account of twelve digits; change payment in the settings.",
        "[IS-R-006]-If seller is icelandic and payment means code is 9 then a 12 digit account id must exist — Ef seljandi er íslenskur og greiðslumáti (BT-81) er krafa (kóti 9) þá skal koma fram 12 stafa númer (bankanúmer, höfuðbók 66 og reikningsnúmer) (BT-84)",
    ),
    official(
        "IS-R-007",
        |invoice| {
            address_country(&invoice.seller) == "IS"
                && means(invoice) == "42"
                && lacks_icelandic_account(invoice)
        },
        "A transfer in Iceland names an account of twelve digits; change payment in the settings.",
        "[IS-R-007]-If seller is icelandic and payment means code is 42 then a 12 digit account id must exist — Ef seljandi er íslenskur og greiðslumáti (BT-81) er millifærsla (kóti 42) þá skal koma fram 12 stafa reikningnúmer (BT-84)",
    ),
    official(
        "IS-R-004",
        |invoice| is_within(invoice, "IS") && lacks_kennitala(&invoice.buyer),
        "The recipient in Iceland has no kennitala; say legal-id in the recipient's ext.",
        "[IS-R-004]-If seller and buyer are icelandic then the invoice shall contain the buyers icelandic legal identifier — Ef seljandi og kaupandi eru íslenskir þá skal reikningurinn innihalda íslenska kennitölu kaupanda (BT-47).",
    ),
    official(
        "IS-R-005",
        |invoice| is_within(invoice, "IS") && lacks(&invoice.buyer, &["street", "postcode"]),
        "The address of the recipient in Iceland has no street or postcode; add it.",
        "[IS-R-005]-If seller and buyer are icelandic then the invoice shall contain the buyers address with street name and zip code — Ef seljandi og kaupandi eru íslenskir þá skal heimilisfang kaupanda innihalda götuheiti og póstnúmer (BT-50 og BT-53)",
    ),
];

fn has_no_norwegian_number(invoice: &Invoice) -> bool {
    let number = invoice.seller.vat_id.as_deref().and_then(|id| id.strip_prefix("NO"));
    let sound = |number: &str| {
        let organisation = number.strip_suffix("MVA").unwrap_or_default();
        digits_of(organisation, 9) && schemes::is_sound("0192", organisation)
    };
    number.is_some_and(|number| !sound(number))
}

/// Between Danes, and an invoice.
fn is_danish_payment(invoice: &Invoice) -> bool {
    is_within(invoice, "DK") && !invoice.is_credit_note() && invoice.payment.is_some()
}

fn accounts(invoice: &Invoice) -> &[Account] {
    invoice.payment.as_ref().map_or(&[], |payment| payment.accounts.as_slice())
}

fn lacks_bank(invoice: &Invoice) -> bool {
    let incomplete = |account: &Account| account.iban.is_empty() || account.bic.is_none();
    accounts(invoice).is_empty() || accounts(invoice).iter().any(incomplete)
}

/// The Swedish VAT number of a supplier in Sweden.
fn swedish_number(invoice: &Invoice) -> Option<&str> {
    let number = invoice.seller.vat_id.as_deref().filter(|id| id.starts_with("SE"));
    number.filter(|_| address_country(&invoice.seller) == "SE")
}

/// The number that a supplier in Sweden is registered under.
fn swedish_register(invoice: &Invoice) -> Option<&str> {
    let legal = invoice.seller.legal_id.as_ref().map(|legal| legal.id.as_str());
    legal.filter(|_| address_country(&invoice.seller) == "SE")
}

fn has_other_registration(invoice: &Invoice) -> bool {
    let stated = invoice.seller.tax_number.as_deref();
    stated.is_some_and(|stated| stated.trim().to_lowercase() != REGISTRATION_OF_SWEDEN)
}

fn has_other_rate(invoice: &Invoice) -> bool {
    let usual = [25, 12, 6].map(|percent| Amount::new(percent, 0));
    let is_other = |category: &str, rate: Option<Amount>| {
        category == "S" && !rate.is_some_and(|rate| usual.iter().any(|usual| usual.same_value(rate)))
    };
    invoice.tax_rows.iter().any(|row| is_other(&row.category, row.rate))
        || invoice.lines.iter().any(|line| is_other(&line.category, line.rate))
}

fn lacks_kennitala(party: &Party) -> bool {
    party.legal_id.is_none() || is_registered_otherwise(party, &["0196"])
}

fn lacks_icelandic_account(invoice: &Invoice) -> bool {
    let fits = |account: &Account| account.iban.chars().count() == ACCOUNT_OF_ICELAND_CHARS;
    accounts(invoice).is_empty() || !accounts(invoice).iter().all(fits)
}
