//! A workspace's settings.

use einvoice_eu::payment::Payment;
use einvoice_eu::settings;
use einvoice_eu::taxes::Exemption;
use einvoice_gobl::email::is_email;
use serde::Deserialize;

use crate::endpoints::{SchemeNumber, is_scheme};
use crate::schemes;
use crate::tables::{MEANS, is_register, vatex_of_exempt};

/// Whom recipients ask.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// A given name, a surname, or both.
    pub given: Option<String>,
    /// See `given`.
    pub surname: Option<String>,
    /// A telephone number.
    pub phone: String,
    /// The workspace's own when absent.
    pub email: Option<String>,
}

/// A number in a scheme.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchemeSetting {
    /// Four digits.
    pub scheme: String,
    /// The number in the scheme.
    pub code: String,
}

impl SchemeSetting {
    /// The same without white space around the number.
    pub fn number(&self) -> SchemeNumber {
        SchemeNumber::new(&self.scheme, self.code.trim())
    }

    fn is_sound(&self, known: fn(&str) -> bool) -> bool {
        let code = self.code.trim();
        known(&self.scheme) && !code.is_empty() && schemes::is_sound(&self.scheme, code)
    }
}

/// What credit notes say of their amount where nothing else is said.
pub const CREDIT_TERMS: &str = "The amount is set off or paid back.";

/// What invoices say beside lines without VAT.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExemptionTexts {
    exempt: Option<String>,
    reverse_charge: Option<String>,
    intra_community: Option<String>,
    export: Option<String>,
    outside_scope: Option<String>,
}

impl ExemptionTexts {
    /// The text of an exemption.
    pub fn of(&self, exemption: &Exemption) -> &str {
        let (own, usual) = match exemption.code {
            "AE" => (&self.reverse_charge, "Reverse charge"),
            "K" => (&self.intra_community, "Intra-Community supply"),
            "G" => (&self.export, "Export outside the EU"),
            "O" => (&self.outside_scope, "Not subject to VAT"),
            _ => (&self.exempt, "Exempt from VAT"),
        };
        own.as_deref().unwrap_or(usual)
    }

    fn all(&self) -> [&Option<String>; 5] {
        [&self.exempt, &self.reverse_charge, &self.intra_community, &self.export, &self.outside_scope]
    }
}

/// A workspace's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Treats every warning as an error.
    pub refuse_warnings: bool,
    /// The supplier's electronic address.
    pub inbox: Option<SchemeSetting>,
    /// What the supplier is registered under.
    pub legal_id: Option<SchemeSetting>,
    /// What the supplier says of its tax registration (BT-32).
    pub tax_registration: Option<String>,
    /// Whom recipients ask.
    pub contact: Option<Contact>,
    /// For documents that name none.
    pub buyer_reference: Option<String>,
    /// For invoices that name none.
    pub payment_terms: Option<String>,
    /// For credit notes that name none: what becomes of the amount.
    pub credit_terms: Option<String>,
    /// Why lines are exempt (VATEX), for documents that do not say it.
    pub exemption_code: Option<String>,
    /// What invoices say beside lines without VAT.
    pub exemption_texts: ExemptionTexts,
    /// How the workspace wants to be paid.
    pub payment: Option<Payment>,
}

impl settings::Settings for Settings {
    fn refuse_warnings(&self) -> bool {
        self.refuse_warnings
    }

    fn validate(&self) -> Result<(), String> {
        let blank = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
        let texts = [&self.buyer_reference, &self.payment_terms, &self.credit_terms, &self.tax_registration];
        if self.exemption_texts.all().into_iter().chain(texts).any(blank) {
            return Err("a text is empty".to_owned());
        }
        if let Some(contact) = &self.contact {
            let named = contact.given.is_some() || contact.surname.is_some();
            let empty = blank(&contact.given) || blank(&contact.surname) || contact.phone.trim().len() < 3;
            if !named || empty || contact.email.as_deref().is_some_and(|email| !is_email(email)) {
                return Err("contact wants given or surname, phone and perhaps email".to_owned());
            }
        }
        if self.inbox.as_ref().is_some_and(|inbox| !inbox.is_sound(is_scheme)) {
            return Err("inbox wants scheme (four digits, of the list EAS) and a code of its form".to_owned());
        }
        if self.legal_id.as_ref().is_some_and(|legal| !legal.is_sound(is_register)) {
            return Err(
                "legal_id wants scheme (four digits, of ISO/IEC 6523) and a code of its form".to_owned()
            );
        }
        if self.exemption_code.as_deref().is_some_and(|code| vatex_of_exempt(code).is_none()) {
            return Err("exemption_code is no code of the list VATEX for exempt lines".to_owned());
        }
        self.payment.as_ref().map_or(Ok(()), |payment| payment.validate(MEANS))
    }
}

