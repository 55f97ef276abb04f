//! Asking for an amendment, giving it up, and showing what became of those of a document.

use crate::Amendments;
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::ids::{AmendmentId, InvoiceId, NotVersion7, ProviderJobId};
use gateway_domain::invoicing::{Content, Invoice, Totals};
use gateway_domain::ports::{Converter, ConverterError, PluginOutput, ServedDocument};
use gateway_domain::regime::{RegimeAmendment, RegimeContext, RegimeKey, StructuredDocument};
use gateway_domain::{FieldError, StoreError};
use gateway_domain_amendment::{
    Amendment, AmendmentFacts, AmendmentFiling, AmendmentMessages, AmendmentProgress, AmendmentRefused,
    AmendmentStage, AmendmentTarget, OpenAmendment, RefusedPath, ReplacedRecord, decide_amendment, merged,
};
use gateway_domain_finance::{Submission, sound};
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use gateway_finance::{CommandError, Execution};
use gateway_storage::{amendments, messages, submissions, workspaces};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Why an amendment was not taken. Nothing changed.
#[derive(Debug, thiserror::Error)]
pub enum AmendError {
    /// The document is not amended like this.
    #[error(transparent)]
    Refused(#[from] AmendmentRefused),
    /// No amendment of it waits for somebody.
    #[error("no amendment of the document waits for somebody: there is none, or the tax authority has it")]
    NotWaiting,
    /// Identifiers are made that the provider does not take.
    #[error(transparent)]
    Ids(#[from] NotVersion7),
    /// As for every other command.
    #[error(transparent)]
    Command(#[from] CommandError),
}

impl AmendError {
    /// Whether the command may be carried out all the same, or is by a repetition.
    pub const fn leaves_it_open(&self) -> bool {
        match self {
            Self::Refused(_) | Self::NotWaiting | Self::Ids(_) => false,
            Self::Command(error) => error.leaves_it_open(),
        }
    }
}

impl From<StoreError> for AmendError {
    fn from(error: StoreError) -> Self {
        Self::Command(error.into())
    }
}

/// An amendment with what was sent to the authority.
#[derive(Debug, Clone, PartialEq)]
pub struct AmendmentView {
    pub amendment: Amendment,
    pub messages: AmendmentMessages,
}

/// What a command did, or would do.
#[derive(Debug, Clone, PartialEq)]
pub enum Amended {
    /// It is on its way.
    Begun(Box<AmendmentView>),
    /// It would be; these members would change.
    Trial(Vec<String>),
}

/// What an amendment is decided from, as it was read.
struct Read {
    document: Invoice,
    amended: (Content, Totals),
    submission: Option<Submission>,
    regime: Option<RegimeKey>,
    converter: Arc<dyn Converter>,
    under_way: Option<Amendment>,
    /// Of all before.
    count: usize,
}

impl Amendments {
    /// Amends an issued document: `changes` are its members as they are to be (RFC 7396). The same again while it is under way is
    /// answered with the one that is. A dry run says what would change.
    pub async fn amend(
        &self,
        acting: &Acting,
        id: InvoiceId,
        changes: &Map<String, Value>,
        expected_version: Option<i64>,
        execution: Execution,
    ) -> Result<Amended, AmendError> {
        let read = self.read(acting, id, changes).await?;
        let current = read.document.version;
        if expected_version.is_some_and(|expected| expected != current) {
            return Err(CommandError::Stale { current }.into());
        }
        if let Some(same) = read.under_way.as_ref().filter(|one| one.content == read.amended.0) {
            return self.begun(same.clone()).await;
        }
        let amendable = read.regime.as_ref().and_then(|key| read.converter.amendable(key));
        let target = decide_amendment(AmendmentFacts {
            document: &read.document,
            amended: (&read.amended.0, &read.amended.1),
            amendable: amendable.as_deref(),
            submission: read.submission.as_ref(),
            is_under_way: read.under_way.is_some(),
        })?;
        let submission = read.submission.clone().ok_or(AmendmentRefused::NoRecord)?;
        let made = self.converted(&read, &submission).await?;
        if execution == Execution::DryRun {
            return Ok(Amended::Trial(target.changes));
        }
        let amendment = self.amendment(acting, &read, target, &submission, made)?;
        self.begin(acting, &read.document, &submission, &amendment).await?;
        self.begun(amendment).await
    }

    /// Gives the amendment up that waits for somebody: the record that it was to replace counts.
    pub async fn withdraw(&self, acting: &Acting, id: InvoiceId) -> Result<AmendmentView, AmendError> {
        let document = self.found(acting, id).await?;
        let open = amendments::open(&self.0.db, id).await?;
        let withdrawn = open.and_then(|open| open.withdrawn(self.now())).ok_or(AmendError::NotWaiting)?;
        self.end_withdrawn(acting, &document, &withdrawn).await?;
        Ok(self.viewed(withdrawn).await?)
    }

    /// The amendments of a document in their order, with every attempt's payloads and stamps; none of a document that the caller
    /// does not see.
    pub async fn of_document(
        &self,
        acting: &Acting,
        id: InvoiceId,
    ) -> Result<Option<Vec<AmendmentView>>, AmendError> {
        if self.0.finance.invoice(acting, id).await.map_err(CommandError::from)?.is_none() {
            return Ok(None);
        }
        let mut views = Vec::new();
        for amendment in amendments::of_document(&self.0.db, id).await? {
            views.push(self.viewed(amendment).await?);
        }
        Ok(Some(views))
    }

    async fn begun(&self, amendment: Amendment) -> Result<Amended, AmendError> {
        Ok(Amended::Begun(Box::new(self.viewed(amendment).await?)))
    }

    async fn viewed(&self, amendment: Amendment) -> Result<AmendmentView, StoreError> {
        let messages = AmendmentMessages {
            own: messages::find(&self.0.db, amendment.filing.job).await?,
            replaced: messages::find(&self.0.db, amendment.replaced.job).await?,
        };
        Ok(AmendmentView { amendment, messages })
    }

    async fn found(&self, acting: &Acting, id: InvoiceId) -> Result<Invoice, AmendError> {
        let found = self.0.finance.invoice(acting, id).await.map_err(CommandError::from)?;
        Ok(found.ok_or(CommandError::Gone)?)
    }

    /// The submission is read before the document, and both are compared again under lock.
    async fn read(
        &self,
        acting: &Acting,
        id: InvoiceId,
        changes: &Map<String, Value>,
    ) -> Result<Read, AmendError> {
        let db = &self.0.db;
        let submission = submissions::find(db, id, &acting.workspaces).await?;
        let document = self.found(acting, id).await?;
        if self.0.is_remote {
            return Err(AmendmentRefused::KeptElsewhere.into());
        }
        if changes.contains_key("workspace_id") {
            return Err(AmendmentRefused::Paths(vec![RefusedPath::at("/workspace_id")]).into());
        }
        let configured = workspaces::e_invoicing(db, document.workspace).await?;
        let regime = configured.map(|sealed| sealed.configuration.regime);
        let served = ServedDocument { workspace: document.workspace, id, converted_by: None };
        let content = amended_content(&document, changes)?;
        let totals = Totals::rounded(&content, document.totals.rounding)
            .map_err(|error| CommandError::Invalid(vec![error.into()]))?;
        let all = amendments::of_document(db, id).await?;
        Ok(Read {
            document,
            amended: (content, totals),
            submission,
            regime,
            converter: Arc::clone(&self.0.regimes).for_document(served),
            count: all.len(),
            under_way: all.into_iter().find(|one| one.open().is_some()),
        })
    }

    /// What is filed, as the plugin makes it; what the authority would refuse is refused here.
    async fn converted(
        &self,
        read: &Read,
        submission: &Submission,
    ) -> Result<PluginOutput<StructuredDocument>, AmendError> {
        let (key, amendment, context) = self.for_regime(read, submission).await?;
        let made = match read.converter.convert_amendment(&key, &amendment, &context).await {
            Ok(made) => made,
            Err(ConverterError::Faults(faults)) => return Err(CommandError::Preflight(faults).into()),
            Err(ConverterError::Broken(fault)) => return Err(CommandError::PluginBroken(fault).into()),
            Err(error @ (ConverterError::UnknownRegime(_) | ConverterError::Busy)) => {
                return Err(CommandError::Converter(error).into());
            }
        };
        sound(&read.amended.1, &made.value).map_err(|fault: Fault| CommandError::PluginBroken(fault))?;
        Ok(made)
    }

    async fn for_regime(
        &self,
        read: &Read,
        submission: &Submission,
    ) -> Result<(RegimeKey, RegimeAmendment, RegimeContext), AmendError> {
        let number = submission.number().ok_or(AmendmentRefused::NoRecord)?;
        let amended = Invoice {
            content: read.amended.0.clone(),
            totals: read.amended.1.clone(),
            ..read.document.clone()
        };
        let mut both = Vec::new();
        for document in [&read.document, &amended] {
            let made = self.0.finance.regime_input(document, number.clone()).await;
            let made = made.map_err(CommandError::from)?;
            both.push(made.ok_or(AmendmentRefused::NotOffered)?);
        }
        let ((key, amended, context), (_, accepted, _)) =
            both.pop().zip(both.pop()).ok_or(AmendmentRefused::NotOffered)?;
        Ok((key, RegimeAmendment { accepted, amended }, context))
    }

    fn amendment(
        &self,
        acting: &Acting,
        read: &Read,
        target: AmendmentTarget,
        submission: &Submission,
        made: PluginOutput<StructuredDocument>,
    ) -> Result<Amendment, AmendError> {
        let (ids, now) = (&self.0.ids, self.now());
        let AmendmentTarget { changes, number, acceptance, job, entry, structured } = target;
        let replaced = ReplacedRecord {
            job,
            content: read.document.content.clone(),
            acceptance,
            stamps: submission.stamps.clone(),
            structured,
        };
        let filing = AmendmentFiling {
            job: ProviderJobId::try_from(ids.next())?,
            entry,
            plugin: made.plugin,
            structured: made.value.body,
            digest: None,
        };
        Ok(Amendment {
            id: AmendmentId(ids.next()),
            document: read.document.id,
            workspace: read.document.workspace,
            ordinal: i64::try_from(read.count).unwrap_or(i64::MAX).saturating_add(1),
            number,
            changes,
            content: read.amended.0.clone(),
            replaced,
            filing,
            progress: AmendmentProgress::Open(OpenAmendment::at(AmendmentStage::Uploading)),
            actor: acting.actor.0.clone(),
            version: 1,
            created_at: now,
            updated_at: now,
        })
    }
}

/// What a document is to become.
fn amended_content(document: &Invoice, changes: &Map<String, Value>) -> Result<Content, AmendError> {
    let members = StoreError::json_value(&document.content)?;
    let mut members = merged(members, changes);
    if let Some(members) = members.as_object_mut() {
        members.insert("workspace_id".to_owned(), document.workspace.0.into());
    }
    let read = gateway_domain_input::read::<DocumentForm>(&members);
    let checked = read.and_then(|form| form.check(TaxCheck::Syntax));
    Ok(checked.map_err(|mistakes: Vec<FieldError>| CommandError::Invalid(mistakes))?)
}
