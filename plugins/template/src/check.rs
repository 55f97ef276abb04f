//! Everything that would make the authority refuse a document. A code stands for ever: never reuse or renumber one.

use einvoice_plugin::{DocumentKind, Fault, Invoice, Recipient};

/// A company without country or tax number.
pub const COMPANY_TAX_NUMBER: &str = "XX-TEMPLATE-RECIPIENT-01";
/// A person without identity document.
pub const PERSON_DOCUMENT: &str = "XX-TEMPLATE-RECIPIENT-02";
/// A tax this plugin does not map.
pub const SURCHARGE: &str = "XX-TEMPLATE-TAX-01";
/// A member that means nothing to this tax system.
pub const UNKNOWN_EXT: &str = "XX-TEMPLATE-EXT-01";
/// A kind of document this plugin does not map.
pub const KIND: &str = "XX-TEMPLATE-KIND-01";

/// Every fault of a document; none when it may go out.
pub fn check(invoice: &Invoice) -> Vec<Fault> {
    let mut faults = Vec::new();
    if matches!(invoice.kind, DocumentKind::DebitNote | DocumentKind::ReplacementInvoice) {
        let message = "This tax system takes invoices and credit notes only; make one of these.";
        faults.push(Fault::error(KIND, "/document_type", message));
    }
    match &invoice.recipient {
        Some(Recipient::Company(company)) if company.tax_number.is_none() || company.country.is_none() => {
            faults.push(company_without_tax_number());
        }
        Some(Recipient::Individual(person)) if person.identity_document.is_none() => {
            faults.push(person_without_document());
        }
        _ => {}
    }
    let lines = invoice.lines.iter().enumerate();
    faults.extend(lines.filter(|(_, line)| line.tax.surcharge.is_some()).map(|(index, _)| {
        let message = "There is no surcharge in this tax system; remove it from the line.";
        Fault::error(SURCHARGE, format!("/lines/{index}/tax/surcharge"), message)
    }));
    // List in `describe` what is read of `ext`; what nobody reads is refused, never dropped.
    let of_lines = invoice.lines.iter().enumerate().map(|(at, line)| (format!("/lines/{at}/ext"), &line.ext));
    for (path, ext) in [("/ext".to_owned(), &invoice.ext)].into_iter().chain(of_lines) {
        faults.extend(ext.iter().map(|ext| {
            let message = "This tax system has no such member; remove it.";
            Fault::error(UNKNOWN_EXT, format!("{path}/{}", ext.key), message)
        }));
    }
    faults
}

pub(crate) fn company_without_tax_number() -> Fault {
    let message = "A company needs a country and a tax number; add both to the recipient.";
    Fault::error(COMPANY_TAX_NUMBER, "/recipient/tax_number", message)
}

pub(crate) fn person_without_document() -> Fault {
    let message = "A person needs an identity document; add it to the recipient.";
    Fault::error(PERSON_DOCUMENT, "/recipient/identity_document", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::harness;
    use serde_json::json;

    fn codes(recipient: &serde_json::Value, tax: &serde_json::Value) -> Vec<String> {
        let invoice = harness::invoice(&json!({
            "issue_date": "2026-11-20", "recipient": recipient,
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00", "tax": tax}]
        }));
        check(&invoice.unwrap()).into_iter().map(|fault| fault.code).collect()
    }

    #[test]
    fn a_company_is_known_by_its_tax_number() {
        let vat = json!({"category": "VAT", "rate": "21.0"});
        let known = json!({"type": "company", "name": "Acme", "tax_number": "123456789", "country": "PT"});
        assert!(codes(&known, &vat).is_empty());
        let unknown = json!({"type": "company", "name": "Acme", "country": "PT"});
        assert_eq!(codes(&unknown, &vat), [COMPANY_TAX_NUMBER]);
    }

    #[test]
    fn a_person_is_known_by_a_document() {
        let nobody = json!({"type": "individual", "name": "Jane Roe"});
        assert_eq!(codes(&nobody, &json!({"category": "VAT", "rate": "21.0"})), [PERSON_DOCUMENT]);
    }

    #[test]
    fn a_member_that_nobody_reads_is_refused_where_it_stands() {
        let invoice = harness::invoice(&json!({
            "issue_date": "2026-11-20", "ext": {"colour": "red"},
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "21.0"}, "ext": {"size": "xl"}}]
        }));
        let found = check(&invoice.unwrap());
        let paths: Vec<_> = found.iter().map(|fault| fault.path.as_str()).collect();
        assert_eq!(paths, ["/ext/colour", "/lines/0/ext/size"]);
        assert!(found.iter().all(|fault| fault.code == UNKNOWN_EXT));
    }

    #[test]
    fn a_surcharge_is_refused_at_its_line() {
        let tax = json!({"category": "VAT", "rate": "21.0", "surcharge": "5.2"});
        assert_eq!(codes(&serde_json::Value::Null, &tax), [SURCHARGE]);
    }
}
