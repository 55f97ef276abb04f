//! The commands `amend` and `withdraw-amendment`, and what became of amendments: read, decide, check, execute, record, answer, as
//! every command of finance.

use crate::Amendments;
use crate::record::{Begin, Withdraw};
use gateway_domain::access::Acting;
use gateway_domain::ids::{AmendmentId, InvoiceId, ProviderJobId};
use gateway_domain::invoicing::{Content, Invoice, State, Totals};
use gateway_domain::ports::{Converter, ConverterError, PluginOutput, ServedDocument};
use gateway_domain::regime::{
    AmendDescription, RegimeAmendment, RegimeContext, RegimeKey, StructuredDocument,
};
use gateway_domain::{FieldError, StoreError};
use gateway_domain_amendment::{
    Amendment, AmendmentFacts, AmendmentFiling, AmendmentMessages, AmendmentProgress, AmendmentRefused,
    AmendmentStage, AmendmentTarget, DemandedAmendment, OpenAmendment, RefusedPath, ReplacedRecord,
    changed_members, decide_amendment, decide_withdrawal, demanded_amendments, merged,
};
use gateway_domain_finance::{Command, Submission, ensure_taken, sound};
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use gateway_finance::{CommandError, Execution, RecordUnderLock};
use gateway_storage::{amendments, messages, submissions, workspaces};
use serde_json::{Map, Value};
use std::sync::Arc;

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
struct Facts {
    document: Invoice,
    amended: (Content, Totals),
    changes: Vec<String>,
    submission: Option<Submission>,
    converter: Arc<dyn Converter>,
    amendable: Option<Arc<AmendDescription>>,
    under_way: Option<Amendment>,
    /// Of all before.
    count: usize,
}

impl Amendments {
    /// Amends an issued document: `changes` are its members as they are to be (RFC 7396), or the mistakes in them, which are told
    /// after what the document's state refuses. The same again while it is under way is answered with the one that is. A dry run says
    /// what would change.
    ///
    /// # Errors
    /// As every command of finance; [`CommandError::Amendment`] with how the document is corrected instead.
    pub async fn amend(
        &self,
        acting: &Acting,
        id: InvoiceId,
        changes: &Result<Map<String, Value>, Vec<FieldError>>,
        expected_version: Option<i64>,
        execution: Execution,
    ) -> Result<Amended, CommandError> {
        let changes = match changes {
            Ok(changes) => changes,
            Err(mistakes) => {
                let mistakes = mistakes.clone();
                return Err(self.0.finance.state_or_mistakes(acting, id, Command::Amend, mistakes).await);
            }
        };
        let mut tries = self.0.finance.tries(id, expected_version.is_none());
        loop {
            let done = self.try_to_amend(acting, id, changes, expected_version, execution).await;
            if !tries.is_another_due(&done).await? {
                return done;
            }
        }
    }

    async fn try_to_amend(
        &self,
        acting: &Acting,
        id: InvoiceId,
        changes: &Map<String, Value>,
        expected_version: Option<i64>,
        execution: Execution,
    ) -> Result<Amended, CommandError> {
        let facts = self.read(acting, id, changes, expected_version).await?;
        if let Some(same) = facts.under_way.as_ref().filter(|one| one.content == facts.amended.0) {
            return match execution {
                Execution::Commit => self.begun(same.clone()).await,
                Execution::DryRun => Ok(Amended::Trial(same.changes.clone())),
            };
        }
        let target = decide_amendment(AmendmentFacts {
            document: &facts.document,
            totals: &facts.amended.1,
            changes: &facts.changes,
            amendable: facts.amendable.as_deref(),
            submission: facts.submission.as_ref(),
            is_under_way: facts.under_way.is_some(),
        })?;
        let submission = facts.submission.as_ref().ok_or(AmendmentRefused::NoRecord)?;
        let made = self.check(&facts, submission).await?;
        let amendment = self.amendment(acting, &facts, target, submission, made)?;
        let begin = Begin { amendments: self, acting, submission, amendment: &amendment };
        self.execute(acting, &facts.document, &begin, execution).await?;
        match execution {
            Execution::Commit => self.begun(amendment).await,
            Execution::DryRun => Ok(Amended::Trial(amendment.changes)),
        }
    }

