//! Whom a document is for, as sent.

use super::{AddressForm, Check, IdentityForm, RecipientForm, TEXT_CHARS_MAX};
use gateway_domain::ErrorCode;
use gateway_domain::invoicing::{Address, IdentityDocument, IdentityKind, Recipient, is_country};

impl Check<'_> {
    fn country(&mut self, code: Option<String>, field: &str) -> Option<String> {
        self.optional(code, field, |code| {
            if is_country(code) {
                Ok(code.to_owned())
            } else {
                Err((
                    ErrorCode::InvalidFormat,
                    "use an ISO 3166-1 alpha-2 country code in capitals, such as ES",
                ))
            }
        })
    }

    fn address(&mut self, address: Option<AddressForm>, field: &str) -> Option<Address> {
        let address = address?;
        let mut line = |text, name: &str| self.text(text, &format!("{field}.{name}"), TEXT_CHARS_MAX, false);
        let street = line(address.street, "street");
        let locality = line(address.locality, "locality");
        let region = line(address.region, "region");
        let postcode = line(address.postcode, "postcode");
        let country = self.country(address.country, &format!("{field}.country"));
        Some(Address { street, locality, region, postcode, country })
    }

    pub(super) fn recipient(&mut self, form: RecipientForm) -> Option<Recipient> {
        let name = self.required_text(form.name, "recipient.name");
        let address = self.address(form.address, "recipient.address");
        let email = self.text(form.email, "recipient.email", TEXT_CHARS_MAX, false);
        let ext = self.ext(form.ext, "recipient.ext");
        if email.as_ref().is_some_and(|email| !is_email(email)) {
            self.refuse(
                "recipient.email",
                ErrorCode::InvalidFormat,
                "use an e-mail address, such as jane@example.com",
            );
        }
        match form.kind.as_deref() {
            Some("individual") => {
                self.ensure_absent(form.tax_number.is_some(), "recipient.tax_number", "individual");
                self.ensure_absent(form.country.is_some(), "recipient.country", "individual");
                let identity_document = form.identity_document.and_then(|document| self.identity(document));
                Some(Recipient::Individual { name: name?, identity_document, address, email, ext })
            }
            Some("company") => {
                self.ensure_absent(
                    form.identity_document.is_some(),
                    "recipient.identity_document",
                    "company",
                );
                let tax_number = self.text(form.tax_number, "recipient.tax_number", TEXT_CHARS_MAX, false);
                let country = self.country(form.country, "recipient.country");
                Some(Recipient::Company { name: name?, tax_number, country, address, email, ext })
            }
            _ => {
                self.refuse("recipient.type", ErrorCode::NotOneOf, "use individual or company");
                None
            }
        }
    }

    fn ensure_absent(&mut self, present: bool, field: &str, kind: &str) {
        if present {
            self.refuse(
                field,
                ErrorCode::NotTogether,
                format!("does not belong to a recipient of type {kind}"),
            );
        }
    }

    fn identity(&mut self, form: IdentityForm) -> Option<IdentityDocument> {
        let kind = self.required(form.kind, "recipient.identity_document.type", |text| match text {
            "id_card" => Ok(IdentityKind::IdCard),
            "spanish_resident_permit" => Ok(IdentityKind::SpanishResidentPermit),
            "passport" => Ok(IdentityKind::Passport),
            "foreign_national_id" => Ok(IdentityKind::ForeignNationalId),
            "driving_license" => Ok(IdentityKind::DrivingLicense),
            "student_id" => Ok(IdentityKind::StudentId),
            "other" => Ok(IdentityKind::Other),
            _ => {
                let words = "use id_card, spanish_resident_permit, passport, foreign_national_id, driving_license, \
                             student_id or other";
                Err((ErrorCode::NotOneOf, words))
            }
        });
        let number = self.required_text(form.number, "recipient.identity_document.number");
        let country = self.country(form.country, "recipient.identity_document.country");
        Some(IdentityDocument { kind: kind?, number: number?, country })
    }
}

/// Whether a text looks like an address for electronic mail.
pub fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty()
            && domain.contains('.')
            && !domain.contains('@')
            && !text.contains(char::is_whitespace)
    })
}
