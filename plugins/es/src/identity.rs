//! The recipient's identity in the agency's terms.
//!
//! | recipient's document | becomes |
//! |---|---|
//! | Spanish national ID, resident permit | tax id of `ES` |
//! | passport | identity, type 03 |
//! | foreign national ID (also an `id_card` of another country) | identity, type 04 |
//! | driving licence, student ID, other | identity, type 06 |
//! | tax number of a Spanish company | tax id of `ES` |
//! | tax number of another company | identity, type 04 |
//!
//! Companies of the EU go out as 04 as well: type 02 would be looked up in VIES and refused when not registered.

use einvoice_gobl::text::{composed, excerpt, non_blank};
use einvoice_gobl::{format, party};
use einvoice_plugin::{
    Address, Company, Faults, Identity, IdentityDocument, IdentityKind, Individual, OtherIdentity, Recipient,
    TaxIdentity,
};

use crate::country;
use crate::faults::{Findings, codes};
use crate::nif::Nif;
use crate::system::System;
use crate::text::{self, IDENTITY_CHARS_MAX, TextProblem};

const SPAIN: &str = "ES";

/// The agency's types of identity document that the platform's documents become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentityType {
    /// 03.
    Passport,
    /// 04: an official document of the country of residence.
    Foreign,
    /// 06: any other evidence.
    Other,
}

impl IdentityType {
    /// The structured format's key.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Passport => "passport",
            Self::Foreign => "foreign",
            Self::Other => "other",
        }
    }

    /// The agency's code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Passport => "03",
            Self::Foreign => "04",
            Self::Other => "06",
        }
    }

    /// The type of an agency code.
    pub fn of_code(code: &str) -> Option<Self> {
        [Self::Passport, Self::Foreign, Self::Other].into_iter().find(|known| known.code() == code)
    }
}

/// An identity that is no tax id, in the structured format. `ext` is the key of the system's extension for the type.
pub fn written<'a>(document: &'a OtherIdentity, ext: &'static str) -> format::Identity<'a> {
    let identity_type = IdentityType::of_code(&document.type_code).unwrap_or(IdentityType::Other);
    party::identity(document, identity_type.key(), vec![(ext, identity_type.code().into())])
}

/// Whether anything identifies a recipient, rightly or wrongly.
pub fn is_given(recipient: &Recipient) -> bool {
    let number = match recipient {
        Recipient::Individual(person) => {
            person.identity_document.as_ref().map(|document| document.number.as_str())
        }
        Recipient::Company(company) => company.tax_number.as_deref(),
    };
    non_blank(number).is_some()
}

/// The recipient's identity, or why there is none.
pub fn map(system: &'static System, recipient: &Recipient) -> Result<Identity, Faults> {
    let mut findings = Findings::new(system);
    identify(recipient, &mut findings).ok_or_else(|| findings.into_errors())
}

/// Finds the identity and everything the agency would object to. None only after an error was reported.
pub fn identify(recipient: &Recipient, findings: &mut Findings) -> Option<Identity> {
    match recipient {
        Recipient::Individual(person) => individual(person, findings),
        Recipient::Company(company) => of_company(company, findings),
    }
}

fn individual(person: &Individual, findings: &mut Findings) -> Option<Identity> {
    let Some(document) = &person.identity_document else {
        findings.error(
            codes::IDENTITY_MISSING,
            "/recipient/identity_document",
            "An invoice to an individual needs an identity document; add its type, number and country.",
        );
        return None;
    };
    let identity_type = match document.kind {
        IdentityKind::SpanishResidentPermit => return spanish(&document.number, NUMBER_PATH, findings),
        IdentityKind::IdCard if is_spanish_or_absent(document) => {
            return spanish(&document.number, NUMBER_PATH, findings);
        }
        IdentityKind::Passport => IdentityType::Passport,
        IdentityKind::IdCard | IdentityKind::ForeignNationalId => IdentityType::Foreign,
        IdentityKind::DrivingLicense | IdentityKind::StudentId | IdentityKind::Other => IdentityType::Other,
    };
    let stated =
        StatedCountry { country: document.country.as_deref(), path: "/recipient/identity_document/country" };
    other(&document.number, NUMBER_PATH, stated, person.address.as_ref(), identity_type, findings)
}

