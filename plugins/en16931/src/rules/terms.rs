//! Terms that have to be there, and codes that have to be in their lists.

use crate::codes::{currency, is_country, is_payment_means, is_scheme, is_subject, is_type, is_vat_prefix};
use crate::model::{Party, Period};

use super::{Rule, rule};

/// VAT categories (UNTDID 5305) of the standard.
const CATEGORIES: [&str; 10] = ["AE", "L", "M", "E", "S", "Z", "G", "O", "K", "B"];
/// Means of payment (UNTDID 4461) that are transfers.
const TRANSFERS: [&str; 2] = ["30", "58"];

pub(super) const RULES: &[Rule] = &[
    rule(
        "BR-04",
        |invoice| invoice.type_code.is_empty(),
        "The document has no type (BT-3); convert the invoice again.",
    ),
    rule(
        "BR-CL-01",
        |invoice| !invoice.type_code.is_empty() && !is_type(&invoice.type_code),
        "The document's type (BT-3) is none of UNTDID 1001; use 380 or 381.",
    ),
    rule("BR-05", |invoice| invoice.currency.is_empty(), "The document has no currency (BT-5); add it."),
    rule(
        "BR-CL-04",
        |invoice| !invoice.currency.is_empty() && currency(&invoice.currency).is_none(),
        "The currency (BT-5) is not in the standard's list; issue the invoice in another one.",
    ),
    rule(
        "BR-06",
        |invoice| invoice.seller.name.is_empty(),
        "The supplier has no name (BT-27); add it to the workspace.",
    ),
    rule("BR-07", |invoice| invoice.buyer.name.is_empty(), "The recipient has no name (BT-44); add it."),
    rule(
        "BR-08",
        |invoice| invoice.seller.address.is_none(),
        "The supplier has no address; add it to the workspace.",
    ),
    rule(
        "BR-09",
        |invoice| country(&invoice.seller).is_some_and(str::is_empty),
        "The supplier's address has no country (BT-40); add it to the workspace.",
    ),
    rule("BR-10", |invoice| invoice.buyer.address.is_none(), "The recipient has no address; add it."),
    rule(
        "BR-11",
        |invoice| country(&invoice.buyer).is_some_and(str::is_empty),
        "The recipient's address has no country (BT-55); add it.",
    ),
    rule(
        "BR-CL-14",
        |invoice| {
            let countries = [&invoice.seller, &invoice.buyer].map(country);
            countries.into_iter().flatten().any(|code| !code.is_empty() && !is_country(code))
        },
        "The country of an address is none of ISO 3166-1; correct the address.",
    ),
    rule("BR-16", |invoice| invoice.lines.is_empty(), "The document has no lines; add at least one."),
    rule(
        "BR-25",
        |invoice| invoice.lines.iter().any(|line| line.name.is_empty()),
        "A line has no description (BT-153); add it.",
    ),
    rule(
        "BR-30",
        |invoice| invoice.lines.iter().filter_map(|line| line.period.as_ref()).any(ends_before_it_starts),
        "The period of a line ends before it starts (BT-135); correct it.",
    ),
    rule(
        "BR-29",
        |invoice| invoice.period.as_ref().is_some_and(ends_before_it_starts),
        "The periods of the lines end before they start (BT-74); correct them.",
    ),
    rule(
        "BR-49",
        |invoice| invoice.payment.as_ref().is_some_and(|payment| payment.means.is_empty()),
        "The payment has no means (BT-81); add payment to the settings.",
    ),
    rule(
        "BR-CL-16",
        |invoice| {
            let means = invoice.payment.as_ref().map(|payment| payment.means.as_str());
            means.is_some_and(|means| !means.is_empty() && !is_payment_means(means))
        },
        "The means of payment (BT-81) is none of UNTDID 4461; correct payment in the settings.",
    ),
    rule(
        "BR-50",
        |invoice| {
            let accounts = invoice.payment.iter().flat_map(|payment| &payment.accounts);
            accounts.into_iter().any(|account| account.iban.is_empty())
        },
        "The account to pay to has no number (BT-84); add the IBAN to payment in the settings.",
    ),
    rule(
        "BR-61",
        |invoice| {
            let transfer = |means: &str| TRANSFERS.contains(&means);
            let payment = invoice.payment.as_ref();
            payment.is_some_and(|payment| transfer(&payment.means) && payment.accounts.is_empty())
        },
        "A transfer names no account to pay to (BT-84); add the IBAN to payment in the settings.",
    ),
    rule(
        "BR-55",
        |invoice| invoice.preceding.iter().any(|reference| reference.number.is_empty()),
        "The document refers to one without a number (BT-25); refer to an issued invoice.",
    ),
    rule(
        "BR-CL-08",
        |invoice| invoice.notes.iter().any(|note| !note.subject.is_empty() && !is_subject(&note.subject)),
        "The subject of a note (BT-21) is none of UNTDID 4451; convert the invoice again.",
    ),
    rule(
        "BR-CL-25",
        |invoice| {
            let endpoints = [&invoice.seller, &invoice.buyer].map(|party| party.endpoint.as_ref());
            endpoints.into_iter().flatten().any(|endpoint| !is_scheme(&endpoint.scheme))
        },
        "The scheme of an electronic address (BT-34, BT-49) is not in the list EAS; correct the address.",
    ),
    rule(
        "BR-CO-09",
        |invoice| {
            let numbers = [&invoice.seller, &invoice.buyer].map(|party| party.vat_id.as_deref());
            numbers.into_iter().flatten().any(|number| !number.get(..2).is_some_and(is_vat_prefix))
        },
        "A VAT number (BT-31, BT-48) does not start with the code of a country; correct the number's country.",
    ),
    rule(
        "BR-CO-25",
        |invoice| {
            let silent = invoice.due_date.is_none() && invoice.payment_terms.is_none();
            silent && !invoice.totals.payable.is_negative() && !invoice.totals.payable.is_zero()
        },
        "The document does not say by when to pay; add a due date or payment_terms.",
    ),
    rule(
        "BR-CL-17",
        |invoice| invoice.tax_rows.iter().any(|row| !CATEGORIES.contains(&row.category.as_str())),
        "The breakdown has a VAT category (BT-118) that is none of UNTDID 5305; convert the invoice again.",
    ),
    rule(
        "BR-CO-04",
        |invoice| invoice.lines.iter().any(|line| line.category.is_empty()),
        "A line has no VAT category (BT-151); add its tax.",
    ),
    rule(
        "BR-CL-18",
        |invoice| {
            let categories = invoice.lines.iter().map(|line| line.category.as_str());
            categories.into_iter().any(|code| !code.is_empty() && !CATEGORIES.contains(&code))
        },
        "A line has a VAT category (BT-151) that is none of UNTDID 5305; convert the invoice again.",
    ),
    rule(
        "BR-CO-18",
        |invoice| invoice.tax_rows.is_empty(),
        "The document has no VAT breakdown (BG-23); convert the invoice again.",
    ),
];

/// The country of a party's address, if it has one.
fn country(party: &Party) -> Option<&str> {
    party.address.as_ref().map(|address| address.country.as_str())
}

/// Dates are compared as they are written.
fn ends_before_it_starts(period: &Period) -> bool {
    !period.start.is_empty() && !period.end.is_empty() && period.end < period.start
}
