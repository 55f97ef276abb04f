//! The stages in which a submission ends.

use super::{CurrentAttempt, FailedAttempt};
use crate::{AcceptedVerdict, RejectedVerdict, Settlement};
use gateway_domain::invoicing::InvoiceNumber;

/// How a submission ended, with what existed then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndedStage {
    /// The document became issued by the verdict.
    Accepted {
        /// What the verdict is about.
        attempt: CurrentAttempt,
        /// As the invoice data service was told.
        verdict: AcceptedVerdict,
    },
    /// The document became rejected by the verdict.
    Rejected {
        /// What the verdict is about.
        attempt: CurrentAttempt,
        /// As the invoice data service was told.
        verdict: RejectedVerdict,
    },
    /// A verdict was given by hand, or the document moved without this submission.
    Superseded(Superseded),
    /// The document could not be moved to issuing.
    Withdrawn {
        /// Whether attempts before the next one have still to be looked at.
        check_earlier_attempts: bool,
    },
}

/// How far a submission was when its document went another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Superseded {
    /// It knew no number yet.
    Requested {
        /// Whether attempts before the next one have still to be looked at.
        check_earlier_attempts: bool,
    },
    /// It was between two attempts, or before the first one.
    Numbered {
        /// The number of the document.
        number: InvoiceNumber,
        /// Whether attempts before the next one have still to be looked at.
        check_earlier_attempts: bool,
        /// The last attempt under this number, if there was one.
        failed: Option<FailedAttempt>,
    },
    /// It was in an attempt.
    Attempted {
        /// What was under way then; the authority may answer it yet.
        attempt: CurrentAttempt,
        /// The provider's verdict, where it came too late to count.
        late: Option<Settlement>,
    },
}
