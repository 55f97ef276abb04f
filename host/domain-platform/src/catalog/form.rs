//! A product group as sent, and an edit of one.

use super::{AcademicYear, ActivationState, ContractWindow, ProductGroup, ProductSegment, Publishing};
use gateway_domain::calendar;
use gateway_domain::ids::{CancelationPolicyId, ProductGroupId, WorkspaceId};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::{Faults, Patch};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Longest id of a cancelation policy.
const POLICY_ID_CHARS_MAX: usize = 200;

/// A product group as sent: by the create mutation, and as a line of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the members are those of ProductGroup, as sent")]
pub struct ProductGroupForm {
    pub workspace_id: WorkspaceId,
    pub internal_reference: String,
    pub contract_earliest_start_date: Date,
    pub contract_latest_start_date: Date,
    pub contract_earliest_end_date: Date,
    pub contract_latest_end_date: Date,
    #[serde(default)]
    pub academic_year: Option<String>,
    #[serde(default)]
    pub product_segment: Option<ProductSegment>,
    /// INACTIVE unless given.
    #[serde(default)]
    pub state: Option<ActivationState>,
    #[serde(default)]
    pub publishing: Option<Publishing>,
    #[serde(default)]
    pub default_expiry_duration_in_seconds: Option<i32>,
    #[serde(default)]
    pub allow_booking_expiry_timer: Option<bool>,
    /// False unless given.
    #[serde(default)]
    pub requires_cancelation_policy: Option<bool>,
    #[serde(default)]
    pub cancelation_policy_id: Option<CancelationPolicyId>,
    #[serde(default)]
    pub contract_template_external_id: Option<String>,
}

impl ProductGroupForm {
    /// The product group, or everything that is wrong with it.
    pub fn check(self, id: ProductGroupId) -> Result<ProductGroup, Vec<FieldError>> {
        let mut faults = Faults::default();
        let window = ContractWindow::new(
            self.contract_earliest_start_date,
            self.contract_latest_start_date,
            self.contract_earliest_end_date,
            self.contract_latest_end_date,
        );
        let academic_year = self.academic_year.as_deref().and_then(|text| academic_year(text, &mut faults));
        let group = window.map_err(|found| faults.extend(found)).ok().map(|window| ProductGroup {
            id,
            workspace: self.workspace_id,
            internal_reference: self.internal_reference.clone(),
            window,
            default_expiry_duration_in_seconds: self.default_expiry_duration_in_seconds,
            allow_booking_expiry_timer: self.allow_booking_expiry_timer,
            academic_year,
            product_segment: self.product_segment,
            state: self.state.unwrap_or(ActivationState::Inactive),
            publishing: self.publishing.unwrap_or_default(),
            requires_cancelation_policy: self.requires_cancelation_policy.unwrap_or(false),
            cancelation_policy_id: self.cancelation_policy_id.clone(),
            contract_template_external_id: self.contract_template_external_id.clone(),
        });
        check_settable(
            &mut faults,
            &self.internal_reference,
            self.default_expiry_duration_in_seconds,
            self.contract_template_external_id.as_deref(),
            self.publishing.unwrap_or_default(),
        );
        check_policy(&mut faults, self.cancelation_policy_id.as_ref());
        // Without a window there is at least one fault.
        match group {
            Some(group) => faults.or(group),
            None => Err(faults.into_inner()),
        }
    }
}

fn academic_year(text: &str, faults: &mut Faults) -> Option<AcademicYear> {
    let year: AcademicYear = text
        .parse()
        .map_err(|error: super::NotAnAcademicYear| {
            faults.refuse("academic_year", ErrorCode::InvalidFormat, error.to_string());
        })
        .ok()?;
    if !year.is_counted() {
        faults.refuse("academic_year", ErrorCode::OutOfRange, calendar::years_hint());
        return None;
    }
    Some(year)
}

fn check_settable(
    faults: &mut Faults,
    internal_reference: &str,
    default_expiry: Option<i32>,
    contract_template: Option<&str>,
    publishing: Publishing,
) {
    faults.text("internal_reference", internal_reference);
    if let Some(seconds) = default_expiry {
        faults.at_least("default_expiry_duration_in_seconds", seconds, 0);
    }
    faults.optional_text("contract_template_external_id", contract_template);
    publishing.check(faults);
}

/// Others give these ids: any short text.
fn check_policy(faults: &mut Faults, policy: Option<&CancelationPolicyId>) {
    let Some(CancelationPolicyId(text)) = policy else { return };
    faults.text("cancelation_policy_id", text);
    if text.chars().count() > POLICY_ID_CHARS_MAX {
        let message = format!("use at most {POLICY_ID_CHARS_MAX} characters");
        faults.refuse("cancelation_policy_id", ErrorCode::NotTogether, message);
    }
}

