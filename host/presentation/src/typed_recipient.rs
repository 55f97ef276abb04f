//! A recipient as the form that edits it shows it.

use crate::fields::Fields;
use crate::format::word;
use gateway_domain::invoicing::{Address, Recipient};

/// A recipient as a form shows it.
#[derive(Debug, Default)]
pub struct TypedRecipient {
    pub is_company: bool,
    pub name: String,
    pub document_kind: String,
    pub document_number: String,
    pub document_country: String,
    pub tax_number: String,
    pub country: String,
    pub street: String,
    pub locality: String,
    pub region: String,
    pub postcode: String,
    pub address_country: String,
    pub email: String,
}

impl TypedRecipient {
    /// As it is now.
    pub fn of(recipient: Option<&Recipient>) -> Self {
        let Some(recipient) = recipient else { return Self::default() };
        let text = |text: Option<&String>| text.cloned().unwrap_or_default();
        let with_address = |address: Option<&Address>, typed: Self| match address {
            None => typed,
            Some(address) => Self {
                street: text(address.street.as_ref()),
                locality: text(address.locality.as_ref()),
                region: text(address.region.as_ref()),
                postcode: text(address.postcode.as_ref()),
                address_country: text(address.country.as_ref()),
                ..typed
            },
        };
        match recipient {
            Recipient::Individual { name, identity_document, address, email, .. } => {
                let document = identity_document.as_ref();
                let typed = Self {
                    name: name.clone(),
                    document_kind: document.map(|document| word(&document.kind)).unwrap_or_default(),
                    document_number: document.map(|document| document.number.clone()).unwrap_or_default(),
                    document_country: text(document.and_then(|document| document.country.as_ref())),
                    email: text(email.as_ref()),
                    ..Self::default()
                };
                with_address(address.as_ref(), typed)
            }
            Recipient::Company { name, tax_number, country, address, email, .. } => {
                let typed = Self {
                    is_company: true,
                    name: name.clone(),
                    tax_number: text(tax_number.as_ref()),
                    country: text(country.as_ref()),
                    email: text(email.as_ref()),
                    ..Self::default()
                };
                with_address(address.as_ref(), typed)
            }
        }
    }

    /// As it was typed.
    pub fn read(fields: &Fields) -> Self {
        let text = |name| fields.text(name).to_owned();
        Self {
            is_company: fields.text("type") == "company",
            name: text("name"),
            document_kind: text("document_kind"),
            document_number: text("document_number"),
            document_country: text("document_country"),
            tax_number: text("tax_number"),
            country: text("country"),
            street: text("street"),
            locality: text("locality"),
            region: text("region"),
            postcode: text("postcode"),
            address_country: text("address_country"),
            email: text("email"),
        }
    }
}