    /// Gives the amendment up that waits for somebody: the record that it was to replace counts.
    ///
    /// # Errors
    /// As every command of finance; [`AmendmentRefused::NotWaiting`] where nothing waits.
    pub async fn withdraw(&self, acting: &Acting, id: InvoiceId) -> Result<AmendmentView, CommandError> {
        let mut tries = self.0.finance.tries(id, false);
        loop {
            let done = self.try_to_withdraw(acting, id).await;
            if !tries.is_another_due(&done).await? {
                return done;
            }
        }
    }

    async fn try_to_withdraw(&self, acting: &Acting, id: InvoiceId) -> Result<AmendmentView, CommandError> {
        let document = self.0.finance.find_visible(acting, id).await?;
        let open = amendments::open(&self.0.db, id).await?;
        let withdrawn = decide_withdrawal(&document, open, self.now())?;
        let record = Withdraw { amendments: self, acting, withdrawn: &withdrawn };
        self.execute(acting, &document, &record, Execution::Commit).await?;
        Ok(self.viewed(withdrawn).await?)
    }

    /// # Errors
    /// [`AmendmentRefused::RemoteDocument`] where nobody can hold the document.
    async fn execute(
        &self,
        acting: &Acting,
        document: &Invoice,
        record: &dyn RecordUnderLock,
        execution: Execution,
    ) -> Result<(), CommandError> {
        let is_executed = self.0.finance.record_under_lock(acting, document, record, execution).await?;
        if is_executed { Ok(()) } else { Err(AmendmentRefused::RemoteDocument.into()) }
    }

    /// The amendments of a document in their order, with every attempt's payloads and stamps.
    ///
    /// # Errors
    /// [`CommandError::Gone`] also of a document that the caller may not see.
    pub async fn of_document(
        &self,
        acting: &Acting,
        id: InvoiceId,
    ) -> Result<Vec<AmendmentView>, CommandError> {
        self.0.finance.find_visible(acting, id).await?;
        let mut views = Vec::new();
        for amendment in amendments::of_document(&self.0.db, id).await? {
            views.push(self.viewed(amendment).await?);
        }
        Ok(views)
    }

    /// What the remarks demand that an issued document was accepted with; nothing of another document, or where its plugin does not
    /// say.
    ///
    /// # Errors
    /// [`CommandError::Gone`] also of a document that the caller may not see.
    pub async fn demanded(
        &self,
        acting: &Acting,
        id: InvoiceId,
    ) -> Result<Vec<DemandedAmendment>, CommandError> {
        let document = self.0.finance.find_visible(acting, id).await?;
        let State::Issued { at, acceptance: Some(acceptance), .. } = &document.state else {
            return Ok(Vec::new());
        };
        if acceptance.warnings.is_empty() {
            return Ok(Vec::new());
        }
        let db = &self.0.db;
        let configured = workspaces::e_invoicing(db, document.workspace).await?;
        let workspace = workspaces::find(db, document.workspace).await?;
        let Some((sealed, workspace)) = configured.zip(workspace) else { return Ok(Vec::new()) };
        let served = ServedDocument { workspace: document.workspace, id, converted_by: None };
        let converter = Arc::clone(&self.0.regimes).for_document(served);
        let description = converter.amendable(&sealed.configuration.regime);
        let accepted_on = at.to_zoned(workspace.time_zone.clone()).date();
        Ok(description
            .map(|description| demanded_amendments(acceptance, &description, accepted_on))
            .unwrap_or_default())
    }

    async fn begun(&self, amendment: Amendment) -> Result<Amended, CommandError> {
        Ok(Amended::Begun(Box::new(self.viewed(amendment).await?)))
    }

    async fn viewed(&self, amendment: Amendment) -> Result<AmendmentView, StoreError> {
        let messages = AmendmentMessages {
            own: messages::find(&self.0.db, amendment.filing.job).await?,
            replaced: messages::find(&self.0.db, amendment.replaced.job).await?,
        };
        Ok(AmendmentView { amendment, messages })
    }

