//! Amendments: an issued document whose record at the tax authority is replaced under the same number.
//!
//! The document stays issued the whole time, with the content and the proof that the authority accepted: what it is to become
//! stands in its [`Amendment`] until the authority has accepted that too. So a refused amendment changes nothing, and whoever reads
//! the document meanwhile reads what the authority holds. One amendment of a document is under way at a time.
//!
//! | module | holds |
//! |---|---|
//! | `rule` | which documents may be amended, and what of them |
//! | `demand` | which remarks want an amendment, and by when |
//! | `differences` | where two versions of a document differ |
//! | `merge` | what members are to become |
//! | `progress` | the way of an amendment to the authority and back |
//! | `view` | amendments as they are shown |
//!
//! Not here: what a submission is (`gateway_domain_finance`), which members a tax system lets change (its plugin), database and
//! provider (`gateway-amendment`).

#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

mod demand;
mod differences;
mod merge;
mod progress;
mod rule;
#[cfg(test)]
mod tests;
mod view;

pub use demand::{DemandedAmendment, demanded_amendments};
pub use differences::differences;
pub use merge::merged;
pub use progress::{AmendmentStage, OpenAmendment, SETTLED_BY_HAND};
pub use rule::{
    AmendmentFacts, AmendmentRefused, AmendmentTarget, RefusedPath, WayToGo, changed_members,
    decide_amendment, decide_withdrawal,
};
pub use view::{AmendmentBody, AmendmentRecord, AmendmentState, ReplacedBody};

use gateway_domain::fault::Fault;
use gateway_domain::ids::{AmendmentId, EntryId, InvoiceId, ProviderJobId, WorkspaceId};
use gateway_domain::invoicing::{Acceptance, Content, InvoiceNumber};
use gateway_domain::regime::{PluginRef, Stamp};
use gateway_domain_finance::{AuthorityMessage, EntryDocument, LaterAttempt};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One amendment of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Amendment {
    /// Which one.
    pub id: AmendmentId,
    /// Of which document.
    pub document: InvoiceId,
    /// Whose.
    pub workspace: WorkspaceId,
    /// Its place among the document's amendments, from 1.
    pub ordinal: i64,
    /// The number of the document, which stays.
    pub number: InvoiceNumber,
    /// What changes: JSON Pointers into the document.
    pub changes: Vec<String>,
    /// What the document is to become.
    pub content: Content,
    /// What the authority holds while this is under way, and for ever where it is refused.
    pub replaced: ReplacedRecord,
    /// What is filed.
    pub filing: AmendmentFiling,
    /// How far it is.
    pub progress: AmendmentProgress,
    /// Who asked for it.
    pub actor: String,
    /// Grows by one with every change; a step that finds another version has lost the race.
    pub version: i64,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// Last changed.
    pub updated_at: Timestamp,
}

/// The accepted record that an amendment is to replace, with everything that was kept of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReplacedRecord {
    /// The attempt that filed it.
    pub job: ProviderJobId,
    /// The document as it was accepted.
    pub content: Content,
    /// The authority's proof.
    pub acceptance: Acceptance,
    /// What provider and authority attached to it.
    pub stamps: Vec<Stamp>,
    /// The structured document as it was sent.
    pub structured: String,
}

/// The attempt of an amendment: one job of the provider, on the entry that the accepted record stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmendmentFiling {
    /// The provider's job.
    pub job: ProviderJobId,
    /// The provider's entry: the document's own, by which the provider knows what it amends.
    pub entry: EntryId,
    /// Which plugin made the document.
    pub plugin: PluginRef,
    /// The structured document as sent.
    pub structured: String,
    /// SHA-256 of the canonical document that the provider showed after the upload, lower-case hex; none before that.
    pub digest: Option<String>,
}

/// How far an amendment is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AmendmentProgress {
    /// Something is left to do.
    Open(OpenAmendment),
    /// The authority accepted it: the document is what the amendment says.
    Accepted {
        /// The proof, which the document shows from then on.
        acceptance: Acceptance,
        /// What provider and authority attached to it.
        stamps: Vec<Stamp>,
        /// When that was stored.
        at: Timestamp,
    },
    /// It was refused, or the provider does not carry it: the accepted record is in force.
    Refused {
        /// Names the source and keeps code and path.
        reason: String,
        /// One for each complaint.
        faults: Vec<Fault>,
        /// When that was stored.
        at: Timestamp,
    },
    /// Somebody gave it up while it waited for them: the accepted record counts.
    Withdrawn {
        /// Why it waited.
        reason: String,
        /// When that was stored.
        at: Timestamp,
    },
}

impl AmendmentFiling {
    /// As the attempt that a submission is about.
    pub fn attempt(&self) -> LaterAttempt {
        let Self { job, entry, plugin, structured, digest } = self.clone();
        let document = EntryDocument { entry, is_renewed: false, digest, structured: structured.into() };
        LaterAttempt { job, plugin, document }
    }
}

impl Amendment {
    /// What is left to do; none when it ended.
    pub const fn open(&self) -> Option<&OpenAmendment> {
        match &self.progress {
            AmendmentProgress::Open(open) => Some(open),
            AmendmentProgress::Accepted { .. }
            | AmendmentProgress::Refused { .. }
            | AmendmentProgress::Withdrawn { .. } => None,
        }
    }

    /// The key of its upload at the provider: that of the document's submission names its number alone.
    pub fn upload_key(&self) -> String {
        format!("{}-{}-A{}", self.document, self.number.0, self.ordinal)
    }
}

/// What was sent to the authority by an amendment, and by the record that it replaces, as far as the provider gave them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AmendmentMessages {
    /// Of the amendment.
    pub own: Option<AuthorityMessage>,
    /// Of what it replaces.
    pub replaced: Option<AuthorityMessage>,
}
