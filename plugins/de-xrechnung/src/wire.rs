//! What goes over the wire: the invoice in the terms of EN 16931, under the identifiers of XRechnung 3.0, as UBL or as CII.
//!
//! `einvoice-en16931` derives it from the stored document and prints it; here is what is German about it:
//!
//! | term | is |
//! |---|---|
//! | specification (BT-24), process (BT-23) | XRechnung 3.0; billing (PEPPOL-EN16931-R001) |
//! | tax number (BT-32) | the supplier's Steuernummer, where it has no USt-IdNr. |
//! | rate (BT-119) | nought where nothing is subject to VAT (BR-DE-14) |
//! | payment terms (BT-20) | a line feed after a last line of Skonto (BR-DE-18) |
//!
//! The syntax is the workspace's setting when the document was converted: the document says it in its `meta`.

use einvoice_en16931::{Invoice, Profile, Syntax, Underivable, derive};
use serde::Deserialize;

/// In the document's `meta`: in which syntax it goes out, where it is not UBL.
pub const META_SYNTAX: &str = "xrechnung-syntax";
/// The value of [`META_SYNTAX`] for CII, and of the setting.
pub const CII: &str = "cii";

/// XRechnung 3.0.
pub const PROFILE: Profile = Profile {
    customization_id: "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0",
    process_id: "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0",
    tax_number_key: TAX_NUMBER_KEY,
    rate_of_not_subject: true,
};

/// The format's key of a Steuernummer.
pub(crate) const TAX_NUMBER_KEY: &str = "de-tax-number";

/// What a stored document says of its syntax.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Stored {
    meta: Option<Meta>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Meta {
    #[serde(rename = "xrechnung-syntax")]
    syntax: String,
}

/// The invoice of a stored document.
pub fn invoice(json: &str) -> Result<Invoice, Underivable> {
    let mut invoice = derive(json, PROFILE)?;
    if let Some(terms) = invoice.payment_terms.as_mut().filter(|terms| ends_with_skonto(terms)) {
        terms.push('\n');
    }
    Ok(invoice)
}

/// The syntax a stored document goes out in.
pub fn syntax(json: &str) -> Syntax {
    // Whoever reads the invoice of what cannot be read says so.
    let stored: Stored = serde_json::from_str(json).unwrap_or_default();
    match stored.meta.unwrap_or_default().syntax.as_str() {
        CII => Syntax::Cii,
        _ => Syntax::Ubl,
    }
}

/// The XML of a stored document; none of one that has no form in the standard.
pub fn xml(json: &str) -> Option<String> {
    invoice(json).ok().map(|invoice| syntax(json).write(&invoice))
}

fn ends_with_skonto(terms: &str) -> bool {
    terms.lines().next_back().is_some_and(|line| line.trim_start().starts_with('#'))
}

/// Whether the terms of payment are what BR-DE-18 takes: a line that starts with `#` is one of Skonto,
/// `#SKONTO#TAGE=14#PROZENT=2.00#`, perhaps with `BASISBETRAG=100.00#`.
pub fn is_terms(terms: &str) -> bool {
    terms.lines().map(str::trim).filter(|line| line.starts_with('#')).all(is_skonto)
}

fn is_skonto(line: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let decimal = |text: &str| {
        text.split_once('.').is_some_and(|(whole, cents)| digits(whole) && digits(cents) && cents.len() == 2)
    };
    let Some(inner) = line.strip_prefix("#SKONTO#").and_then(|rest| rest.strip_suffix('#')) else {
        return false;
    };
    let mut parts = inner.split('#');
    let mut value = |key: &str| parts.next().and_then(|part| part.strip_prefix(key));
    let (days, percent) = (value("TAGE="), value("PROZENT="));
    let base = parts.next().map(|part| part.strip_prefix("BASISBETRAG="));
    days.is_some_and(digits)
        && percent.is_some_and(decimal)
        && base.is_none_or(|base| base.is_some_and(|base| decimal(base.strip_prefix('-').unwrap_or(base))))
        && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_with_a_number_sign_are_skonto() {
        for right in [
            "Zahlbar sofort",
            "a #1",
            "#SKONTO#TAGE=14#PROZENT=2.00#",
            "Zahlbar bald\n#SKONTO#TAGE=7#PROZENT=2.00#BASISBETRAG=-10.50#",
        ] {
            assert!(is_terms(right), "{right}");
        }
        for wrong in ["#1", "x\n #SKONTO#", "#SKONTO#TAGE=14#PROZENT=2#", "#SKONTO#TAGE=1#PROZENT=2.00#X#"] {
            assert!(!is_terms(wrong), "{wrong}");
        }
    }

    #[test]
    fn only_a_document_that_says_so_goes_out_as_cii() {
        assert_eq!(syntax(r#"{"meta": {"xrechnung-syntax": "cii"}}"#), Syntax::Cii);
        for other in [
            "{}",
            r#"{"meta": null}"#,
            r#"{"meta": {"a": 1}}"#,
            "",
            r#"{"meta": {"xrechnung-syntax": "ubl"}}"#,
        ] {
            assert_eq!(syntax(other), Syntax::Ubl, "{other}");
        }
    }
}