    /// The submission is read before the document, and both are compared again under lock.
    async fn read(
        &self,
        acting: &Acting,
        id: InvoiceId,
        changes: &Map<String, Value>,
        expected_version: Option<i64>,
    ) -> Result<Facts, CommandError> {
        let db = &self.0.db;
        let submission = submissions::find(db, id, &acting.workspaces).await?;
        let document = self.0.finance.find_visible(acting, id).await?;
        if expected_version.is_some_and(|expected| expected != document.version) {
            return Err(CommandError::Stale { current: document.version });
        }
        ensure_taken(&document, Command::Amend)?;
        if changes.contains_key("workspace_id") {
            return Err(AmendmentRefused::Paths(vec![RefusedPath::at("/workspace_id")]).into());
        }
        let content = amended_content(&document, changes)?;
        let totals = Totals::rounded(&content, document.totals.rounding)
            .map_err(|error| CommandError::Invalid(vec![error.into()]))?;
        let configured = workspaces::e_invoicing(db, document.workspace).await?;
        let served = ServedDocument { workspace: document.workspace, id, converted_by: None };
        let converter = Arc::clone(&self.0.regimes).for_document(served);
        let amendable = configured.and_then(|sealed| converter.amendable(&sealed.configuration.regime));
        let all = amendments::of_document(db, id).await?;
        Ok(Facts {
            changes: changed_members(&document.content, &content)?,
            document,
            amended: (content, totals),
            submission,
            converter,
            amendable,
            count: all.len(),
            under_way: all.into_iter().find(|one| one.open().is_some()),
        })
    }

    /// What is filed, as the plugin makes it; what the authority would refuse is refused here.
    async fn check(
        &self,
        facts: &Facts,
        submission: &Submission,
    ) -> Result<PluginOutput<StructuredDocument>, CommandError> {
        let (key, amendment, context) = self.for_regime(facts, submission).await?;
        let made = match facts.converter.convert_amendment(&key, &amendment, &context).await {
            Ok(made) => made,
            Err(ConverterError::Faults(faults)) => return Err(AmendmentRefused::Faults(faults).into()),
            Err(ConverterError::Broken(fault)) => return Err(CommandError::PluginBroken(fault)),
            Err(error @ (ConverterError::UnknownRegime(_) | ConverterError::Busy)) => {
                return Err(CommandError::Converter(error));
            }
        };
        sound(&facts.amended.1, &made.value).map_err(CommandError::PluginBroken)?;
        Ok(made)
    }

    async fn for_regime(
        &self,
        facts: &Facts,
        submission: &Submission,
    ) -> Result<(RegimeKey, RegimeAmendment, RegimeContext), CommandError> {
        let number = submission.number().ok_or(AmendmentRefused::NoRecord)?;
        let amended = Invoice {
            content: facts.amended.0.clone(),
            totals: facts.amended.1.clone(),
            ..facts.document.clone()
        };
        let mut both = Vec::new();
        for document in [&facts.document, &amended] {
            let made = self.0.finance.regime_input(document, Some(number.clone())).await?;
            both.push(made.ok_or(AmendmentRefused::NotOffered)?);
        }
        let ((key, amended, context), (_, accepted, _)) =
            both.pop().zip(both.pop()).ok_or(AmendmentRefused::NotOffered)?;
        Ok((key, RegimeAmendment { accepted, amended }, context))
    }

    fn amendment(
        &self,
        acting: &Acting,
        facts: &Facts,
        target: AmendmentTarget,
        submission: &Submission,
        made: PluginOutput<StructuredDocument>,
    ) -> Result<Amendment, CommandError> {
        let (ids, now) = (&self.0.ids, self.now());
        let AmendmentTarget { changes, number, acceptance, job, entry, structured } = target;
        let replaced = ReplacedRecord {
            job,
            content: facts.document.content.clone(),
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
            document: facts.document.id,
            workspace: facts.document.workspace,
            ordinal: i64::try_from(facts.count).unwrap_or(i64::MAX).saturating_add(1),
            number,
            changes,
            content: facts.amended.0.clone(),
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
fn amended_content(document: &Invoice, changes: &Map<String, Value>) -> Result<Content, CommandError> {
    let members = StoreError::json_value(&document.content)?;
    let mut members = merged(members, changes);
    if let Some(members) = members.as_object_mut() {
        members.insert("workspace_id".to_owned(), document.workspace.0.into());
    }
    let read = gateway_domain_input::read::<DocumentForm>(&members);
    let checked = read.and_then(|form| form.check(TaxCheck::Syntax));
    checked.map_err(CommandError::Invalid)
}
