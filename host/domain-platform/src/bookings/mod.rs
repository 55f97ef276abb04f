//! Bookings: stays of guests in units, what keeps a unit from being booked twice, and the vetting of guests.

mod availability;
mod nights;
mod verification;
mod vetting;

pub use availability::{
    CheckedStay, DAYS_MAX, Day, Night, StayCheck, StayStatus, UnitCalendar, calendar, check_stay,
    days_between,
};
pub use nights::{NightChanges, NightRange, UnitNights};
pub use verification::{GUEST_BYTES_MAX, GuestVerification, VerificationChange};
pub use vetting::{NotATransition, VettingStatus};

use gateway_domain::ErrorCode;
use gateway_domain::ids::{BookingId, ProductId, UnitId, WorkspaceId};
use gateway_domain_input::Faults;
use gateway_domain_lists::Keyed;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// Longest stay, nights.
const NIGHTS_MAX: i32 = 5 * 366;
/// Most guests of a booking.
const GUESTS_MAX: i32 = 1000;

gateway_domain::words! {
    /// How far a booking has come.
    BookingStatus {
        /// Somebody asks.
        Enquiry = "ENQUIRY",
        /// Waiting to be confirmed.
        Pending = "PENDING",
        /// Agreed.
        Confirmed = "CONFIRMED",
        /// The guests are there.
        CheckedIn = "CHECKED_IN",
        /// The guests were there.
        CheckedOut = "CHECKED_OUT",
        /// Taken back.
        Cancelled = "CANCELLED",
        /// Not confirmed in time.
        Expired = "EXPIRED",
    }
}

impl BookingStatus {
    /// Whether the nights of such a booking are taken. An enquiry asks and takes nothing; what was cancelled or expired
    /// gave its nights back; a stay that ended keeps the nights it had, so that the past is not sold again.
    pub const fn blocks(self) -> bool {
        match self {
            Self::Pending | Self::Confirmed | Self::CheckedIn | Self::CheckedOut => true,
            Self::Enquiry | Self::Cancelled | Self::Expired => false,
        }
    }
}

/// How many stay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guests {
    /// Adults.
    #[serde(default)]
    pub adults: i32,
    /// Children.
    #[serde(default)]
    pub children: i32,
}

impl Guests {
    /// Adults and children.
    pub const fn total(self) -> i32 {
        self.adults.saturating_add(self.children)
    }
}

/// How to reach somebody about a booking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Contact {
    /// Who.
    #[serde(default)]
    #[schema(required, examples("Ada"))]
    pub name: Option<String>,
    /// By mail.
    #[serde(default)]
    #[schema(required, examples("ada@example.com"))]
    pub email: Option<String>,
    /// By telephone.
    #[serde(default)]
    #[schema(required)]
    pub phone: Option<String>,
}

/// A booking. The stay occupies the nights from check-in up to, and without, the day of check-out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booking {
    /// Given by the import.
    pub id: BookingId,
    /// Whose.
    #[serde(rename = "workspace_id")]
    pub workspace: WorkspaceId,
    /// Where.
    #[serde(rename = "unit_id")]
    pub unit: UnitId,
    /// What was sold.
    #[serde(rename = "product_id", default)]
    pub product: Option<ProductId>,
    /// What the guest is told.
    pub confirmation_code: String,
    /// How far it has come.
    pub status: BookingStatus,
    /// The night that begins on this day is the first one.
    pub check_in: Date,
    /// Later than check-in; the night that begins on this day is free again.
    pub check_out: Date,
    /// How many stay.
    #[serde(default)]
    pub guests: Guests,
    /// Whom to ask.
    #[serde(default)]
    pub contacts: Vec<Contact>,
    /// Where it was sold.
    #[serde(default)]
    pub platform: Option<String>,
    /// How it stands with the money, in the words of whoever collects it.
    #[serde(default)]
    pub payment_status: Option<String>,
    /// What is known about the guest; UNVETTED unless given.
    #[serde(rename = "vetting_status", default = "VettingStatus::unvetted")]
    pub vetting: VettingStatus,
}

impl Keyed for Booking {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

impl Booking {
    /// Nights of the stay.
    pub fn nights(&self) -> i32 {
        days_between(self.check_in, self.check_out)
    }

    /// Whether its nights are taken.
    pub const fn blocks(&self) -> bool {
        self.status.blocks()
    }

    /// Whether both stays have a night in common.
    pub fn overlaps(&self, check_in: Date, check_out: Date) -> bool {
        self.check_in < check_out && check_in < self.check_out
    }

    /// Everything that is wrong with it.
    pub fn check(&self, faults: &mut Faults) {
        faults.text("confirmation_code", &self.confirmation_code);
        faults.date("check_in", self.check_in);
        faults.date("check_out", self.check_out);
        if self.check_in >= self.check_out {
            faults.refuse("check_out", ErrorCode::EndBeforeStart, "must be after check-in");
        } else if self.nights() > NIGHTS_MAX {
            faults.refuse(
                "check_out",
                ErrorCode::OutOfRange,
                format!("a stay has at most {NIGHTS_MAX} nights"),
            );
        }
        faults.at_least("guests.adults", self.guests.adults, 0);
        faults.at_least("guests.children", self.guests.children, 0);
        if self.guests.total() > GUESTS_MAX {
            faults.refuse(
                "guests",
                ErrorCode::OutOfRange,
                format!("must be at most {GUESTS_MAX}, adults and children together"),
            );
        }
        faults.list("contacts", &self.contacts);
        for (place, contact) in self.contacts.iter().enumerate() {
            for (member, text) in
                [("name", &contact.name), ("email", &contact.email), ("phone", &contact.phone)]
            {
                faults.optional_text(&format!("contacts[{place}].{member}"), text.as_deref());
            }
        }
        faults.optional_text("platform", self.platform.as_deref());
        faults.optional_text("payment_status", self.payment_status.as_deref());
    }
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
    /// Only with this code.
    pub confirmation_code: Option<String>,
    /// Only stays with a night on this day or later.
    pub from: Option<Date>,
    /// Only stays that begin on this day or earlier.
    pub to: Option<Date>,
    /// Only those that changed at this instant or later.
    pub updated_since: Option<Timestamp>,
}
