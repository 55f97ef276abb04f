//! Whom the register is asked about.

use crate::number::{NoVatNumber, VatNumber};
use crate::state::{MemberState, compact};
use gateway_domain::invoicing::Recipient;
use gateway_domain::regime::Supplier;

/// A recipient that is to be checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The register can be asked about this number.
    Number(VatNumber),
    /// No number of the state looks like what the document says: nothing is sent.
    Malformed {
        /// As it is written, letters and digits alone.
        text: String,
        /// Why.
        why: NoVatNumber,
    },
}

/// Who is to be checked of a document: a company with a tax number of a member state other than the supplier's. None: nobody is.
pub fn subject(supplier: &Supplier, recipient: Option<&Recipient>) -> Option<Subject> {
    let (tax_number, country) = match recipient? {
        Recipient::Individual { .. } => return None,
        Recipient::Company { tax_number, country, .. } => (tax_number.as_deref()?, country.as_deref()?),
    };
    let text = compact(tax_number);
    if text.is_empty() || country == supplier.country {
        return None;
    }
    let state = MemberState::of_country(country, tax_number)?;
    if MemberState::of_country(&supplier.country, &supplier.tax_id) == Some(state) {
        return None;
    }
    Some(match VatNumber::of(state, tax_number) {
        Ok(number) => Subject::Number(number),
        Err(why) => Subject::Malformed { text, why },
    })
}

/// In whose name the register is asked, so that it gives a consultation number; none for a supplier outside of the Union, or whose tax id
/// is no VAT number.
pub fn requester(supplier: &Supplier) -> Option<VatNumber> {
    let state = MemberState::of_country(&supplier.country, &supplier.tax_id)?;
    VatNumber::of(state, &supplier.tax_id).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn supplier(country: &str, tax_id: &str) -> Supplier {
        Supplier {
            legal_name: "Casa Azul SL".to_owned(),
            tax_id: tax_id.to_owned(),
            country: country.to_owned(),
            address: None,
            email: None,
        }
    }

    fn to(recipient: &serde_json::Value) -> Option<Subject> {
        let recipient: Option<Recipient> = serde_json::from_value(recipient.clone()).unwrap();
        subject(&supplier("ES", "B17002288"), recipient.as_ref())
    }

    fn company(country: Option<&str>, tax_number: Option<&str>) -> Option<Subject> {
        to(&json!({"type": "company", "name": "Blaues Haus", "tax_number": tax_number, "country": country,
            "address": null, "email": null}))
    }

    #[test]
    fn companies_of_other_member_states_are_checked() {
        let number = |text| Some(Subject::Number(VatNumber::parse(text).unwrap()));
        assert_eq!(company(Some("DE"), Some("DE 123456789")), number("DE123456789"));
        assert_eq!(company(Some("GR"), Some("094019245")), number("EL094019245"));
        assert_eq!(company(Some("GB"), Some("XI123456789")), number("XI123456789"));
    }

    #[test]
    fn nobody_else_is() {
        assert_eq!(company(Some("ES"), Some("B98602642")), None, "of the supplier's own country");
        assert_eq!(company(Some("US"), Some("123456789")), None, "outside of the Union");
        assert_eq!(company(Some("GB"), Some("123456789")), None, "Great Britain");
        assert_eq!(company(Some("DE"), None), None, "without a number");
        assert_eq!(company(Some("DE"), Some(" - ")), None, "without a number");
        assert_eq!(company(None, Some("DE123456789")), None, "without a country");
        assert_eq!(to(&json!(null)), None, "without a recipient");
        let person = json!({"type": "individual", "name": "Jane Roe", "identity_document": null, "address": null,
            "email": null});
        assert_eq!(to(&person), None);
    }

    #[test]
    fn what_no_number_of_the_state_looks_like_is_not_sent() {
        assert_eq!(
            company(Some("DE"), Some("151/815/08156")),
            Some(Subject::Malformed {
                text: "15181508156".to_owned(),
                why: NoVatNumber::Format(MemberState::De)
            })
        );
    }

    #[test]
    fn the_register_is_asked_in_the_name_of_a_supplier_with_a_vat_number() {
        let asks_as =
            |country, tax_id| requester(&supplier(country, tax_id)).map(|number| number.to_string());
        assert_eq!(asks_as("ES", "B17002288").as_deref(), Some("ESB17002288"));
        assert_eq!(asks_as("GR", "094019245").as_deref(), Some("EL094019245"));
        assert_eq!(asks_as("DE", "151/815/08156"), None);
        assert_eq!(asks_as("CH", "CHE123456789"), None);
    }
}
