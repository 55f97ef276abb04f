//! What lists of the platform's data are narrowed by, and which part of them is shown.

use crate::catalog::{AcademicYear, ActivationState, ProductSegment};
use crate::spaces::UnitStatus;
use gateway_domain::ids::{BookingId, ProductGroupId, TaskId, UnitId, WorkspaceId};
use jiff::Timestamp;
use jiff::civil::Date;

/// A page by number, for surfaces whose pages have numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedPage<T> {
    /// The part that was asked for, in the order of the list.
    pub nodes: Vec<T>,
    /// How many there are in all pages.
    pub total: i64,
}

impl<T> From<(Vec<T>, i64)> for NumberedPage<T> {
    fn from((nodes, total): (Vec<T>, i64)) -> Self {
        Self { nodes, total }
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

/// Which units a page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitFilter {
    /// Only of this workspace.
    pub workspace: Option<WorkspaceId>,
    /// Only in this status.
    pub status: Option<UnitStatus>,
    /// Only these.
    pub ids: Option<Vec<UnitId>>,
    /// Only those that changed at this instant or later.
    pub updated_since: Option<Timestamp>,
}

/// Which bookings a page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BookingFilter {
    /// Only of this workspace.
    pub workspace: Option<WorkspaceId>,
    /// Only these.
    pub ids: Option<Vec<BookingId>>,
    /// Only of this unit.
    pub unit: Option<UnitId>,
    /// Only stays with a night on this day or later.
    pub from: Option<Date>,
    /// Only stays that begin on this day or earlier.
    pub to: Option<Date>,
    /// Only those that changed at this instant or later.
    pub updated_since: Option<Timestamp>,
}

/// Which tasks a page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskFilter {
    /// Only of this workspace.
    pub workspace: Option<WorkspaceId>,
    /// Only these.
    pub ids: Option<Vec<TaskId>>,
    /// Only about this unit.
    pub unit: Option<UnitId>,
    /// Only due on this day or later.
    pub from: Option<Date>,
    /// Only due on this day or earlier.
    pub to: Option<Date>,
}

/// Which rows of a list a page shows that is found by counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many rows stand before it.
    pub offset: i64,
    /// How many rows it has at most.
    pub size: i64,
}

impl Window {
    /// The part of a list that is at hand.
    pub fn of<T>(self, all: &[T]) -> &[T] {
        let place = |n: i64| usize::try_from(n).unwrap_or(usize::MAX).min(all.len());
        let (start, end) = (place(self.offset), place(self.offset.saturating_add(self.size)));
        all.get(start..end).unwrap_or_default()
    }
}
