//! What a command is decided from: read with nothing held, and compared again where the plan is executed.

use crate::Finance;
use crate::error::CommandError;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Credited, Invoice, InvoiceNumber, TaxCheck};
use gateway_domain::money::Amount;
use gateway_domain::regime::{RegimeDescription, RegimeDocumentKind};
use gateway_domain_finance::{
    CommandForm, CommandRefused, Plan, Route, SentJob, Situation, Submission, decide, eligibility,
    ensure_taken,
};
use gateway_storage::{Executor, Tx, attempts, credits, submissions, workspaces};
use jiff::Timestamp;
use jiff::civil::Date;
use std::sync::Arc;

/// The credit notes of a document, drafts included.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct CreditNotes {
    /// All of them; at a remote service also one that was deleted there.
    pub(crate) notes: Vec<InvoiceId>,
    /// What those that can be read take of the document.
    pub(crate) credited: Vec<Credited>,
}

/// What a command is decided from. What its form does not ask about is none.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The document, as it was read.
    pub(crate) document: Invoice,
    /// Read before the document: one that another request moved meanwhile is seen issuing.
    pub(crate) submission: Option<Submission>,
    pub(crate) credit_notes: Option<CreditNotes>,
    /// What was returned of the document so far.
    refunded: Option<Vec<Amount>>,
    /// What the document was sent with under the number that the command names, none when it names none.
    sent: Option<Vec<SentJob>>,
    pub(crate) route: Route,
    is_blocked: bool,
    regime: Option<Arc<RegimeDescription>>,
    now: Timestamp,
    day: Date,
}

impl Facts {
    /// With the submission of the document, as it was read before.
    pub(crate) fn with_submission(self, submission: Submission) -> Self {
        Self { submission: Some(submission), ..self }
    }

    /// The plan of a command; `new_document` is the id of the document that it makes.
    pub(crate) fn decide(
        &self,
        form: CommandForm,
        expected_version: Option<i64>,
        new_document: InvoiceId,
    ) -> Result<Plan, CommandRefused> {
        let situation = Situation {
            document: self.document.clone(),
            now: self.now,
            day: self.day,
            taxes: self.regime.as_ref().map_or(TaxCheck::Syntax, |regime| TaxCheck::Regime(regime)),
            credited: self.credit_notes.as_ref().map_or_else(Vec::new, |notes| notes.credited.clone()),
            refunded: self.refunded.clone().unwrap_or_default(),
            sent: self.sent.clone().unwrap_or_default(),
            submission: self.submission.clone(),
            route: self.route,
            is_blocked: self.is_blocked,
            new_document,
        };
        decide(situation, form, expected_version)
    }
}

impl Finance {
    /// Reads what a command is decided from.
    pub(crate) async fn read(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: &CommandForm,
    ) -> Result<Facts, CommandError> {
        let is_issue = matches!(form, CommandForm::Issue { .. });
        let submission = if is_issue || form.number().is_some() {
            submissions::find(self.db(), id, &acting.workspaces).await?
        } else {
            None
        };
        let sent = match form.number() {
            Some(number) => Some(sent_under(self.db(), id, number).await?),
            None => None,
        };
        let document = self.find_visible(acting, id).await?;
        let mut facts = Facts { submission, sent, ..self.facts_of(document) };
        let document = &facts.document;
        if is_issue {
            facts.route = self.route(self.db(), document).await?;
            facts.is_blocked = self.invoice_data().correctives().is_blocked(self.db(), id).await?;
        }
        if matches!(form, CommandForm::Edit(_)) {
            let configured = workspaces::e_invoicing(self.db(), document.workspace).await?;
            let converter = self.converter(document.workspace);
            let described = configured.and_then(|sealed| converter.describe(&sealed.configuration.regime));
            facts.regime = described.map(|(description, _)| description);
        }
        if form.counts_credit_notes() {
            ensure_taken(document, form.command())?;
            facts.credit_notes = Some(self.invoice_data().credit_notes(acting, document).await?);
        }
        if matches!(form, CommandForm::Refund { .. }) {
            facts.refunded = Some(refunded(self.db(), &facts.document).await?);
        }
        if form.compares_days() {
            let workspace = workspaces::find(self.db(), facts.document.workspace).await?;
            facts.day = self.documents().issue_day(form.at(), workspace.as_ref()).day();
        }
        Ok(facts)
    }

    /// A document, and nothing else that is known of it.
    pub(crate) fn facts_of(&self, document: Invoice) -> Facts {
        Facts {
            document,
            submission: None,
            credit_notes: None,
            refunded: None,
            sent: None,
            route: Route::Standard,
            is_blocked: false,
            regime: None,
            now: self.now(),
            day: self.documents().issue_day(None, None).day(),
        }
    }

    /// Whether what finance itself keeps of a document is as it was read; the submission is held from here on where the
    /// command names a number, so that nothing is sent under the present one meanwhile.
    pub(crate) async fn is_unchanged(&self, tx: &mut Tx, facts: &Facts) -> Result<bool, StoreError> {
        let Facts { document, submission, refunded: before, sent, .. } = facts;
        if let Some(before) = before
            && refunded(&mut *tx, document).await? != *before
        {
            return Ok(false);
        }
        if sent.is_none() {
            return Ok(true);
        }
        let held = submissions::lock(tx, document.id, &Workspaces::All).await?;
        let version = |found: &Option<Submission>| found.as_ref().map(|found| found.version);
        Ok(version(&held) == version(submission))
    }

    /// Which way a document goes, read within a transaction or not.
    pub(crate) async fn route(
        &self,
        on: impl Into<Executor<'_>>,
        document: &Invoice,
    ) -> Result<Route, StoreError> {
        let configured = workspaces::e_invoicing(on, document.workspace).await?;
        let taken = configured.map(|sealed| {
            let regime = self.converter(document.workspace).describe(&sealed.configuration.regime);
            regime.map_or_else(Vec::new, |(description, _)| description.kinds.clone())
        });
        let kind = RegimeDocumentKind::of(&document.content);
        Ok(eligibility(kind, taken.as_deref()))
    }

    /// The document of a command.
    ///
    /// # Errors
    /// [`CommandError::Gone`] also for one that the caller may not see.
    pub(crate) async fn find_visible(&self, acting: &Acting, id: InvoiceId) -> Result<Invoice, CommandError> {
        self.invoice(acting, id).await?.ok_or(CommandError::Gone)
    }
}

async fn refunded(on: impl Into<Executor<'_>>, document: &Invoice) -> Result<Vec<Amount>, StoreError> {
    let refunds = credits::refunds(on, document.id, document.workspace).await?;
    Ok(refunds.into_iter().map(|refund| refund.amount).collect())
}

/// The jobs that a document was sent with under a number.
async fn sent_under(
    on: impl Into<Executor<'_>>,
    id: InvoiceId,
    number: &InvoiceNumber,
) -> Result<Vec<SentJob>, StoreError> {
    let all = attempts::of_document(on, id).await?.into_iter();
    let under = all.filter(|attempt| attempt.number.as_ref() == Some(number));
    let sent = under.map(|attempt| SentJob {
        job: attempt.job,
        authority_record: attempt.authority_record,
        acceptance: attempt.acceptance,
    });
    Ok(sent.collect())
}