const NUMBER_PATH: &str = "/recipient/identity_document/number";

fn is_spanish_or_absent(document: &IdentityDocument) -> bool {
    non_blank(document.country.as_deref()).is_none_or(|code| country::normalise(code) == Some(SPAIN))
}

fn of_company(company: &Company, findings: &mut Findings) -> Option<Identity> {
    const PATH: &str = "/recipient/tax_number";
    let Some(tax_number) = non_blank(company.tax_number.as_deref()) else {
        findings.error(
            codes::IDENTITY_MISSING,
            PATH,
            "An invoice to a company needs its tax number; add it, with the company's country.",
        );
        return None;
    };
    let stated = StatedCountry { country: company.country.as_deref(), path: "/recipient/country" };
    let address = company.address.as_ref();
    if stated.or_country_of(address).and_then(|(code, _)| country::normalise(code)) == Some(SPAIN) {
        return spanish(tax_number, PATH, findings);
    }
    other(tax_number, PATH, stated, address, IdentityType::Foreign, findings)
}

fn spanish(number: &str, path: &str, findings: &mut Findings) -> Option<Identity> {
    match Nif::parse(number) {
        Ok(nif) => {
            Some(Identity::TaxId(TaxIdentity { country: SPAIN.to_owned(), code: nif.as_str().to_owned() }))
        }
        Err(wrong) => {
            let message = format!("'{}' {wrong}; ask the recipient for the right one.", excerpt(number));
            findings.error(codes::NIF, path, message);
            None
        }
    }
}

/// The country a document states for itself, and where.
#[derive(Clone, Copy)]
struct StatedCountry<'a> {
    country: Option<&'a str>,
    path: &'static str,
}

impl<'a> StatedCountry<'a> {
    /// The stated country, else the address's, with the path of the member it came from.
    fn or_country_of(self, address: Option<&'a Address>) -> Option<(&'a str, &'static str)> {
        let of_address = || non_blank(address.and_then(|address| address.country.as_deref()));
        non_blank(self.country)
            .map(|code| (code, self.path))
            .or_else(|| of_address().map(|code| (code, "/recipient/address/country")))
    }
}

fn other(
    number: &str,
    number_path: &str,
    stated: StatedCountry<'_>,
    address: Option<&Address>,
    identity_type: IdentityType,
    findings: &mut Findings,
) -> Option<Identity> {
    let sound = identity_number(number, number_path, findings);
    let Some((code, country_path)) = stated.or_country_of(address) else {
        findings.error(
            codes::IDENTITY_COUNTRY_MISSING,
            stated.path,
            "The tax agency wants the country of this document; add it here or to the recipient's address.",
        );
        return None;
    };
    let Some(country) = country::normalise(code) else {
        let message = format!("'{}' is no country; use its two-letter code such as GB.", excerpt(code));
        findings.error(codes::IDENTITY_COUNTRY_UNKNOWN, country_path, message);
        return None;
    };
    if country == SPAIN && identity_type != IdentityType::Passport {
        findings.warning(
            codes::IDENTITY_SPANISH,
            country_path,
            "The tax agency takes this type of document from foreigners only (error 1126); identify a Spanish \
             recipient by NIF or passport.",
        );
    }
    sound.then(|| {
        Identity::Other(OtherIdentity {
            country: country.to_owned(),
            code: composed(number.trim()).into_owned(),
            type_key: identity_type.key().to_owned(),
            type_code: identity_type.code().to_owned(),
        })
    })
}