/// What to change of a product group (`ProductGroupUpdateInput`); what is not given stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProductGroupChange {
    /// How the workspace calls it.
    pub internal_reference: Option<String>,
    /// Which cancelation policy.
    pub cancelation_policy_id: Patch<CancelationPolicyId>,
    /// Whether one is required.
    pub requires_cancelation_policy: Option<bool>,
    /// Whether the booking expiry timer is enabled.
    pub allow_booking_expiry_timer: Patch<bool>,
    /// Default booking expiry duration, seconds.
    pub default_expiry_duration_in_seconds: Patch<i32>,
    /// Student product groups only.
    pub product_segment: Patch<ProductSegment>,
    /// External contract template identifier.
    pub contract_template_external_id: Patch<String>,
    /// When it is published. Clear opens both dates.
    pub publishing: Patch<PublishingChange>,
}

/// What to change of a publishing window; a date that is not given stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PublishingChange {
    /// The first day.
    pub start_date: Patch<Date>,
    /// The last day.
    pub end_date: Patch<Date>,
}

impl PublishingChange {
    /// The window after the edit.
    fn over(&self, publishing: Publishing) -> Publishing {
        Publishing {
            start_date: self.start_date.over(publishing.start_date.as_ref()),
            end_date: self.end_date.over(publishing.end_date.as_ref()),
        }
    }
}

