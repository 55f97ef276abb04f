//! The form of a workspace itself, as it is shown and as it was typed.

use gateway_domain::invoicing::Address;
use gateway_domain::workspace::{RejectionStrategy, Workspace};
use gateway_presentation::Fields;
use gateway_workspaces::WorkspaceChange;

/// A workspace as its form shows it.
#[derive(Debug)]
pub(super) struct WorkspaceFields {
    pub(super) name: String,
    pub(super) legal_name: String,
    pub(super) tax_id: String,
    pub(super) country: String,
    pub(super) time_zone: String,
    pub(super) email: String,
    pub(super) street: String,
    pub(super) locality: String,
    pub(super) region: String,
    pub(super) postcode: String,
    pub(super) address_country: String,
    pub(super) invoice_pattern: String,
    pub(super) credit_pattern: String,
    pub(super) rejection_strategy: String,
}

impl From<&Workspace> for WorkspaceFields {
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

impl From<&Fields> for WorkspaceFields {
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

impl WorkspaceFields {
    /// An address is replaced as a whole; where none of it is typed, it stays.
    fn address(&self) -> Option<Address> {
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let address = Address {
            street: given(&self.street),
            locality: given(&self.locality),
            region: given(&self.region),
            postcode: given(&self.postcode),
            country: given(&self.address_country),
        };
        Some(address).filter(|address| *address != Address::default())
    }

    /// What is asked for of a workspace; a tax id that was not touched is spelled as before.
    pub(super) fn change(&self, before: &Workspace) -> WorkspaceChange {
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        WorkspaceChange {
            name: given(&self.name),
            legal_name: given(&self.legal_name),
            tax_id: given(&self.tax_id).filter(|tax_id| *tax_id != before.supplier.tax_id),
            country: given(&self.country),
            time_zone: given(&self.time_zone),
            address: self.address(),
            email: Some(self.email.clone()),
            rejection_strategy: match self.rejection_strategy.as_str() {
                "a" => Some(RejectionStrategy::A),
                "b" => Some(RejectionStrategy::B),
                _ => None,
            },
            invoice_pattern: given(&self.invoice_pattern),
            credit_pattern: given(&self.credit_pattern),
            next_number: None,
        }
    }
}
