//! Product groups and products.

use super::{AcademicYear, ContractWindow};
use gateway_domain::ErrorCode;
use gateway_domain::ids::{CancelationPolicyId, ProductGroupId, ProductId, UnitId, WorkspaceId};
use gateway_domain_input::Faults;
use gateway_domain_lists::Keyed;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

gateway_domain::words! {
    /// Whether products of a group may be sold (`CatalogProductGroupStateEnum`).
    ActivationState {
        /// They may.
        Active = "ACTIVE",
        /// They may not.
        Inactive = "INACTIVE",
    }
}

gateway_domain::words! {
    /// The part of an academic year that a student product covers (`CatalogProductSegmentEnum`).
    ProductSegment {
        /// Full calendar year including summer.
        FullYear = "FULL_YEAR",
        /// Full academic year excluding summer.
        AcademicYear = "ACADEMIC_YEAR",
        /// First semester only.
        Semester1 = "SEMESTER_1",
        /// Second semester only.
        Semester2 = "SEMESTER_2",
    }
}

gateway_domain::words! {
    /// Where a publishing window stands (`CatalogPublishStateEnum`). Derived from the clock, never stored.
    PublishState {
        /// Publishing has not started, or nobody said when it does; and it has not ended.
        Scheduled = "SCHEDULED",
        /// Publishing is active.
        Ongoing = "ONGOING",
        /// The window ended.
        Finished = "FINISHED",
    }
}

/// When a product group is published, both days included. Each may be open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Publishing {
    /// The first day; without one it is never published.
    #[serde(default)]
    pub start_date: Option<Date>,
    /// The last day; without one it does not end.
    #[serde(default)]
    pub end_date: Option<Date>,
}

impl Publishing {
    /// How it stands on a day (UTC). What has an end has ended after it, also when nobody said when it starts.
    pub fn state(self, today: Date) -> PublishState {
        match (self.start_date, self.end_date) {
            (_, Some(end)) if today > end => PublishState::Finished,
            (None, _) => PublishState::Scheduled,
            (Some(start), _) if today < start => PublishState::Scheduled,
            (Some(_), _) => PublishState::Ongoing,
        }
    }

    pub(super) fn check(self, faults: &mut Faults) {
        for (field, date) in
            [("publishing.start_date", self.start_date), ("publishing.end_date", self.end_date)]
        {
            if let Some(date) = date {
                faults.date(field, date);
            }
        }
        if let (Some(start), Some(end)) = (self.start_date, self.end_date)
            && start > end
        {
            let message = format!("publishing must not start ({start}) after it ends ({end})");
            faults.refuse("publishing.start_date", ErrorCode::EndBeforeStart, message.clone());
            faults.refuse("publishing.end_date", ErrorCode::EndBeforeStart, message);
        }
    }
}

/// A set of related products that share contract date windows, an activation state, a publishing window and
/// booking-expiry settings (specification, `ProductGroup`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductGroup {
    /// UUID version 7 made by the gateway, or as the import gave it.
    pub id: ProductGroupId,
    /// Whose.
    pub workspace: WorkspaceId,
    /// How the workspace calls it.
    pub internal_reference: String,
    /// When its contracts may start and end.
    pub window: ContractWindow,
    /// Default booking expiry duration, seconds.
    pub default_expiry_duration_in_seconds: Option<i32>,
    /// Whether the booking expiry timer is enabled.
    pub allow_booking_expiry_timer: Option<bool>,
    /// The academic year it is for.
    pub academic_year: Option<AcademicYear>,
    /// Student product groups only.
    pub product_segment: Option<ProductSegment>,
    /// Whether its products may be sold.
    pub state: ActivationState,
    /// When it is published.
    pub publishing: Publishing,
    /// Whether a cancelation policy is required.
    pub requires_cancelation_policy: bool,
    /// Which policy.
    pub cancelation_policy_id: Option<CancelationPolicyId>,
    /// External contract template identifier.
    pub contract_template_external_id: Option<String>,
}

impl Keyed for ProductGroup {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

/// What is sold under a product group: some units, under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Product {
    /// Given by the import.
    pub id: ProductId,
    /// Whose.
    #[serde(rename = "workspace_id")]
    pub workspace: WorkspaceId,
    /// Its state and contract window decide whether the product can be sold.
    #[serde(rename = "product_group_id")]
    pub group: ProductGroupId,
    /// For people.
    pub name: String,
    /// The units sold under it, each once, in the order of their ids.
    #[serde(rename = "unit_ids", default)]
    pub units: Vec<UnitId>,
}

impl Keyed for Product {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

impl Product {
    /// Everything that is wrong with it.
    pub fn check(&self, faults: &mut Faults) {
        faults.text("name", &self.name);
        faults.list("unit_ids", &self.units);
    }
}

/// Which product groups a page shows (`ProductGroupsFiltersInput`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProductGroupFilter {
    /// Only in this activation state.
    pub state: Option<ActivationState>,
    /// Only those that are published today, or only those that are not.
    pub published: Option<bool>,
    /// Only of this workspace.
    pub workspace: Option<WorkspaceId>,
    /// Only for this academic year.
    pub academic_year: Option<AcademicYear>,
    /// Only of this segment.
    pub product_segment: Option<ProductSegment>,
    /// Only with this reference.
    pub internal_reference: Option<String>,
    /// Only these.
    pub ids: Option<Vec<ProductGroupId>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn publishing_stands_as_its_dates_say() {
        use PublishState::{Finished, Ongoing, Scheduled};
        let (before, first, between, last, after) = (
            date(2026, 10, 31),
            date(2026, 11, 1),
            date(2026, 11, 15),
            date(2026, 11, 30),
            date(2026, 12, 1),
        );
        let days = [before, first, between, last, after];
        let states = |start_date, end_date| days.map(|day| Publishing { start_date, end_date }.state(day));
        assert_eq!(states(None, None), [Scheduled; 5]);
        assert_eq!(states(None, Some(last)), [Scheduled, Scheduled, Scheduled, Scheduled, Finished]);
        assert_eq!(states(Some(first), None), [Scheduled, Ongoing, Ongoing, Ongoing, Ongoing]);
        assert_eq!(states(Some(first), Some(last)), [Scheduled, Ongoing, Ongoing, Ongoing, Finished]);
        assert_eq!(states(Some(first), Some(first)), [Scheduled, Ongoing, Finished, Finished, Finished]);
    }

    #[test]
    fn a_word_is_read_in_any_case_and_an_unknown_one_is_told_the_others() {
        assert_eq!("semester_1".parse(), Ok(ProductSegment::Semester1));
        let error = "ON".parse::<ActivationState>().unwrap_err();
        assert_eq!(error.to_string(), "'ON' is not known here: use one of ACTIVE, INACTIVE");
    }
}
