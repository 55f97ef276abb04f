//! What a command is decided from: read with nothing held, and compared again where the plan is executed.

use crate::context::Context;
use gateway_domain::StoreError;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Credited, Invoice, TaxCheck};
use gateway_domain::money::Amount;
use gateway_domain::regime::{RegimeDescription, RegimeDocumentKind};
use gateway_domain_finance::{
    CommandForm, CommandRefused, Plan, Route, SentJob, Situation, Submission, decide, eligibility,
};
use gateway_storage::{Executor, Tx, credits, submissions, workspaces};
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
    pub(crate) refunded: Option<Vec<Amount>>,
    /// What the document was sent with under the number that the command names, none when it names none.
    pub(crate) sent: Option<Vec<SentJob>>,
    pub(crate) route: Route,
    pub(crate) is_blocked: bool,
    pub(crate) regime: Option<Arc<RegimeDescription>>,
    now: Timestamp,
    pub(crate) day: Date,
}

impl Facts {
    /// A document, and nothing else that is known of it.
    pub(crate) fn of(context: &Context, document: Invoice) -> Self {
        Self {
            document,
            submission: None,
            credit_notes: None,
            refunded: None,
            sent: None,
            route: Route::Standard,
            is_blocked: false,
            regime: None,
            now: context.now(),
            day: context.documents().issue_day(None, None).day(),
        }
    }

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

    /// Whether what finance itself keeps of a document is as it was read; the submission is held from here on where the
    /// command names a number, so that nothing is sent under the present one meanwhile.
    pub(crate) async fn is_unchanged(&self, tx: &mut Tx) -> Result<bool, StoreError> {
        let Self { document, submission, refunded: before, sent, .. } = self;
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
}

/// Which way a document goes, read within a transaction or not.
pub(crate) async fn route(
    context: &Context,
    on: impl Into<Executor<'_>>,
    document: &Invoice,
) -> Result<Route, StoreError> {
    let configured = workspaces::e_invoicing(on, document.workspace).await?;
    let taken = configured.map(|sealed| {
        let regime = context.converter(document.workspace).describe(&sealed.configuration.regime);
        regime.map_or_else(Vec::new, |(description, _)| description.kinds.clone())
    });
    let kind = RegimeDocumentKind::of(&document.content);
    Ok(eligibility(kind, taken.as_deref()))
}

/// What was returned of a document so far.
pub(crate) async fn refunded(
    on: impl Into<Executor<'_>>,
    document: &Invoice,
) -> Result<Vec<Amount>, StoreError> {
    let refunds = credits::refunds(on, document.id, document.workspace).await?;
    Ok(refunds.into_iter().map(|refund| refund.amount).collect())
}
