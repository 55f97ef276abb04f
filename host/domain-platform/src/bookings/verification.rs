//! What whoever vets guests tells about the guest of a booking.

use super::VettingStatus;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::{Faults, Patch};
use serde_json::{Map, Value};

/// Most bytes of a guest's details, written as JSON.
pub const GUEST_BYTES_MAX: usize = 16 * 1024;

/// What is known about the guest of a booking.
#[derive(Debug, Clone, PartialEq)]
pub struct GuestVerification {
    /// Who vets.
    pub source: Option<String>,
    /// How they call it there.
    pub external_id: Option<String>,
    /// Details of the guest, in the words of who vets.
    pub guest: Option<Map<String, Value>>,
    /// What came of it.
    pub status: VettingStatus,
}

impl GuestVerification {
    /// What is known before anybody told anything but the status.
    pub const fn bare(status: VettingStatus) -> Self {
        Self { source: None, external_id: None, guest: None, status }
    }
}

/// What is told: members that were not sent stay as they are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VerificationChange {
    /// Who vets.
    pub source: Patch<String>,
    /// How they call it there.
    pub external_id: Patch<String>,
    /// Details of the guest: what was known before is replaced altogether.
    pub guest: Patch<Map<String, Value>>,
    /// What came of it.
    pub status: Option<VettingStatus>,
}

impl VerificationChange {
    /// What is known afterwards, or everything that is wrong with it; `prefix` stands before the members' names.
    pub fn over(&self, kept: &GuestVerification, prefix: &str) -> Result<GuestVerification, Vec<FieldError>> {
        let mut faults = Faults::within(prefix);
        let status = kept.status.becomes(self.status.unwrap_or(kept.status)).unwrap_or_else(|refused| {
            faults.refuse("status", ErrorCode::StateConflict, refused.to_string());
            kept.status
        });
        let after = GuestVerification {
            source: self.source.over(kept.source.as_ref()),
            external_id: self.external_id.over(kept.external_id.as_ref()),
            guest: self.guest.over(kept.guest.as_ref()),
            status,
        };
        faults.optional_text("source", after.source.as_deref());
        faults.optional_text("external_id", after.external_id.as_deref());
        let guest = after.guest.clone().map(|guest| Value::Object(guest).to_string());
        if guest.is_some_and(|text| text.len() > GUEST_BYTES_MAX) {
            faults.refuse(
                "guest",
                ErrorCode::TooLong,
                format!("use at most {GUEST_BYTES_MAX} bytes of JSON"),
            );
        }
        faults.or(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn guest(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn what_is_not_told_stays_and_a_step_that_is_not_allowed_is_named() {
        let bare = GuestVerification::bare(VettingStatus::Unvetted);
        let change = VerificationChange {
            source: Patch::Set("vetter".to_owned()),
            guest: Patch::Set(guest(&json!({"name": "Jane"}))),
            status: Some(VettingStatus::Pending),
            ..VerificationChange::default()
        };
        let pending = change.over(&bare, "guest_verification.").unwrap();
        assert_eq!((pending.source.as_deref(), pending.status), (Some("vetter"), VettingStatus::Pending));
        assert_eq!(change.over(&pending, "").unwrap(), pending, "the same again");
        let cleared = VerificationChange { guest: Patch::Clear, ..VerificationChange::default() };
        let expected = GuestVerification { guest: None, ..pending.clone() };
        assert_eq!(cleared.over(&pending, "").unwrap(), expected);
        let back =
            VerificationChange { status: Some(VettingStatus::Unvetted), ..VerificationChange::default() };
        let faults = back.over(&pending, "guest_verification.").unwrap_err();
        assert_eq!(faults[0].field, "guest_verification.status");
    }

    #[test]
    fn details_of_a_guest_are_bounded() {
        let bare = GuestVerification::bare(VettingStatus::Unvetted);
        let change_of = |length| VerificationChange {
            guest: Patch::Set(guest(&json!({"notes": "x".repeat(length)}))),
            source: Patch::Set("a\nb".to_owned()),
            ..VerificationChange::default()
        };
        let fields = |length| {
            let faults = change_of(length).over(&bare, "").unwrap_err();
            faults.into_iter().map(|fault| fault.field).collect::<Vec<_>>()
        };
        assert_eq!(fields(GUEST_BYTES_MAX - 12), ["source"]);
        assert_eq!(fields(GUEST_BYTES_MAX - 11), ["source", "guest"]);
    }
}
