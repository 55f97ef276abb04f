//! The invoices of the demonstration: made-up people, one invoice for each thing worth seeing.

use serde_json::{Value, json};

/// One invoice, and how it is expected to travel.
#[derive(Debug, Clone)]
pub(super) struct Case {
    /// What it shows.
    pub(super) title: &'static str,
    /// The document, without its workspace.
    pub(super) document: Value,
    /// What the recipient's name becomes after the expected rejection; none when it is accepted at once.
    pub(super) corrected_name: Option<&'static str>,
}

impl Case {
    const fn accepted(title: &'static str, document: Value) -> Self {
        Self { title, document, corrected_name: None }
    }
}

/// Every case, in the order in which they are sent.
pub(super) fn all() -> Vec<Case> {
    let mut cases = identities();
    cases.extend(companies());
    cases.extend(figures());
    cases.extend(troubles());
    cases
}

/// One row of the specification's identity table each; also prices with and without tax.
fn identities() -> Vec<Case> {
    let stay = || [line("Studio, 3 nights", "3", "89.90", &vat("10.0"))];
    vec![
        Case::accepted(
            "Spanish id card, prices with tax",
            invoice(true, &person("Alba Ejemplo", "id_card", "12345678Z", "ES"), &stay()),
        ),
        Case::accepted(
            "Spanish resident permit, net prices",
            invoice(false, &person("Mina Beispiel", "spanish_resident_permit", "X0000000T", "ES"), &stay()),
        ),
        Case::accepted(
            "foreign passport",
            invoice(true, &person("Jane Sample", "passport", "000000001", "GB"), &stay()),
        ),
        Case::accepted(
            "foreign national id",
            invoice(true, &person("Jean Exemple", "foreign_national_id", "FR0000001", "FR"), &stay()),
        ),
        Case::accepted(
            "driving licence",
            invoice(true, &person("Max Muster", "driving_license", "DE0000001", "DE"), &stay()),
        ),
        Case::accepted(
            "student id",
            invoice(true, &person("Mario Esempio", "student_id", "IT0000001", "IT"), &stay()),
        ),
    ]
}

fn companies() -> Vec<Case> {
    let rooms = || [line("Meeting room, 2 days", "2", "240.00", &vat("21.0"))];
    vec![
        Case::accepted(
            "Spanish company",
            invoice(false, &company("Ejemplo Viajes SL", "B11111119", "ES", "Sevilla", "41001"), &rooms()),
        ),
        Case::accepted(
            "company from abroad",
            invoice(false, &company("Muster Reisen GmbH", "DE000000001", "DE", "Berlin", "10115"), &rooms()),
        ),
    ]
}

fn figures() -> Vec<Case> {
    let guest = |name: &str| person(name, "passport", "000000002", "US");
    vec![
        Case::accepted(
            "negative line",
            invoice(
                true,
                &guest("Ana Specimen"),
                &[
                    line("Studio, 7 nights", "7", "79.00", &vat("10.0")),
                    line("Loyalty", "1", "-25.00", &vat("10.0")),
                ],
            ),
        ),
        Case::accepted(
            "exempt rent",
            invoice(
                false,
                &guest("Otto Specimen"),
                &[line(
                    "Rent of a dwelling, November",
                    "1",
                    "850.00",
                    &json!({"category": "VAT", "exemption": "article_20"}),
                )],
            ),
        ),
        Case::accepted(
            "three rates on one invoice",
            invoice(
                false,
                &guest("Lea Specimen"),
                &[
                    line("Studio, 2 nights", "2", "95.55", &vat("10.0")),
                    line("Parking, hours", "2.5", "3.33", &vat("21.0")),
                    line("Newspaper", "3", "1.99", &vat("4.0")),
                ],
            ),
        ),
    ]
}

/// What the names ask of the stand-in: see the contract of the sandbox.
fn troubles() -> Vec<Case> {
    let stay = || [line("Studio, 1 night", "1", "99.00", &vat("10.0"))];
    let guest = |name: &str, number: &str| person(name, "passport", number, "US");
    vec![
        Case {
            title: "rejected, corrected, resubmitted",
            document: invoice(true, &guest("Ada SANDBOX-REJECT-1110", "000000003"), &stay()),
            corrected_name: Some("Ada Specimen"),
        },
        Case::accepted(
            "webhook that never comes",
            invoice(true, &guest("Ben SANDBOX-NO-WEBHOOK", "000000004"), &stay()),
        ),
        Case::accepted(
            "provider down twice",
            invoice(true, &guest("Cleo SANDBOX-FAIL-2", "000000005"), &stay()),
        ),
    ]
}

fn invoice(prices_include_tax: bool, recipient: &Value, lines: &[Value]) -> Value {
    json!({
        "document_type": "invoice",
        "currency": "EUR",
        "prices_include_tax": prices_include_tax,
        "recipient": recipient,
        "lines": lines,
    })
}

fn person(name: &str, identity: &str, number: &str, country: &str) -> Value {
    json!({
        "type": "individual",
        "name": name,
        "identity_document": {"type": identity, "number": number, "country": country},
        "address": {"street": "1 Example Street", "locality": "Sampletown", "postcode": "00001", "country": country},
    })
}

fn company(name: &str, tax_number: &str, country: &str, locality: &str, postcode: &str) -> Value {
    json!({
        "type": "company",
        "name": name,
        "tax_number": tax_number,
        "country": country,
        "address": {"street": "1 Example Street", "locality": locality, "postcode": postcode, "country": country},
    })
}

fn line(description: &str, quantity: &str, unit_price: &str, tax: &Value) -> Value {
    json!({"description": description, "quantity": quantity, "unit_price": unit_price, "tax": tax})
}

fn vat(rate: &str) -> Value {
    json!({"category": "VAT", "rate": rate})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_dozen_of_varied_invoices() {
        let cases = all();
        assert!(cases.len() >= 12);
        assert_eq!(cases.iter().filter(|case| case.corrected_name.is_some()).count(), 1);
        let text = cases.iter().map(|case| case.document.to_string()).collect::<String>();
        for wanted in ["SANDBOX-NO-WEBHOOK", "article_20", "-25.00", "spanish_resident_permit", "\"company\""]
        {
            assert!(text.contains(wanted), "{wanted}");
        }
    }
}
