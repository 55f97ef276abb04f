//! The words for how far a submission is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The next thing to do for a submission, or how it ended: the word of it, as it is shown and found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Stage {
    /// The intent is recorded; the invoice data service has to move the document to issuing.
    Requested,
    /// The number is known; the plugin has to convert the document.
    Converting,
    /// The structured document has to be stored at the provider.
    Uploading,
    /// The provider's workflow has to be started.
    Starting,
    /// The provider works; its webhook or the poll ends this.
    Waiting,
    /// The verdict is known; the invoice data service has to be told.
    Settling,
    /// Ended: accepted.
    Accepted,
    /// Ended: rejected.
    Rejected,
    /// Ended: a verdict was given by hand, or the document moved without this submission.
    Superseded,
    /// Ended: the document could not be moved to issuing.
    Withdrawn,
}

impl Stage {
    /// Every stage.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As written in JSON and storage.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Exactly as [`Self::as_str`] writes it; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }

    /// The failpoint at the commit of a step to a stage, or of one that stays in it.
    pub const fn commit_point(self) -> &'static str {
        match self {
            Self::Requested => "to-requested",
            Self::Converting => "to-converting",
            Self::Uploading => "to-uploading",
            Self::Starting => "to-starting",
            Self::Waiting => "to-waiting",
            Self::Settling => "to-settling",
            Self::Accepted => "to-accepted",
            Self::Rejected => "to-rejected",
            Self::Superseded => "to-superseded",
            Self::Withdrawn => "to-withdrawn",
        }
    }

    /// Whether a step to it leaves the structured document as it is: one is made, or given up, only before it goes out.
    pub const fn keeps_structured_document(self) -> bool {
        match self {
            Self::Starting
            | Self::Waiting
            | Self::Settling
            | Self::Accepted
            | Self::Rejected
            | Self::Superseded => true,
            Self::Requested | Self::Converting | Self::Uploading | Self::Withdrawn => false,
        }
    }

    /// Whether the authority may be asked about the present number at this moment, or was.
    pub const fn is_at_authority(self) -> bool {
        match self {
            Self::Starting | Self::Waiting | Self::Settling => true,
            Self::Requested
            | Self::Converting
            | Self::Uploading
            | Self::Accepted
            | Self::Rejected
            | Self::Superseded
            | Self::Withdrawn => false,
        }
    }

    /// Whether nothing is left to do.
    pub const fn ended(self) -> bool {
        match self {
            Self::Requested
            | Self::Converting
            | Self::Uploading
            | Self::Starting
            | Self::Waiting
            | Self::Settling => false,
            Self::Accepted | Self::Rejected | Self::Superseded | Self::Withdrawn => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_is_found_by_its_name() {
        for &stage in Stage::ALL {
            assert_eq!(Stage::parse(stage.as_str()), Some(stage));
        }
    }
}
