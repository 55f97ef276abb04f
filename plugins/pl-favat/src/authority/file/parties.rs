//! Who issues the document, whom it is for, and the units the recipient says it is of.

use super::Fields;
use crate::authority::document::{Address, FiledDocument, Identity, Party};
use crate::fa3;
use crate::tables::{EXT_ROLE, MEMBERSHIPS};

/// Ties the recipient to what it was before a correction (`IDNabywcy`).
pub(super) const RECIPIENT_KEY: &str = "0001";

/// `Podmiot1`, `Podmiot2` and `Podmiot3`.
pub(super) fn parties(fields: &mut Fields<'_>, filed: &FiledDocument) {
    let invoice = &filed.invoice;
    let supplier = &invoice.supplier;
    fields.element("Podmiot1", |fields| {
        fields.element("DaneIdentyfikacyjne", |fields| {
            fields.text("NIP", fa3::NIP, &filed.nip);
            fields.token("Nazwa", fa3::LONG_TEXT, &supplier.name);
        });
        match supplier.addresses.first() {
            Some(own) => address(fields, own, ""),
            None => fields.missing("Adres", "be there"),
        }
        contact(fields, supplier);
    });
    let is_named_now = invoice.is_credit() && invoice.is_simplified() && !invoice.preceding.is_empty();
    fields.element("Podmiot2", |fields| recipient(fields, invoice.customer.as_ref(), is_named_now));
    let units = invoice.customer.iter().flat_map(|customer| &customer.identities);
    let units = units.filter_map(|identity| Some((identity, identity.ext.get(EXT_ROLE)?)));
    for (at, (identity, role)) in units.enumerate() {
        fields.nth_element("Podmiot3", at + 1, |fields| unit(fields, identity, role));
    }
}

/// `Podmiot2`. `is_named_now` when what is corrected was for nobody in particular.
fn recipient(fields: &mut Fields<'_>, customer: Option<&Party>, is_named_now: bool) {
    let nobody = Party::default();
    let party = customer.unwrap_or(&nobody);
    fields.element("DaneIdentyfikacyjne", |fields| {
        identification(fields, party);
        if customer.is_some() {
            fields.token("Nazwa", fa3::LONG_TEXT, &party.name);
        }
    });
    // An address without a country is one of the country the recipient is taxed in, or at home.
    let of_tax_id = party.tax_id.as_ref().map(|tax_id| tax_id.country.as_str());
    let home = of_tax_id.and_then(einvoice_gobl::country::normalise).unwrap_or("PL");
    if let Some(own) = party.addresses.first() {
        address(fields, own, home);
    }
    contact(fields, party);
    if customer.is_some() && is_named_now {
        fields.constant("IDNabywcy", RECIPIENT_KEY);
    }
    for (name, membership) in ["JST", "GV"].into_iter().zip(&MEMBERSHIPS) {
        fields.text(name, fa3::YES_OR_NO, party.ext.get(membership.key).map_or("2", String::as_str));
    }
}

/// By which number KSeF knows the recipient. A passport or an identity card is no number of a taxpayer: who has nothing else
/// has none here.
fn identification(fields: &mut Fields<'_>, party: &Party) {
    let Some(tax_id) = party.tax_id.as_ref().filter(|tax_id| !tax_id.code.is_empty()) else {
        return fields.constant("BrakID", "1");
    };
    let (country, code) = (tax_id.country.as_str(), tax_id.code.as_str());
    if country == "PL" {
        fields.text("NIP", fa3::NIP, code);
    } else if fa3::is_eu_vat_number(country, code) {
        fields.text("KodUE", fa3::EU_COUNTRY, country);
        fields.text("NrVatUE", fa3::EU_VAT_NUMBER, code);
    } else {
        let country = einvoice_gobl::country::normalise(country).unwrap_or(country);
        fields.text("KodKraju", fa3::COUNTRY, country);
        fields.text("NrID", fa3::IDENTIFIER, code);
    }
}

/// `Podmiot3`: a unit of local government, a member of a group.
fn unit(fields: &mut Fields<'_>, identity: &Identity, role: &str) {
    let code = identity.code.as_str();
    fields.element("DaneIdentyfikacyjne", |fields| {
        if (fa3::NIP.allows)(code) {
            fields.text("NIP", fa3::NIP, code);
        } else if (fa3::INTERNAL_ID.allows)(code) {
            fields.text("IDWew", fa3::INTERNAL_ID, code);
        } else {
            fields.text("NrID", fa3::IDENTIFIER, code);
        }
    });
    fields.text("Rola", fa3::ROLE, role);
}

/// `Adres`, if anything but a country is in it. `home` is the country of one that names none.
fn address(fields: &mut Fields<'_>, address: &Address, home: &str) {
    let number = address.num.as_deref().unwrap_or_default();
    let street = address.street.as_deref().map(|street| format!("{street} {number}"));
    let (code, locality, region) =
        (address.code.as_deref(), address.locality.as_deref(), address.region.as_deref());
    match fa3::address_lines(street.as_deref(), code, locality, region) {
        None if home.is_empty() => fields.missing("Adres", "be there"),
        None => {}
        Some((first, second)) => fields.element("Adres", |fields| {
            fields.text("KodKraju", fa3::COUNTRY, address.country.as_deref().unwrap_or(home));
            fields.text("AdresL1", fa3::LONG_TEXT, &first);
            fields.optional("AdresL2", fa3::LONG_TEXT, second.as_deref());
        }),
    }
}

fn contact(fields: &mut Fields<'_>, party: &Party) {
    if let Some(email) = party.emails.first() {
        fields.element("DaneKontaktowe", |fields| fields.token("Email", fa3::EMAIL, &email.addr));
    }
}
