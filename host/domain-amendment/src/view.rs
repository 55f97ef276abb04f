//! Amendments as they are shown.

use crate::{Amendment, AmendmentMessages, AmendmentProgress, AmendmentStage, ReplacedRecord};
use gateway_domain::access::Actor;
use gateway_domain::fault::Fault;
use gateway_domain::ids::{AmendmentId, EntryId, InvoiceId, ProviderJobId};
use gateway_domain::invoicing::{Acceptance, InvoiceNumber};
use gateway_domain::regime::Stamp;
use gateway_domain_finance::AuthorityMessage;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The word for how far an amendment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum AmendmentState {
    /// The structured document has to be stored at the provider.
    Uploading,
    /// The provider's workflow has to be started.
    Starting,
    /// The provider works.
    Waiting,
    /// Ended: the document is what the amendment says.
    Accepted,
    /// Ended: the record before is in force.
    Refused,
    /// Ended: somebody gave it up.
    Withdrawn,
}

impl AmendmentState {
    /// As written in JSON and storage.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Exactly as [`Self::as_str`] writes it; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl AmendmentProgress {
    /// The word for it.
    pub const fn state(&self) -> AmendmentState {
        match self {
            Self::Open(open) => match open.stage {
                AmendmentStage::Uploading => AmendmentState::Uploading,
                AmendmentStage::Starting => AmendmentState::Starting,
                AmendmentStage::Waiting { .. } => AmendmentState::Waiting,
            },
            Self::Accepted { .. } => AmendmentState::Accepted,
            Self::Refused { .. } => AmendmentState::Refused,
            Self::Withdrawn { .. } => AmendmentState::Withdrawn,
        }
    }
}

/// An amendment of a document, with everything that is kept of its attempt and of the record that it replaces.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Amendment)]
pub struct AmendmentBody<'a> {
    /// Which one.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    pub id: AmendmentId,
    /// Of which document.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    pub document_id: InvoiceId,
    /// Its place among the document's amendments, from 1.
    #[schema(examples(1))]
    pub ordinal: i64,
    /// How far it is.
    pub state: AmendmentState,
    /// The number of the document, which stays.
    #[schema(value_type = String, examples("F-2026-000001"))]
    pub number: &'a InvoiceNumber,
    /// What changes: JSON Pointers into the document.
    pub changes: &'a [String],
    /// The provider's entry, the same as that of the record that is replaced.
    #[schema(value_type = Uuid)]
    pub entry_id: EntryId,
    /// The attempt, among those of the submission.
    #[schema(value_type = Uuid)]
    pub job_id: ProviderJobId,
    /// Why it does not go on; null while it does.
    #[schema(required)]
    pub problem: Option<&'a str>,
    /// Why it was refused or withdrawn.
    #[schema(required)]
    pub reason: Option<&'a str>,
    /// The complaints of a refusal.
    #[schema(value_type = Vec<Fault>)]
    pub faults: &'a [Fault],
    /// The authority's proof, once it accepted.
    #[schema(required, value_type = Option<Acceptance>)]
    pub acceptance: Option<&'a Acceptance>,
    /// What provider and authority attached to it.
    pub stamps: Vec<AmendmentStamp<'a>>,
    /// The structured document as sent, JSON as text.
    pub structured: &'a str,
    /// What the authority got, where the provider gave it.
    #[schema(required)]
    pub record: Option<AmendmentRecord<'a>>,
    /// What the authority held before; where the amendment was not accepted, what it holds.
    pub replaced: ReplacedBody<'a>,
    /// Who asked for it.
    #[schema(value_type = String, examples("gateway"))]
    pub actor: Actor,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub created_at: Timestamp,
    /// When it ended.
    #[schema(required, value_type = Option<String>, format = DateTime)]
    pub ended_at: Option<Timestamp>,
}

/// The accepted record that an amendment replaces.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = ReplacedRecord)]
pub struct ReplacedBody<'a> {
    /// The attempt that filed it.
    #[schema(value_type = Uuid)]
    pub job_id: ProviderJobId,
    /// The authority's proof.
    #[schema(value_type = Acceptance)]
    pub acceptance: &'a Acceptance,
    /// What provider and authority attached to it.
    pub stamps: Vec<AmendmentStamp<'a>>,
    /// The structured document as sent, JSON as text.
    pub structured: &'a str,
    /// What the authority got, where the provider gave it.
    #[schema(required)]
    pub record: Option<AmendmentRecord<'a>>,
}

/// A proof that provider or authority attached.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct AmendmentStamp<'a> {
    /// What it is: `verifactu-qr`.
    #[schema(examples("verifactu-hash"))]
    pub provider: &'a str,
    /// Its value.
    pub value: &'a str,
}

/// What went to the tax authority, byte for byte.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct AmendmentRecord<'a> {
    /// Of its text.
    #[schema(examples("application/xml"))]
    pub media_type: &'a str,
    /// The text.
    pub body: &'a str,
}

fn stamps(stamps: &[Stamp]) -> Vec<AmendmentStamp<'_>> {
    stamps.iter().map(|Stamp { provider, value }| AmendmentStamp { provider, value }).collect()
}

fn record(message: Option<&AuthorityMessage>) -> Option<AmendmentRecord<'_>> {
    message.map(|message| AmendmentRecord { media_type: &message.media_type, body: &message.body })
}

impl<'a> AmendmentBody<'a> {
    /// An amendment with what was sent to the authority.
    pub fn new(amendment: &'a Amendment, messages: &'a AmendmentMessages) -> Self {
        let ReplacedRecord { job, acceptance, stamps: replaced_stamps, structured, .. } = &amendment.replaced;
        let mut body = Self {
            id: amendment.id,
            document_id: amendment.document,
            ordinal: amendment.ordinal,
            state: amendment.progress.state(),
            number: &amendment.number,
            changes: &amendment.changes,
            entry_id: amendment.filing.entry,
            job_id: amendment.filing.job,
            problem: None,
            reason: None,
            faults: &[],
            acceptance: None,
            stamps: Vec::new(),
            structured: &amendment.filing.structured,
            record: record(messages.own.as_ref()),
            replaced: ReplacedBody {
                job_id: *job,
                acceptance,
                stamps: stamps(replaced_stamps),
                structured,
                record: record(messages.replaced.as_ref()),
            },
            actor: Actor(amendment.actor.clone()),
            created_at: amendment.created_at,
            ended_at: None,
        };
        match &amendment.progress {
            AmendmentProgress::Open(open) => body.problem = open.problem.as_deref(),
            AmendmentProgress::Accepted { acceptance, stamps: own, at } => {
                (body.acceptance, body.stamps, body.ended_at) = (Some(acceptance), stamps(own), Some(*at));
            }
            AmendmentProgress::Refused { reason, faults, at } => {
                (body.reason, body.faults, body.ended_at) = (Some(reason.as_str()), faults, Some(*at));
            }
            AmendmentProgress::Withdrawn { reason, at } => {
                (body.reason, body.ended_at) = (Some(reason.as_str()), Some(*at));
            }
        }
        body
    }
}
