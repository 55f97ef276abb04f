//! What is wrong with a member of a form, in a sentence that calls it as the form does.

use gateway_domain::{ErrorCode, FieldError};

/// Members as commands and services call them, and as the forms of the console do.
const LABELS: [(&str, &str); 47] = [
    ("address", "Address"),
    ("after", "Page"),
    ("before", "Page"),
    ("address.country", "Country of the address"),
    ("address.locality", "Town"),
    ("address.postcode", "Postcode"),
    ("address.region", "Region"),
    ("address.street", "Street"),
    ("code", "Code of the authority"),
    ("company_id", "Company at the provider"),
    ("country", "Country"),
    ("credit_pattern", "Numbers of credit notes"),
    ("document_type", "Kind"),
    ("email", "E-mail"),
    ("first", "Documents of a page"),
    ("gross_from", "Gross from"),
    ("gross_to", "Gross to"),
    ("invoice_pattern", "Numbers of invoices"),
    ("issued_from", "Issued from"),
    ("issued_to", "Issued to"),
    ("legal_name", "Registered name"),
    ("lines", "Lines"),
    ("logo", "Logo"),
    ("name", "Name"),
    ("number", "Number"),
    ("q", "Number, recipient or booking"),
    ("qr_url", "Address to verify it at"),
    ("reason", "Reason"),
    ("recipient.address.country", "Country of the address"),
    ("recipient.address.locality", "Town"),
    ("recipient.address.postcode", "Postcode"),
    ("recipient.address.region", "Region"),
    ("recipient.address.street", "Street"),
    ("recipient.country", "Country of the company"),
    ("recipient.email", "E-mail"),
    ("recipient.identity_document.country", "Country of the identity document"),
    ("recipient.identity_document.number", "Number of the identity document"),
    ("recipient.identity_document.type", "Identity document"),
    ("recipient.name", "Name"),
    ("recipient.tax_number", "Tax number"),
    ("sort", "Order"),
    ("status", "State"),
    ("tax_id", "Tax id"),
    ("tax_system_hash", "Hash of the record"),
    ("time_zone", "Time zone"),
    ("workflow_id", "Workflow at the provider"),
    ("workspace_id", "Workspace"),
];

/// A mistake as a sentence. A member that no form of the console has keeps its name; the form as a whole has none.
pub fn sentence(mistake: &FieldError) -> String {
    let FieldError { field, code, message } = mistake;
    if field == "base" {
        return message.clone();
    }
    let label = LABELS.iter().find(|(member, _)| member == field).map_or(field.as_str(), |(_, label)| *label);
    match code {
        // The message names the member of the start, which the form calls otherwise.
        ErrorCode::EndBeforeStart => format!("{label} – ends before it begins: swap the two"),
        _ => format!("{label} – {message}"),
    }
}

/// The members of a form that are wrong, for the marks of their fields. The page that shows the form says what is wrong with them in
/// an element whose id is `problems`.
#[derive(Debug, Default)]
pub struct InvalidMembers(Vec<String>);

impl InvalidMembers {
    /// The attributes of a member's field, as HTML with a space before them; none where nothing is wrong with it.
    pub fn mark(&self, member: &str) -> &'static str {
        let is_wrong = self.0.iter().any(|wrong| wrong == member);
        if is_wrong { " aria-invalid=\"true\" aria-describedby=\"problems\"" } else { "" }
    }
}

impl From<&[String]> for InvalidMembers {
    fn from(members: &[String]) -> Self {
        Self(members.to_vec())
    }
}

/// What a page is called that says why there is no other, by its HTTP status.
pub const fn refusal_title(status: u16) -> &'static str {
    match status {
        403 => "You may not do this",
        404 => "There is nothing here",
        405 => "This page does not take that",
        408 => "This took too long",
        409 => "This cannot be done as things stand",
        413 => "This is too large",
        429 => "Wait a moment",
        502 => "Another service did not answer",
        503 => "This cannot be done at this moment",
        500 | 504 => "The gateway failed",
        _ => "This cannot be done as it was sent",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_called_as_its_form_calls_it() {
        let of = |field: &str, code, message: &str| sentence(&FieldError::new(field, code, message));
        for (field, code, message, expected) in [
            ("issued_from", ErrorCode::InvalidFormat, "use a date", "Issued from – use a date"),
            ("qr_url", ErrorCode::Required, "is required", "Address to verify it at – is required"),
            ("lines[0].x", ErrorCode::Required, "is required", "lines[0].x – is required"),
            ("base", ErrorCode::NotTogether, "nothing changes", "nothing changes"),
            (
                "issued_to",
                ErrorCode::EndBeforeStart,
                "is before 'issued_from': swap the two",
                "Issued to – ends before it begins: swap the two",
            ),
        ] {
            assert_eq!(of(field, code, message), expected);
        }
    }

    #[test]
    fn only_fields_of_members_that_are_wrong_are_marked() {
        let invalid = InvalidMembers::from(&["name".to_owned()][..]);
        assert!(invalid.mark("name").starts_with(" aria-invalid=\"true\""));
        assert_eq!([invalid.mark("names"), InvalidMembers::default().mark("name")], ["", ""]);
    }
}
