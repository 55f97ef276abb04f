//! The invoices of the demonstration: made-up people, one invoice for each thing worth seeing.

use gateway_domain::ids::WorkspaceId;
use serde::Serialize;

/// Where everybody lives.
const STREET: &str = "1 Example Street";

/// One invoice, and how it is expected to end.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// What it shows.
    pub(crate) title: &'static str,
    /// The document, without its workspace.
    pub(crate) document: SampleInvoice,
    /// What the recipient's name becomes after the expected rejection; none when it is accepted at once.
    pub(crate) corrected_name: Option<&'static str>,
}

impl Case {
    const fn accepted(title: &'static str, document: SampleInvoice) -> Self {
        Self { title, document, corrected_name: None }
    }
}

/// Every case, in the order in which they are sent.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = identities();
    cases.extend(companies());
    cases.extend(figures());
    cases.extend(failures());
    cases
}

/// One row of the specification's identity table each; also prices with and without tax.
fn identities() -> Vec<Case> {
    let stay = || [line("Studio, 3 nights", "3", "89.90", vat("10.0"))];
    vec![
        Case::accepted(
            "Spanish id card, prices with tax",
            invoice(true, person("Alba Ejemplo", "id_card", "12345678Z", "ES"), stay()),
        ),
        Case::accepted(
            "Spanish resident permit, net prices",
            invoice(false, person("Mina Beispiel", "spanish_resident_permit", "X0000000T", "ES"), stay()),
        ),
        Case::accepted(
            "foreign passport",
            invoice(true, person("Jane Sample", "passport", "000000001", "GB"), stay()),
        ),
        Case::accepted(
            "foreign national id",
            invoice(true, person("Jean Exemple", "foreign_national_id", "FR0000001", "FR"), stay()),
        ),
        Case::accepted(
            "driving licence",
            invoice(true, person("Max Muster", "driving_license", "DE0000001", "DE"), stay()),
        ),
        Case::accepted(
            "student id",
            invoice(true, person("Mario Esempio", "student_id", "IT0000001", "IT"), stay()),
        ),
    ]
}

fn companies() -> Vec<Case> {
    let rooms = || [line("Meeting room, 2 days", "2", "240.00", vat("21.0"))];
    vec![
        Case::accepted(
            "Spanish company",
            invoice(false, company("Ejemplo Viajes SL", "B11111119", "ES", "Sevilla", "41001"), rooms()),
        ),
        Case::accepted(
            "company from abroad",
            invoice(false, company("Muster Reisen GmbH", "DE000000001", "DE", "Berlin", "10115"), rooms()),
        ),
    ]
}

fn figures() -> Vec<Case> {
    let guest = |name| person(name, "passport", "000000002", "US");
    vec![
        Case::accepted(
            "negative line",
            invoice(
                true,
                guest("Ana Specimen"),
                [
                    line("Studio, 7 nights", "7", "79.00", vat("10.0")),
                    line("Loyalty", "1", "-25.00", vat("10.0")),
                ],
            ),
        ),
        Case::accepted(
            "exempt rent",
            invoice(
                false,
                guest("Otto Specimen"),
                [line("Rent of a dwelling, November", "1", "850.00", exempt("article_20"))],
            ),
        ),
        Case::accepted(
            "three rates on one invoice",
            invoice(
                false,
                guest("Lea Specimen"),
                [
                    line("Studio, 2 nights", "2", "95.55", vat("10.0")),
                    line("Parking, hours", "2.5", "3.33", vat("21.0")),
                    line("Newspaper", "3", "1.99", vat("4.0")),
                ],
            ),
        ),
    ]
}

/// What the names ask of the stand-in: see the contract of the sandbox.
fn failures() -> Vec<Case> {
    let stay = || [line("Studio, 1 night", "1", "99.00", vat("10.0"))];
    let guest = |name, number| person(name, "passport", number, "US");
    vec![
        Case {
            title: "rejected, corrected, resubmitted",
            document: invoice(true, guest("Ada SANDBOX-REJECT-1110", "000000003"), stay()),
            corrected_name: Some("Ada Specimen"),
        },
        Case::accepted(
            "webhook that never comes",
            invoice(true, guest("Ben SANDBOX-NO-WEBHOOK", "000000004"), stay()),
        ),
        Case::accepted(
            "provider down twice",
            invoice(true, guest("Cleo SANDBOX-FAIL-2", "000000005"), stay()),
        ),
    ]
}

/// A document as it is sent.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SampleInvoice {
    document_type: &'static str,
    currency: &'static str,
    prices_include_tax: bool,
    pub(crate) recipient: Recipient,
    lines: Vec<Line>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) workspace_id: Option<WorkspaceId>,
}

/// Who receives it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Recipient {
    r#type: &'static str,
    pub(crate) name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    identity_document: Option<IdentityDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tax_number: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<&'static str>,
    address: Address,
}

#[derive(Debug, Clone, Serialize)]
struct IdentityDocument {
    r#type: &'static str,
    number: &'static str,
    country: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct Address {
    street: &'static str,
    locality: &'static str,
    postcode: &'static str,
    country: &'static str,
}

#[derive(Debug, Clone, Serialize)]
struct Line {
    description: &'static str,
    quantity: &'static str,
    unit_price: &'static str,
    tax: Tax,
}

#[derive(Debug, Clone, Serialize)]
struct Tax {
    category: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exemption: Option<&'static str>,
}

fn invoice<const LINES: usize>(
    prices_include_tax: bool,
    recipient: Recipient,
    lines: [Line; LINES],
) -> SampleInvoice {
    SampleInvoice {
        document_type: "invoice",
        currency: "EUR",
        prices_include_tax,
        recipient,
        lines: lines.into(),
        workspace_id: None,
    }
}

fn person(
    name: &'static str,
    identity: &'static str,
    number: &'static str,
    country: &'static str,
) -> Recipient {
    Recipient {
        r#type: "individual",
        name,
        identity_document: Some(IdentityDocument { r#type: identity, number, country }),
        tax_number: None,
        country: None,
        address: Address { street: STREET, locality: "Sampletown", postcode: "00001", country },
    }
}

fn company(
    name: &'static str,
    tax_number: &'static str,
    country: &'static str,
    locality: &'static str,
    postcode: &'static str,
) -> Recipient {
    Recipient {
        r#type: "company",
        name,
        identity_document: None,
        tax_number: Some(tax_number),
        country: Some(country),
        address: Address { street: STREET, locality, postcode, country },
    }
}

const fn line(description: &'static str, quantity: &'static str, unit_price: &'static str, tax: Tax) -> Line {
    Line { description, quantity, unit_price, tax }
}

const fn vat(rate: &'static str) -> Tax {
    Tax { category: "VAT", rate: Some(rate), exemption: None }
}

const fn exempt(exemption: &'static str) -> Tax {
    Tax { category: "VAT", rate: None, exemption: Some(exemption) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_dozen_of_varied_invoices() {
        let cases = all();
        assert!(cases.len() >= 12);
        assert_eq!(cases.iter().filter(|case| case.corrected_name.is_some()).count(), 1);
        let text =
            cases.iter().map(|case| serde_json::to_string(&case.document).unwrap()).collect::<String>();
        for expected in
            ["SANDBOX-NO-WEBHOOK", "article_20", "-25.00", "spanish_resident_permit", "\"company\""]
        {
            assert!(text.contains(expected), "{expected}");
        }
    }
}
