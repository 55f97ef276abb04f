//! Verdicts about an earlier number of a document: what settles the alert that the authority accepted it after all.

use super::verdict::{AcceptanceForm, Proof};
use super::{CommandError, Outcome};
use crate::Gateway;
use crate::invoice_data::Earlier;
use gateway_domain::access::Acting;
use gateway_domain::finance::{AlertCode, AuthorityRecord, FinanceEvent, Refusal, Stage, Submission};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Acceptance, FieldError, Invoice, InvoiceNumber, Status};
use gateway_invoicing::FollowUps as _;
use gateway_storage::attempts::{self, Attempt};
use gateway_storage::{StoreError, Tx, submissions};

impl Gateway {
    /// MarkAsAcceptedByTaxAuthority about an earlier number: the document is issued under it, with the content that was sent
    /// then. Refused while its present number may be at the authority.
    pub(super) async fn accept_earlier_command(
        &self,
        acting: &Acting,
        document: Invoice,
        number: InvoiceNumber,
        form: AcceptanceForm,
    ) -> Result<Outcome, CommandError> {
        match document.state.status() {
            Status::Draft => return Err(CommandError::Refused(Refusal::NotIssuing)),
            Status::Issued => return Err(CommandError::Refused(Refusal::AlreadyIssued)),
            Status::Issuing | Status::Rejected => {}
        }
        let attempts = self.attempts_under(acting, &document, &number).await?;
        self.nothing_at_the_authority(acting, &document).await?;
        let acceptance = self.proof_of(form, &attempts)?;
        if let Some(service) = self.elsewhere() {
            if !acting.trial {
                let mut tx = self.db().begin().await?;
                record(&mut tx, &attempts, AuthorityRecord::Accepted, Some(&acceptance)).await?;
                tx.commit().await?;
            }
            let earlier = Earlier { number, acceptance };
            let outcome = self.accept_earlier_elsewhere(service, acting, document, earlier).await?;
            if !acting.trial {
                let mut tx = self.db().begin().await?;
                self.settle_alert(&mut tx, acting, outcome.document.id).await?;
                tx.commit().await?;
            }
            return Ok(outcome);
        }
        let id = document.id;
        let mut tx = self.db().begin().await?;
        // Held from here on: nothing is sent under the present number meanwhile.
        let held = submissions::lock(&mut tx, id, &acting.workspaces).await?;
        ensure_not_at_authority(held.as_ref())?;
        record(&mut tx, &attempts, AuthorityRecord::Accepted, Some(&acceptance)).await?;
        let issued = self.documents().issue_earlier_in(&mut tx, acting, id, &number, acceptance).await?;
        let before = self.told_so_far(&mut tx, id).await?;
        let events = [FinanceEvent::AcceptedByTaxAuthority, FinanceEvent::Issued];
        self.supersede(&mut tx, acting, &document, &issued, &events).await?;
        self.settle_alert(&mut tx, acting, id).await?;
        self.after_issue(&mut tx, &issued).await?;
        let outcome = self.outcome_in(&mut tx, acting, issued, id, before).await?;
        self.end(tx, acting).await?;
        Ok(outcome)
    }

    /// MarkAsRejectedByTaxAuthority about an earlier number: the authority holds nothing under it, so the document may go
    /// out under another.
    pub(super) async fn refute_earlier_command(
        &self,
        acting: &Acting,
        document: Invoice,
        number: InvoiceNumber,
    ) -> Result<Outcome, CommandError> {
        let attempts = self.attempts_under(acting, &document, &number).await?;
        let is_issued = document.state.status() == Status::Issued;
        if is_issued && document.state.number() == Some(&number) {
            return Err(CommandError::Refused(Refusal::AlreadyIssued));
        }
        self.ensure_refutable(acting, &document, &attempts).await?;
        let mut tx = self.db().begin().await?;
        self.once(&mut tx, acting).await?;
        record(&mut tx, &attempts, AuthorityRecord::Nothing, None).await?;
        self.settle_alert(&mut tx, acting, document.id).await?;
        self.end(tx, acting).await?;
        self.wake();
        Ok(Outcome { document, events: Vec::new(), warnings: Vec::new() })
    }

