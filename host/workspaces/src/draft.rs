//! A workspace as typed, checked member by member.

use super::{NewWorkspace, WorkspaceError};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{Address, NotAPattern, NumberPattern, country_hint, is_country};
use gateway_domain::regime::Supplier;
use gateway_domain::tax_id::{TAX_ID_HINT, is_possible, tax_id};
use gateway_domain::workspace::{RejectionStrategy, Workspace};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::document::is_email;
use jiff::tz::TimeZone;

/// Longest text of a workspace, characters.
const TEXT_CHARS_MAX: usize = 200;

/// A workspace whose members are sound and which has no id yet.
#[derive(Clone)]
pub(super) struct Draft {
    name: String,
    supplier: Supplier,
    time_zone: TimeZone,
    pub(super) invoice_pattern: Option<NumberPattern>,
    pub(super) credit_pattern: Option<NumberPattern>,
}

impl Draft {
    /// Every mistake at once.
    pub(super) fn check(new: &NewWorkspace) -> Result<Self, WorkspaceError> {
        let mut mistakes = Vec::new();
        let name = text("name", &new.name, &mut mistakes);
        let legal_name = text("legal_name", &new.legal_name, &mut mistakes);
        let typed = text("tax_id", &new.tax_id, &mut mistakes);
        let country = country("country", &new.country, &mut mistakes);
        let tax_id = tax_id(&typed, &country);
        if tax_id.is_empty() && !typed.is_empty() {
            mistakes.push(FieldError::new(
                "tax_id",
                ErrorCode::InvalidFormat,
                "it has neither letters nor digits",
            ));
        } else if !typed.is_empty() && !typed.chars().any(char::is_control) && !is_possible(&typed) {
            mistakes.push(FieldError::new("tax_id", ErrorCode::InvalidFormat, TAX_ID_HINT));
        }
        let address = new.address.clone().map(|address| checked_address(address, &mut mistakes));
        // One without any part says no place.
        let address = address.filter(|address| *address != Address::default());
        let email = new.email.as_deref().and_then(|email| email_address(email, &mut mistakes));
        let zone = new.time_zone.as_deref().unwrap_or("UTC");
        let time_zone = TimeZone::get(zone).unwrap_or_else(|_| {
            let message = format!("'{zone}' is no time zone: use an IANA name such as Europe/Madrid");
            mistakes.push(FieldError::new("time_zone", ErrorCode::InvalidFormat, message));
            TimeZone::UTC
        });
        let invoice_pattern = pattern("invoice_pattern", new.invoice_pattern.as_deref(), &mut mistakes);
        let credit_pattern = pattern("credit_pattern", new.credit_pattern.as_deref(), &mut mistakes);
        if !mistakes.is_empty() {
            return Err(WorkspaceError::Invalid(mistakes));
        }
        let supplier = Supplier { legal_name, tax_id, country, address, email };
        Ok(Self { name, supplier, time_zone, invoice_pattern, credit_pattern })
    }

    /// With the patterns given, the usual ones, or ones with the id in them.
    pub(super) fn into_workspace(self, id: WorkspaceId, derived: bool) -> Result<Workspace, WorkspaceError> {
        let chosen = |given: Option<NumberPattern>, usual: NumberPattern, letter: char| match given {
            Some(given) => Ok(given),
            None if derived => {
                format!("{letter}{id}-{{year}}-{{number:06}}").parse().map_err(|error: NotAPattern| {
                    WorkspaceError::invalid(
                        "invoice_pattern",
                        ErrorCode::NumberPatternInvalid,
                        error.to_string(),
                    )
                })
            }
            None => Ok(usual),
        };
        Ok(Workspace {
            id,
            name: self.name,
            supplier: self.supplier,
            time_zone: self.time_zone,
            invoice_pattern: chosen(self.invoice_pattern, NumberPattern::default_invoice(), 'F')?,
            credit_pattern: chosen(self.credit_pattern, NumberPattern::default_credit(), 'R')?,
            rejection_strategy: RejectionStrategy::A,
        })
    }
}

fn text(field: &str, value: &str, mistakes: &mut Vec<FieldError>) -> String {
    let value = value.trim();
    if value.is_empty() {
        mistakes.push(FieldError::new(field, ErrorCode::Required, "it is empty"));
    } else if value.chars().count() > TEXT_CHARS_MAX || value.chars().any(char::is_control) {
        let message = format!("use at most {TEXT_CHARS_MAX} characters on one line");
        let is_too_long = value.chars().count() > TEXT_CHARS_MAX;
        let code = if is_too_long { ErrorCode::TooLong } else { ErrorCode::InvalidCharacters };
        mistakes.push(FieldError::new(field, code, message));
    }
    value.to_owned()
}

/// An empty one counts as absent.
fn email_address(value: &str, mistakes: &mut Vec<FieldError>) -> Option<String> {
    if value.trim().is_empty() {
        return None;
    }
    let value = text("email", value, mistakes);
    if !is_email(&value) {
        let message = format!("'{value}' is no e-mail address: use one such as billing@example.com");
        mistakes.push(FieldError::new("email", ErrorCode::InvalidFormat, message));
    }
    Some(value)
}

fn country(field: &str, value: &str, mistakes: &mut Vec<FieldError>) -> String {
    let code = value.trim().to_uppercase();
    if !is_country(&code) {
        let message = format!("'{value}' is no country: {}", country_hint(value));
        mistakes.push(FieldError::new(field, ErrorCode::InvalidFormat, message));
    }
    code
}

fn checked_address(address: Address, mistakes: &mut Vec<FieldError>) -> Address {
    let mut part = |field: &str, value: Option<String>| {
        value.filter(|value| !value.trim().is_empty()).map(|value| text(field, &value, mistakes))
    };
    let street = part("address.street", address.street);
    let locality = part("address.locality", address.locality);
    let region = part("address.region", address.region);
    let postcode = part("address.postcode", address.postcode);
    let country = address.country.map(|code| country("address.country", &code, mistakes));
    Address { street, locality, region, postcode, country }
}

fn pattern(field: &str, value: Option<&str>, mistakes: &mut Vec<FieldError>) -> Option<NumberPattern> {
    match value?.parse() {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            let error: NotAPattern = error;
            mistakes.push(FieldError::new(field, ErrorCode::NumberPatternInvalid, error.to_string()));
            None
        }
    }
}
