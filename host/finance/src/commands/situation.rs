//! What a command is decided from, read within its transaction, and the check of what it would issue.

use crate::Finance;
use crate::error::CommandError;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Credited, Invoice, InvoiceNumber, TaxCheck};
use gateway_domain::money::Amount;
use gateway_domain_finance::{CommandForm, NextStep, Plan, Route, SentJob, Situation, decide};
use gateway_storage::{Tx, attempts, credits, submissions, workspaces};

impl Finance {
    /// Decides a command about a document that the transaction holds, by its lock or by its turn.
    pub(crate) async fn decide(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: Invoice,
        credited: Vec<Credited>,
        form: CommandForm,
        expected_version: Option<i64>,
    ) -> Result<Plan, CommandError> {
        let id = document.id;
        let workspace =
            if form.compares_days() { workspaces::find(&mut *tx, document.workspace).await? } else { None };
        let refunded = match form {
            CommandForm::Refund { .. } => refunded(tx, &document).await?,
            _ => Vec::new(),
        };
        let regime = match form {
            CommandForm::Edit(_) => {
                let configured = workspaces::e_invoicing(&mut *tx, document.workspace).await?;
                let converter = self.converter(document.workspace);
                configured.and_then(|sealed| converter.describe(&sealed.configuration.regime))
            }
            _ => None,
        };
        // Held from here on: nothing is sent under the present number meanwhile.
        let submission = match form.number() {
            Some(_) => submissions::lock(tx, id, &acting.workspaces).await?,
            None => None,
        };
        let sent = match (form.number(), &submission) {
            (Some(number), Some(_)) => sent_under(tx, id, number).await?,
            _ => Vec::new(),
        };
        let situation = Situation {
            now: self.now(),
            day: self.documents().issue_day(form.at(), workspace.as_ref()).day(),
            taxes: regime.as_ref().map_or(TaxCheck::Syntax, |(description, _)| TaxCheck::Regime(description)),
            credited,
            refunded,
            sent,
            submission,
            new_document: InvoiceId(self.ids().next()),
            document,
        };
        Ok(decide(situation, form, expected_version)?)
    }

    /// What the tax authority would refuse of the document that a plan makes and issues.
    pub(crate) async fn check_plan(&self, plan: &Plan) -> Result<(), CommandError> {
        let (note, Some(NextStep::Issue { at })) = (&plan.result, plan.then) else { return Ok(()) };
        if self.route(self.db(), note).await? == Route::TaxAuthority {
            self.invoice_data().ensure_issuable(note, Route::TaxAuthority, at).await?;
            self.check(note, at).await?;
        }
        Ok(())
    }
}

async fn refunded(tx: &mut Tx, document: &Invoice) -> Result<Vec<Amount>, StoreError> {
    let refunds = credits::refunds(tx, document.id, document.workspace).await?;
    Ok(refunds.into_iter().map(|refund| refund.amount).collect())
}

/// The jobs that a document was sent with under a number.
async fn sent_under(tx: &mut Tx, id: InvoiceId, number: &InvoiceNumber) -> Result<Vec<SentJob>, StoreError> {
    let all = attempts::of_document(tx, id).await?.into_iter();
    let under = all.filter(|attempt| attempt.number.as_ref() == Some(number));
    let sent = under.map(|attempt| SentJob {
        job: attempt.job,
        authority_record: attempt.authority_record,
        acceptance: attempt.acceptance,
    });
    Ok(sent.collect())
}