fn identity_number(number: &str, path: &str, findings: &mut Findings) -> bool {
    let Err(problem) = text::identity(number) else { return true };
    match problem {
        TextProblem::Empty => findings.error(
            codes::IDENTITY_MISSING,
            path,
            "The document's number is empty; add it, the tax agency identifies the recipient by it.",
        ),
        TextProblem::TooLong { chars } => findings.error(
            codes::IDENTITY_LENGTH,
            path,
            format!(
                "The number has {chars} characters, the tax agency takes {IDENTITY_CHARS_MAX}; shorten it."
            ),
        ),
        TextProblem::Character(character) => findings.error(
            codes::IDENTITY_CHARACTER,
            path,
            format!("The tax agency refuses the character {character:?} in document numbers; remove it."),
        ),
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::tests::TEST;
    use einvoice_plugin::harness;
    use serde_json::{Value, json};

    fn mapped(recipient: &Value) -> Result<Identity, Vec<(String, String)>> {
        map(&TEST, &harness::recipient(recipient).unwrap())
            .map_err(|faults| faults.into_iter().map(|fault| (fault.code, fault.path)).collect())
    }

    fn coded(code: &str) -> String {
        format!("ES-{code}")
    }

    fn person(kind: &str, number: &str, country: Option<&str>) -> Value {
        json!({"type": "individual", "name": "Jane Roe",
               "identity_document": {"type": kind, "number": number, "country": country}})
    }

    fn tax_id(code: &str) -> Identity {
        Identity::TaxId(TaxIdentity { country: "ES".to_owned(), code: code.to_owned() })
    }

    fn document(country: &str, code: &str, identity_type: IdentityType) -> Identity {
        Identity::Other(OtherIdentity {
            country: country.to_owned(),
            code: code.to_owned(),
            type_key: identity_type.key().to_owned(),
            type_code: identity_type.code().to_owned(),
        })
    }

    #[test]
    fn every_row_of_the_specifications_table_is_mapped() {
        assert_eq!(mapped(&person("id_card", "54387763-p", None)), Ok(tax_id("54387763P")));
        assert_eq!(
            mapped(&person("spanish_resident_permit", "X1234567L", Some("GB"))),
            Ok(tax_id("X1234567L"))
        );
        let foreign = [
            ("passport", IdentityType::Passport),
            ("foreign_national_id", IdentityType::Foreign),
            ("id_card", IdentityType::Foreign),
            ("driving_license", IdentityType::Other),
            ("student_id", IdentityType::Other),
            ("other", IdentityType::Other),
        ];
        for (kind, identity_type) in foreign {
            assert_eq!(
                mapped(&person(kind, "123456789", Some("GB"))),
                Ok(document("GB", "123456789", identity_type))
            );
        }
        let company = |country| json!({"type": "company", "name": "Acme", "tax_number": "B98602642", "country": country});
        assert_eq!(mapped(&company("ES")), Ok(tax_id("B98602642")));
        assert_eq!(mapped(&company("DE")), Ok(document("DE", "B98602642", IdentityType::Foreign)));
    }

    #[test]
    fn a_document_without_country_takes_the_address() {
        let mut recipient = person("passport", "123456789", None);
        assert_eq!(
            mapped(&recipient),
            Err(vec![(
                coded(codes::IDENTITY_COUNTRY_MISSING),
                "/recipient/identity_document/country".to_owned()
            )])
        );
        recipient["address"] = json!({"country": "FR"});
        assert_eq!(mapped(&recipient), Ok(document("FR", "123456789", IdentityType::Passport)));
    }

    #[test]
    fn a_recipient_without_any_identification_is_refused() {
        let nobody = json!({"type": "individual", "name": "Jane Roe"});
        assert_eq!(
            mapped(&nobody),
            Err(vec![(coded(codes::IDENTITY_MISSING), "/recipient/identity_document".to_owned())])
        );
        let company = json!({"type": "company", "name": "Acme", "tax_number": " ", "country": "ES"});
        assert_eq!(
            mapped(&company),
            Err(vec![(coded(codes::IDENTITY_MISSING), "/recipient/tax_number".to_owned())])
        );
    }

    #[test]
    fn a_spanish_driving_licence_is_mapped_with_a_warning() {
        let recipient = harness::recipient(&person("driving_license", "12345678", Some("ES"))).unwrap();
        let mut findings = Findings::new(&TEST);
        assert_eq!(
            identify(&recipient, &mut findings),
            Some(document("ES", "12345678", IdentityType::Other))
        );
        let found: Vec<_> =
            findings.faults.iter().map(|fault| (fault.code.as_str(), fault.is_error())).collect();
        assert_eq!(found, [(coded(codes::IDENTITY_SPANISH).as_str(), false)]);
    }

    #[test]
    fn greece_goes_by_its_iso_code() {
        assert_eq!(
            mapped(&person("passport", "A1", Some("el"))),
            Ok(document("GR", "A1", IdentityType::Passport))
        );
    }
}
