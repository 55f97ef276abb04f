//! A workspace as its form shows it, and as it was typed there.

use crate::fields::Fields;
use gateway_domain::invoicing::Address;
use gateway_domain::workspace::{RejectionStrategy, Workspace};

/// A workspace as its form shows it.
#[derive(Debug)]
pub struct TypedWorkspace {
    pub name: String,
    pub legal_name: String,
    pub tax_id: String,
    pub country: String,
    pub time_zone: String,
    pub email: String,
    pub street: String,
    pub locality: String,
    pub region: String,
    pub postcode: String,
    pub address_country: String,
    pub invoice_pattern: String,
    pub credit_pattern: String,
    pub rejection_strategy: String,
}

impl From<&Workspace> for TypedWorkspace {
    fn from(workspace: &Workspace) -> Self {
        let supplier = &workspace.supplier;
        let address = supplier.address.clone().unwrap_or_default();
        let strategy = match workspace.rejection_strategy {
            RejectionStrategy::A => "a",
            RejectionStrategy::B => "b",
        };
        Self {
            name: workspace.name.clone(),
            legal_name: supplier.legal_name.clone(),
            tax_id: supplier.tax_id.clone(),
            country: supplier.country.clone(),
            time_zone: workspace.time_zone.iana_name().unwrap_or("UTC").to_owned(),
            email: supplier.email.clone().unwrap_or_default(),
            street: address.street.unwrap_or_default(),
            locality: address.locality.unwrap_or_default(),
            region: address.region.unwrap_or_default(),
            postcode: address.postcode.unwrap_or_default(),
            address_country: address.country.unwrap_or_default(),
            invoice_pattern: workspace.invoice_pattern.to_string(),
            credit_pattern: workspace.credit_pattern.to_string(),
            rejection_strategy: strategy.to_owned(),
        }
    }
}

impl From<&Fields> for TypedWorkspace {
    fn from(fields: &Fields) -> Self {
        let text = |name| fields.text(name).to_owned();
        Self {
            name: text("name"),
            legal_name: text("legal_name"),
            tax_id: text("tax_id"),
            country: text("country"),
            time_zone: text("time_zone"),
            email: text("email"),
            street: text("street"),
            locality: text("locality"),
            region: text("region"),
            postcode: text("postcode"),
            address_country: text("address_country"),
            invoice_pattern: text("invoice_pattern"),
            credit_pattern: text("credit_pattern"),
            rejection_strategy: text("rejection_strategy"),
        }
    }
}

impl TypedWorkspace {
    /// An address is replaced as a whole; where none of it is typed, there is none.
    pub fn address(&self) -> Address {
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        Address {
            street: given(&self.street),
            locality: given(&self.locality),
            region: given(&self.region),
            postcode: given(&self.postcode),
            country: given(&self.address_country),
        }
    }
}
