//! The amendments of a document, as its page shows them.

use crate::format;
use gateway_domain_amendment::{Amendment, AmendmentProgress, AmendmentStage};

/// An amendment, for people.
#[derive(Debug, PartialEq, Eq)]
pub struct AmendmentRow {
    /// Its place among those of the document, from 1.
    pub ordinal: i64,
    /// How far it is, a sentence.
    pub progress: String,
    /// What keeps it from going on, or why it is not in force.
    pub problem: Option<String>,
    /// JSON Pointers of the members that change, with commas.
    pub changes: String,
    /// Whether something is left to do.
    pub is_open: bool,
}

impl From<&Amendment> for AmendmentRow {
    fn from(amendment: &Amendment) -> Self {
        let (progress, problem) = match &amendment.progress {
            AmendmentProgress::Open(open) => {
                let progress = match open.stage {
                    AmendmentStage::Uploading | AmendmentStage::Starting => {
                        "is on its way to the provider".to_owned()
                    }
                    AmendmentStage::Waiting { taken_at } => {
                        format!("is with the provider since {}", format::time(taken_at))
                    }
                };
                (progress, open.problem.clone())
            }
            AmendmentProgress::Accepted { at, .. } => (format!("accepted {}", format::time(*at)), None),
            AmendmentProgress::Refused { reason, at, .. } => (
                format!("refused {}; the record before is in force", format::time(*at)),
                Some(reason.clone()),
            ),
            AmendmentProgress::Withdrawn { reason, at } => {
                (format!("given up {}; the record before counts", format::time(*at)), Some(reason.clone()))
            }
        };
        Self {
            ordinal: amendment.ordinal,
            progress,
            problem,
            changes: amendment.changes.join(", "),
            is_open: amendment.open().is_some(),
        }
    }
}
