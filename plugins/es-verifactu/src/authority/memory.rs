//! What is remembered of a record: its place in the issuer's chain, and what the agency holds under its key.
//!
//! The chain is of the records an issuer's system *made*, in the order it made them. One that the agency refuses keeps
//! its place, and the next record refers to it; the agency holds nothing of it, so that what corrects it is a new
//! record, later in the chain, that says so:
//!
//! | the agency holds | sent again | the new record says |
//! |---|---|---|
//! | nothing, never sent | an invoice | nothing |
//! | nothing, refused before | the same invoice | `Subsanacion` S, `RechazoPrevio` X |
//! | the record, perhaps with errors | an amendment | `Subsanacion` S |
//! | the record, an amendment was refused | an amendment | `Subsanacion` S, `RechazoPrevio` S |
//! | the record | a cancellation | nothing |
//! | nothing, refused before | a cancellation | `SinRegistroPrevio` S |
//! | the record, a cancellation was refused | a cancellation | `RechazoPrevio` S |
//!
//! A message that is refused as a whole (4102) says nothing about its records: they keep their place in the chain and
//! count as not sent.

use einvoice_es::authority::Effect;
use serde::{Deserialize, Serialize};

use super::filed_document::FiledDocument;

/// The agency already has a record of this issuer, number and date.
pub(crate) const DUPLICATE: &str = "3000";
/// The record was cancelled before.
const ALREADY_CANCELLED: &str = "3001";
/// The agency has no record that this one could amend or cancel.
const UNKNOWN_RECORD: &str = "3002";

/// A record as the sandbox keeps it for us.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredRecord {
    pub(super) issuer: String,
    pub(super) number: String,
    /// `DD-MM-YYYY`.
    pub(super) date: String,
    pub(super) huella: String,
    /// What the agency holds under this issuer, number and date once it has answered.
    #[serde(default)]
    pub(super) standing: Standing,
    /// What the agency refused since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refused: Option<RefusedRecord>,
}

/// What the agency holds of an invoice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Standing {
    /// Nothing: every record of it was refused.
    Nothing,
    /// A correct record. Also what records say that were kept before others were.
    #[default]
    Accepted,
    /// A record with errors that should be amended.
    AcceptedWithErrors,
    /// A record that was cancelled.
    Cancelled,
}

impl Standing {
    /// For people.
    pub(super) const fn sentence(self) -> &'static str {
        match self {
            Self::Nothing => "It holds no record of the invoice.",
            Self::Accepted => "It holds a correct record.",
            Self::AcceptedWithErrors => "It holds a record with errors.",
            Self::Cancelled => "It holds a cancelled record.",
        }
    }
}

/// A record about something the agency holds, which it refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RefusedRecord {
    Amendment,
    Cancellation,
}

/// What a new record is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Registers an invoice for the first time.
    Register,
    /// Registers an invoice that the agency refused before.
    RegisterAgain,
    /// Replaces the record that the agency holds.
    Amend {
        /// Whether it refused an amendment before.
        refused_before: bool,
    },
    /// Cancels the invoice's record.
    Cancel {
        /// Whether the agency holds none, because it refused it.
        without_record: bool,
        /// Whether it refused a cancellation before.
        refused_before: bool,
    },
}

impl Purpose {
    /// `amends`: whether the agency accepted an earlier version of this very entry.
    pub(super) fn of(cancels: bool, amends: bool, registered: Option<&StoredRecord>) -> Self {
        let refused_before = |what| registered.is_some_and(|record| record.refused == Some(what));
        let unheld = registered.is_some_and(|record| record.standing == Standing::Nothing);
        if cancels {
            let refused_before = refused_before(RefusedRecord::Cancellation);
            Self::Cancel { without_record: unheld, refused_before }
        } else if amends {
            Self::Amend { refused_before: refused_before(RefusedRecord::Amendment) }
        } else if unheld {
            Self::RegisterAgain
        } else {
            Self::Register
        }
    }

    /// The code with which the agency refuses such a record, for what it holds under the record's key.
    pub(super) fn refusal(self, registered: Option<&StoredRecord>) -> Option<&'static str> {
        use Standing::{Accepted, AcceptedWithErrors, Cancelled, Nothing};
        match (self, registered.map(|record| record.standing)) {
            (Self::Register, None) | (Self::RegisterAgain, None | Some(Nothing)) => None,
            (Self::Register, Some(Nothing)) => None,
            (Self::Register | Self::RegisterAgain, Some(Accepted | AcceptedWithErrors | Cancelled)) => {
                Some(DUPLICATE)
            }
            (Self::Amend { .. } | Self::Cancel { .. }, Some(Accepted | AcceptedWithErrors)) => None,
            (Self::Amend { .. } | Self::Cancel { .. }, Some(Cancelled)) => Some(ALREADY_CANCELLED),
            (Self::Cancel { .. }, Some(Nothing)) => None,
            (Self::Cancel { .. }, None) | (Self::Amend { .. }, None | Some(Nothing)) => Some(UNKNOWN_RECORD),
        }
    }

    const fn refused_record(self) -> Option<RefusedRecord> {
        match self {
            Self::Register | Self::RegisterAgain => None,
            Self::Amend { .. } => Some(RefusedRecord::Amendment),
            Self::Cancel { .. } => Some(RefusedRecord::Cancellation),
        }
    }
}

/// What the agency answered to a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Accepted,
    Complained(Effect),
}

impl StoredRecord {
    /// The record of `filed` after the answer; `before` is what was remembered under its key.
    pub(super) fn after(
        filed: &FiledDocument,
        huella: String,
        purpose: Purpose,
        answer: Answer,
        before: Option<&Self>,
    ) -> Self {
        let held = before.map_or(Standing::Nothing, |record| record.standing);
        let refused = before.and_then(|record| record.refused);
        let (standing, refused) = match (answer, purpose) {
            (Answer::Complained(Effect::RefusesMessage), _) => (held, refused),
            (Answer::Complained(Effect::RefusesRecord), _) => (held, purpose.refused_record().or(refused)),
            (_, Purpose::Cancel { .. }) => (Standing::Cancelled, None),
            (Answer::Complained(Effect::AcceptsWithErrors), _) => (Standing::AcceptedWithErrors, None),
            (Answer::Accepted, _) => (Standing::Accepted, None),
        };
        Self {
            issuer: filed.issuer.clone(),
            number: filed.number.clone(),
            date: filed.date.clone(),
            huella,
            standing,
            refused,
        }
    }
}