    /// Nobody asks to forget what the provider shows as accepted, or what it still works on. Said again, it is no news.
    async fn ensure_refutable(
        &self,
        acting: &Acting,
        document: &Invoice,
        attempts: &[Attempt],
    ) -> Result<(), CommandError> {
        if attempts.iter().all(|attempt| attempt.authority_record == Some(AuthorityRecord::Nothing)) {
            return Ok(());
        }
        let proven = attempts.iter().any(|attempt| attempt.acceptance.is_some());
        if proven && document.state.status() != Status::Issued {
            let message = "was accepted by the tax authority, as the provider shows: settle it with \
                           mark_as_accepted_by_tax_authority";
            return Err(CommandError::Rule("acceptedAfterAll", FieldError::new("number", message)));
        }
        let submission = submissions::find(self.db(), document.id, &acting.workspaces).await?;
        if submission.as_ref().is_some_and(is_after_all) {
            return Ok(());
        }
        let message = "waits for nobody's word: it is settled where the alert acceptedAfterAll asks for it";
        Err(CommandError::Rule("earlierAttemptOpen", FieldError::new("number", message)))
    }

    /// The attempts of a document under a number; at least one.
    async fn attempts_under(
        &self,
        acting: &Acting,
        document: &Invoice,
        number: &InvoiceNumber,
    ) -> Result<Vec<Attempt>, CommandError> {
        let known = submissions::find(self.db(), document.id, &acting.workspaces).await?.is_some();
        let all = if known { attempts::of_document(self.db(), document.id).await? } else { Vec::new() };
        let under: Vec<_> =
            all.into_iter().filter(|attempt| attempt.number.as_ref() == Some(number)).collect();
        if under.is_empty() {
            let message =
                "is no number that the document was sent under: GET its submission lists the attempts";
            return Err(CommandError::Rule("invoiceNumberUnknown", FieldError::new("number", message)));
        }
        Ok(under)
    }

    /// Refused while the authority may be asked about the present number of the document.
    async fn nothing_at_the_authority(
        &self,
        acting: &Acting,
        document: &Invoice,
    ) -> Result<(), CommandError> {
        let submission = submissions::find(self.db(), document.id, &acting.workspaces).await?;
        ensure_not_at_authority(submission.as_ref())
    }

    /// The proof as it was given, or else as the provider showed it.
    fn proof_of(&self, form: AcceptanceForm, attempts: &[Attempt]) -> Result<Acceptance, CommandError> {
        let shown = attempts.iter().find_map(|attempt| attempt.acceptance.clone());
        match (shown, &form.qr_url, &form.tax_system_hash) {
            (Some(shown), Proof::Unsaid, Proof::Unsaid) => Ok(shown),
            _ => form.acceptance(self.now()),
        }
    }

    /// Takes the alert back that an earlier number is in the authority's books, and lets the submission go on.
    async fn settle_alert(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: InvoiceId,
    ) -> Result<(), StoreError> {
        let found = submissions::lock(tx, document, &acting.workspaces).await?;
        let Some(found) = found.filter(is_after_all) else { return Ok(()) };
        let open = !found.stage.ended();
        let settled = Submission { alert: None, updated_at: self.now(), ..found };
        if !submissions::update(tx, &settled).await? {
            return Err(StoreError::Moved { table: "submission" });
        }
        if open { self.schedule(tx, document, self.now()).await } else { Ok(()) }
    }
}

fn ensure_not_at_authority(submission: Option<&Submission>) -> Result<(), CommandError> {
    match submission.map(|submission| submission.stage) {
        Some(Stage::Starting | Stage::Waiting | Stage::Settling) => {
            Err(CommandError::Refused(Refusal::LockedWhileIssuing))
        }
        Some(
            Stage::Requested
            | Stage::Converting
            | Stage::Uploading
            | Stage::Accepted
            | Stage::Rejected
            | Stage::Superseded
            | Stage::Withdrawn,
        )
        | None => Ok(()),
    }
}

fn is_after_all(submission: &Submission) -> bool {
    submission.alert.as_ref().is_some_and(|alert| alert.code == AlertCode::AcceptedAfterAll)
}

async fn record(
    tx: &mut Tx,
    attempts: &[Attempt],
    held: AuthorityRecord,
    acceptance: Option<&Acceptance>,
) -> Result<(), StoreError> {
    for attempt in attempts {
        attempts::record(tx, attempt.job, held, acceptance).await?;
    }
    Ok(())
}
