//! Supplier and recipient.

use einvoice_plugin::{Address, Context, Identity, OtherIdentity, Recipient, TaxIdentity};

use crate::country;
use crate::format::{self, Ext, Text};
use crate::text::non_blank;

/// The workspace, under its tax id.
pub fn supplier<'a>(
    context: &'a Context,
    country: impl Into<Text<'a>>,
    code: impl Into<Text<'a>>,
) -> format::Party<'a> {
    let supplier = &context.supplier;
    format::Party {
        uuid: Some(context.company_id.as_str().into()),
        name: supplier.legal_name.trim().into(),
        tax_id: Some(format::TaxId { country: country.into(), code: Some(code.into()) }),
        addresses: addresses(supplier.address.as_ref()),
        emails: emails(supplier.email.as_deref()),
        ..format::Party::default()
    }
}

/// Whom the document is for. `other` writes an identity that is no tax id; without `identity` there is a name only.
pub fn customer<'a>(
    recipient: &'a Recipient,
    identity: Option<&'a Identity>,
    other: impl FnOnce(&'a OtherIdentity) -> format::Identity<'a>,
) -> format::Party<'a> {
    let (name, address, email) = match recipient {
        Recipient::Individual(person) => (&person.name, &person.address, &person.email),
        Recipient::Company(company) => (&company.name, &company.address, &company.email),
    };
    let (tax_id, identities) = match identity {
        None => (None, Vec::new()),
        Some(Identity::TaxId(tax)) => (Some(tax_id(tax)), Vec::new()),
        Some(Identity::Other(document)) => (None, vec![other(document)]),
    };
    format::Party {
        name: name.trim().into(),
        tax_id,
        identities,
        addresses: addresses(address.as_ref()),
        emails: emails(email.as_deref()),
        ..format::Party::default()
    }
}

/// A tax id as it was mapped.
pub fn tax_id(identity: &TaxIdentity) -> format::TaxId<'_> {
    format::TaxId { country: identity.country.as_str().into(), code: Some(identity.code.as_str().into()) }
}

/// An identity document with the codes of an add-on.
pub fn identity<'a>(document: &'a OtherIdentity, key: &'a str, ext: Ext<'a>) -> format::Identity<'a> {
    format::Identity {
        scope: None,
        country: Some(document.country.as_str().into()),
        key: Some(key.into()),
        kind: None,
        code: document.code.as_str().into(),
        ext,
    }
}

/// The address, unless it says nothing. A country that does not exist is left out.
pub fn addresses(address: Option<&Address>) -> Vec<format::Address<'_>> {
    let Some(address) = address else { return Vec::new() };
    let written = format::Address {
        num: None,
        street: non_blank(address.street.as_deref()).map(Text::Borrowed),
        locality: non_blank(address.locality.as_deref()).map(Text::Borrowed),
        region: non_blank(address.region.as_deref()).map(Text::Borrowed),
        code: non_blank(address.postcode.as_deref()).map(Text::Borrowed),
        country: address.country.as_deref().and_then(country::normalise).map(Text::Borrowed),
    };
    let parts = [&written.street, &written.locality, &written.region, &written.code, &written.country];
    if parts.iter().all(|part| part.is_none()) { Vec::new() } else { vec![written] }
}

/// The address for electronic mail, if there is one.
pub fn emails(email: Option<&str>) -> Vec<format::Email<'_>> {
    non_blank(email).map(|addr| format::Email { addr: addr.into() }).into_iter().collect()
}