impl ProductGroupChange {
    /// The product group after the edit, or everything that is wrong with it.
    pub fn over(&self, group: &ProductGroup) -> Result<ProductGroup, Vec<FieldError>> {
        let edited = ProductGroup {
            internal_reference: self.internal_reference.as_ref().unwrap_or(&group.internal_reference).clone(),
            cancelation_policy_id: self.cancelation_policy_id.over(group.cancelation_policy_id.as_ref()),
            requires_cancelation_policy: self
                .requires_cancelation_policy
                .unwrap_or(group.requires_cancelation_policy),
            allow_booking_expiry_timer: self
                .allow_booking_expiry_timer
                .over(group.allow_booking_expiry_timer.as_ref()),
            default_expiry_duration_in_seconds: self
                .default_expiry_duration_in_seconds
                .over(group.default_expiry_duration_in_seconds.as_ref()),
            product_segment: self.product_segment.over(group.product_segment.as_ref()),
            contract_template_external_id: self
                .contract_template_external_id
                .over(group.contract_template_external_id.as_ref()),
            publishing: match &self.publishing {
                Patch::Keep => group.publishing,
                Patch::Clear => Publishing::default(),
                Patch::Set(change) => change.over(group.publishing),
            },
            ..group.clone()
        };
        let mut faults = Faults::default();
        check_settable(
            &mut faults,
            &edited.internal_reference,
            edited.default_expiry_duration_in_seconds,
            edited.contract_template_external_id.as_deref(),
            edited.publishing,
        );
        check_policy(&mut faults, edited.cancelation_policy_id.as_ref());
        faults.or(edited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn form() -> ProductGroupForm {
        ProductGroupForm {
            workspace_id: WorkspaceId(1),
            internal_reference: "A".to_owned(),
            contract_earliest_start_date: date(2026, 9, 1),
            contract_latest_start_date: date(2026, 10, 1),
            contract_earliest_end_date: date(2027, 6, 1),
            contract_latest_end_date: date(2027, 8, 31),
            academic_year: Some("2026/2027".to_owned()),
            product_segment: None,
            state: None,
            publishing: None,
            default_expiry_duration_in_seconds: None,
            allow_booking_expiry_timer: None,
            requires_cancelation_policy: None,
            cancelation_policy_id: None,
            contract_template_external_id: None,
        }
    }

    #[test]
    fn a_cancelation_policy_is_named_as_it_is_elsewhere() {
        let named = |text: &str| ProductGroupForm {
            cancelation_policy_id: Some(CancelationPolicyId(text.to_owned())),
            ..form()
        };
        assert!(named("pol_1").check(id()).is_ok());
        for wrong in ["", "a\nb", &"x".repeat(201)] {
            let faults = named(wrong).check(id()).unwrap_err();
            assert_eq!(faults[0].field, "cancelation_policy_id", "{wrong}");
        }
    }

    fn id() -> ProductGroupId {
        ProductGroupId(uuid::Uuid::from_u128(1))
    }

    #[test]
    fn a_new_group_is_inactive_and_requires_no_policy() {
        let group = form().check(id()).unwrap();
        assert_eq!((group.state, group.requires_cancelation_policy), (ActivationState::Inactive, false));
        assert_eq!(group.academic_year.unwrap().to_string(), "2026/2027");
    }

    #[test]
    fn every_mistake_of_a_form_is_named_at_once() {
        let wrong = ProductGroupForm {
            internal_reference: " ".to_owned(),
            contract_latest_start_date: date(2026, 8, 1),
            academic_year: Some("2026/2028".to_owned()),
            default_expiry_duration_in_seconds: Some(-1),
            contract_template_external_id: Some(String::new()),
            publishing: Some(Publishing {
                start_date: Some(date(2026, 2, 1)),
                end_date: Some(date(2026, 1, 1)),
            }),
            ..form()
        };
        let fields: Vec<_> = wrong.check(id()).unwrap_err().into_iter().map(|fault| fault.field).collect();
        assert_eq!(
            fields,
            [
                "academic_year",
                "contract_earliest_start_date",
                "contract_latest_start_date",
                "internal_reference",
                "default_expiry_duration_in_seconds",
                "contract_template_external_id",
                "publishing.start_date",
                "publishing.end_date"
            ]
        );
    }

    #[test]
    fn an_academic_year_is_of_years_that_are_counted_with() {
        let of = |year: &str| ProductGroupForm { academic_year: Some(year.to_owned()), ..form() }.check(id());
        for (year, code) in [
            ("2026/2031", ErrorCode::InvalidFormat),
            ("2027/2026", ErrorCode::InvalidFormat),
            ("0001/0002", ErrorCode::OutOfRange),
            ("1899/1900", ErrorCode::OutOfRange),
            ("9998/9999", ErrorCode::OutOfRange),
        ] {
            let faults = of(year).unwrap_err();
            assert_eq!((faults.len(), faults[0].field.as_str(), faults[0].code), (1, "academic_year", code));
        }
        assert!(of("1900/1901").is_ok() && of("9997/9998").is_ok());
        let stored: AcademicYear = "0001/0002".parse().unwrap();
        assert_eq!(stored.to_string(), "0001/0002", "what was taken before is still read");
    }

    #[test]
    fn an_edit_changes_what_it_names_and_nothing_else() {
        let segment = Some(ProductSegment::FullYear);
        let group = ProductGroupForm { product_segment: segment, ..form() }.check(id()).unwrap();
        assert_eq!(ProductGroupChange::default().over(&group).unwrap(), group);
        let change = ProductGroupChange {
            internal_reference: Some("B".to_owned()),
            product_segment: Patch::Clear,
            publishing: Patch::Set(PublishingChange {
                start_date: Patch::Set(date(2026, 1, 1)),
                ..PublishingChange::default()
            }),
            ..ProductGroupChange::default()
        };
        let edited = change.over(&group).unwrap();
        assert_eq!((edited.internal_reference.as_str(), edited.product_segment), ("B", None));
        assert_eq!(edited.publishing.start_date, Some(date(2026, 1, 1)));
        assert_eq!(edited.window, group.window);
        let empty =
            ProductGroupChange { internal_reference: Some(String::new()), ..ProductGroupChange::default() };
        assert_eq!(empty.over(&group).unwrap_err().len(), 1);
    }

    #[test]
    fn a_date_of_publishing_that_is_not_given_stays() {
        let (first, last, later) = (date(2026, 1, 1), date(2026, 6, 30), date(2026, 7, 31));
        let window = Publishing { start_date: Some(first), end_date: Some(last) };
        let group = ProductGroupForm { publishing: Some(window), ..form() }.check(id()).unwrap();
        let edited = |start_date, end_date| {
            let publishing = Patch::Set(PublishingChange { start_date, end_date });
            let change = ProductGroupChange { publishing, ..ProductGroupChange::default() };
            change.over(&group).map(|group| (group.publishing.start_date, group.publishing.end_date))
        };
        assert_eq!(edited(Patch::Keep, Patch::Keep), Ok((Some(first), Some(last))));
        assert_eq!(edited(Patch::Keep, Patch::Set(later)), Ok((Some(first), Some(later))));
        assert_eq!(edited(Patch::Keep, Patch::Clear), Ok((Some(first), None)));
        assert_eq!(edited(Patch::Clear, Patch::Keep), Ok((None, Some(last))));
        // What is given is held against what stays.
        assert_eq!(edited(Patch::Set(later), Patch::Keep).unwrap_err().len(), 2);
        let cleared = ProductGroupChange { publishing: Patch::Clear, ..ProductGroupChange::default() };
        assert_eq!(cleared.over(&group).unwrap().publishing, Publishing::default());
    }
}
