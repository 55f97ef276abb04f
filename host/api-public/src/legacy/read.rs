//! What older integrations ask for in addresses: ids, days, instants, and names of members to include.

use super::errors::ApiError;
use super::errors::refuse;
use super::pages::Listing;
pub(super) use crate::read::{DATE, ID, INSTANT, day, instant, uuid};
use crate::read::{DAY, bounded_day};
use axum::http::StatusCode;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain::{StoreCauseKind, StoreError};
use gateway_platform::{NotFound, PlatformError};
use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

/// The id in a path, called `field`; 400 for what is none.
pub(super) fn id<I: From<Uuid>>(field: &str, text: &str) -> Result<I, ApiError> {
    uuid(text)
        .map(I::from)
        .ok_or_else(|| refuse(StatusCode::BAD_REQUEST, field, ErrorCode::InvalidFormat, ID))
}

/// What a path names is not there, or belongs to another workspace.
pub(super) fn unknown(field: &str, what: &str) -> ApiError {
    refuse(StatusCode::NOT_FOUND, field, ErrorCode::NotFound, format!("there is no such {what}"))
}

impl Listing {
    /// Those changed at this instant or later (`last_modified`).
    pub(super) fn last_modified(&mut self) -> Option<Timestamp> {
        self.read("last_modified", INSTANT, instant)
    }

    /// Those of this property (`property_id`), which is named when it is given.
    pub(super) fn property<I: From<Uuid>>(&mut self) -> Option<I> {
        self.read_filled("property_id", ID, |text| uuid(text).map(I::from))
    }

    /// Those of these days (`start_date`, `end_date`), both included; either may be open.
    pub(super) fn days(&mut self) -> (Option<Date>, Option<Date>) {
        let (start, end) =
            (self.read("start_date", DAY, bounded_day), self.read("end_date", DAY, bounded_day));
        if start.zip(end).is_some_and(|(start, end)| end < start) {
            self.fault("end_date", ErrorCode::EndBeforeStart, "must not be before the start date");
        }
        (start, end)
    }

    /// The same where both are needed.
    pub(super) fn both_days(&mut self) -> Option<(Date, Date)> {
        let (start, end) = self.days();
        for (name, day) in [("start_date", start), ("end_date", end)] {
            if day.is_none() {
                self.fault(name, ErrorCode::Required, "is missing");
            }
        }
        start.zip(end)
    }

    /// The members that `include` names, separated by commas; each is one of `known`.
    pub(super) fn include(&mut self, known: &[&str]) -> Vec<String> {
        let expected = format!("use names of {}, with commas between them", known.join(", "));
        let names = |text: &str| {
            let names = text.split(',').map(|name| name.trim().to_owned());
            names.map(|name| Some(name).filter(|name| known.contains(&name.as_str()))).collect()
        };
        self.read("include", &expected, names).unwrap_or_default()
    }
}

impl From<PlatformError> for ApiError {
    fn from(error: PlatformError) -> Self {
        match error {
            PlatformError::Invalid(faults) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, faults),
            PlatformError::NotFound(NotFound { field, .. }) => {
                let message = error.to_string();
                Self::new(StatusCode::NOT_FOUND, vec![FieldError::new(field, ErrorCode::NotFound, message)])
            }
            PlatformError::Store(cause @ StoreError::Moved { .. }) => moved(&cause),
            PlatformError::Store(cause) if cause.kind() == Some(StoreCauseKind::Duplicate) => moved(&cause),
            PlatformError::Store(cause) => Self::internal(cause),
        }
    }
}

/// What two requests did to the same thing at once, the second may repeat.
fn moved(cause: &StoreError) -> ApiError {
    tracing::info!("Somebody else changed it at the same moment: {cause}");
    let message = "somebody else changed this at the same moment: read it again and repeat the request";
    ApiError::base(StatusCode::CONFLICT, ErrorCode::Stale, message)
}