/// JSON Schema of [`Settings`].
pub const SCHEMA: &str = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"Peppol BIS Billing 3","properties":{"refuse_warnings":{"type":"boolean","title":"Refuse warnings","description":"Treat every warning as an error: an invoice a receiver may object to is not issued.","default":false},"inbox":{"type":"object","title":"Electronic address","description":"Of the supplier, as registered with its access point; that of its VAT number when absent.","properties":{"scheme":{"type":"string","pattern":"^[0-9]{4}$","title":"Scheme (EAS)"},"code":{"type":"string","minLength":1,"maxLength":64,"title":"Number"}},"required":["scheme","code"],"additionalProperties":false},"legal_id":{"type":"object","title":"Registration","description":"What the supplier is registered under as a legal entity; in Denmark the CVR number when absent.","properties":{"scheme":{"type":"string","pattern":"^[0-9]{4}$","title":"Register (ISO/IEC 6523)"},"code":{"type":"string","minLength":1,"maxLength":64,"title":"Number"}},"required":["scheme","code"],"additionalProperties":false},"tax_registration":{"type":"string","minLength":1,"maxLength":64,"title":"Tax registration","description":"What the supplier says of its tax registration: Foretaksregisteret in Norway, Godkänd för F-skatt in Sweden."},"contact":{"type":"object","title":"Contact","description":"Whom recipients ask; between Germans every invoice names a person, a telephone and an address for electronic mail.","properties":{"given":{"type":"string","minLength":1,"maxLength":200,"title":"Given name"},"surname":{"type":"string","minLength":1,"maxLength":200,"title":"Surname"},"phone":{"type":"string","minLength":3,"maxLength":30,"title":"Telephone"},"email":{"type":"string","format":"email","maxLength":254,"title":"Electronic mail","description":"The workspace's own when absent."}},"required":["phone"],"anyOf":[{"required":["given"]},{"required":["surname"]}],"additionalProperties":false},"buyer_reference":{"type":"string","minLength":1,"maxLength":64,"title":"Buyer reference","description":"For documents that name none."},"payment_terms":{"type":"string","minLength":1,"maxLength":1000,"title":"Payment terms","description":"For invoices that name none."},"credit_terms":{"type":"string","minLength":1,"maxLength":1000,"title":"Terms of credit notes","description":"What becomes of the amount, for credit notes that do not say it."},"exemption_code":{"type":"string","minLength":1,"maxLength":64,"title":"Code of exempt lines","description":"Why lines are exempt (VATEX), for documents that do not say it: VATEX-EU-132-1I."},"exemption_texts":{"type":"object","title":"Reasons of exemptions","description":"What invoices say beside lines without VAT.","properties":{"exempt":{"type":"string","minLength":1,"maxLength":1000,"title":"Exempt"},"reverse_charge":{"type":"string","minLength":1,"maxLength":1000,"title":"Reverse charge"},"intra_community":{"type":"string","minLength":1,"maxLength":1000,"title":"Intra-Community supply"},"export":{"type":"string","minLength":1,"maxLength":1000,"title":"Export"},"outside_scope":{"type":"string","minLength":1,"maxLength":1000,"title":"Outside the scope"}},"additionalProperties":false},"payment":{"type":"object","title":"Payment","description":"How the workspace wants to be paid; in Germany and the Netherlands every invoice says so.","properties":{"means":{"type":"string","enum":["credit-transfer","credit-transfer+sepa","cash","cheque","bank-draft","promissory-note","online","netting"],"title":"Means"},"iban":{"type":"string","minLength":15,"maxLength":42,"title":"IBAN"},"bic":{"type":"string","minLength":8,"maxLength":11,"title":"BIC"},"account_name":{"type":"string","minLength":1,"maxLength":200,"title":"Account holder"}},"required":["means"],"additionalProperties":false}},"additionalProperties":false}"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::EXEMPTIONS;

    #[test]
    fn the_schema_offers_what_the_tables_have() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        let means = schema.pointer("/properties/payment/properties/means/enum").unwrap().as_array().unwrap();
        assert_eq!(means.len(), MEANS.len());
        let texts = schema.pointer("/properties/exemption_texts/properties").unwrap().as_object().unwrap();
        assert!(EXEMPTIONS.iter().all(|exemption| texts.contains_key(exemption.key)));
    }
}
