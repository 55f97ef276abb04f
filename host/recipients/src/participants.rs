//! Recipients looked up in the delivery network: the address is the one that the document's own tax regime writes, and what was
//! answered is kept with the document.

use crate::Recipients;
use crate::job::LookUpParticipantAgain;
use gateway_domain::StoreError;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain::ports::{ConverterError, Regimes, ServedDocument};
use gateway_domain::regime::{RegimeContext, RegimeDocumentKind, RegimeInvoice, RegimeKey};
use gateway_domain_recipients::next_check_s;
use gateway_domain_recipients::participant::{
    DocumentType, LookupDoubt, Participant, ParticipantAnswer, ParticipantCheck, recipient_address,
};
use gateway_domain_recipients::ports::ParticipantDirectory;
use gateway_jobs::{Job, Outcome as JobOutcome};
use gateway_storage::{participant_checks, workspaces};
use jiff::SignedDuration;
use std::sync::Arc;

/// The number under which a document is converted to learn its address. That document goes nowhere.
const NUMBER: &str = "1";

/// Whom participants are looked up with, and of which documents.
#[derive(Debug, Clone)]
pub struct Network {
    /// Knows what participants receive.
    pub directory: Arc<dyn ParticipantDirectory>,
    /// Tell where documents go.
    pub regimes: Arc<dyn Regimes>,
    /// The regimes whose documents go there.
    pub keys: Vec<RegimeKey>,
}

/// Where a document goes.
enum Destination {
    /// To this one, as this.
    Participant(Participant, DocumentType),
    /// Another way, or nowhere yet.
    Nobody,
    /// Its plugin gave no answer.
    Unknown,
}

impl Recipients {
    /// What is known of a participant, for each type of documents: what was answered not long ago, else what the network answers now, else
    /// the answer there is, however old, with the doubt. None: nobody may be asked.
    ///
    /// # Errors
    /// The database.
    pub async fn participant(
        &self,
        participant: &Participant,
    ) -> Result<Option<Vec<(ParticipantCheck, Option<LookupDoubt>)>>, StoreError> {
        let Some(network) = self.network() else { return Ok(None) };
        let mut found = Vec::new();
        for &document_type in DocumentType::ALL {
            let check = self.look_participant_up(network, participant, document_type).await?;
            let Some(doubt) = check.doubt else {
                found.push((check, None));
                continue;
            };
            let kept = participant_checks::answer(self.db(), participant, document_type).await?;
            let check = kept.as_ref().map_or(check, ParticipantCheck::answered);
            found.push((check, Some(doubt)));
        }
        Ok(Some(found))
    }

    /// What is known of how a document reaches its recipient; none where it goes another way, or is addressed to nobody.
    pub(crate) async fn check_participant(
        &self,
        document: &Invoice,
    ) -> Result<Option<ParticipantCheck>, StoreError> {
        let Some(network) = self.network() else { return Ok(None) };
        let (participant, document_type) = match self.addressed_to(network, document).await? {
            Destination::Participant(participant, document_type) => (participant, document_type),
            Destination::Nobody => return Ok(None),
            // What was known of it stays.
            Destination::Unknown => return participant_checks::find(self.db(), document.id).await,
        };
        let check = self.look_participant_up(network, &participant, document_type).await?;
        self.participant_metrics().count(check.outcome);
        Ok(Some(check))
    }

    /// Keeps a check with the document that is about to be issued, or that there is none; one that is open is taken up again in the
    /// background.
    pub(crate) async fn keep_participant(
        &self,
        document: &Invoice,
        check: Option<&ParticipantCheck>,
    ) -> Result<(), StoreError> {
        let id = document.id;
        let Some(check) = check else {
            if self.network().is_none() || participant_checks::find(self.db(), id).await?.is_none() {
                return Ok(());
            }
            let mut tx = self.db().begin().await?;
            participant_checks::forget(&mut tx, id);
            return tx.commit_at("participant-check-forgotten").await;
        };
        let mut tx = self.db().begin().await?;
        participant_checks::keep(&mut tx, id, document.workspace, check);
        if check.is_open() {
            let at = self.after(self.settings().retry_after);
            LookUpParticipantAgain(id).enqueue(&mut tx, self.ids(), at);
        }
        tx.commit_at("participant-check-kept").await
    }

    /// Asks again about the recipient of a document whose check is open, and completes it.
    pub(crate) async fn check_participant_again(
        &self,
        document: InvoiceId,
        attempt: i64,
    ) -> Result<JobOutcome, StoreError> {
        let kept = participant_checks::find(self.db(), document).await?;
        let Some((kept, network)) = kept.filter(ParticipantCheck::is_open).zip(self.network()) else {
            return Ok(JobOutcome::Done);
        };
        let check = self.look_participant_up(network, &kept.participant, kept.document_type).await?;
        self.participant_metrics().count(check.outcome);
        let mut tx = self.db().begin().await?;
        participant_checks::complete(&mut tx, document, &check);
        tx.commit_at("participant-check-completed").await?;
        if !check.is_open() {
            return Ok(JobOutcome::Done);
        }
        Ok(match next_check_s(attempt, self.settings().retry_after.as_secs()) {
            Some(wait) => JobOutcome::Again(self.after(SignedDuration::from_secs(wait))),
            None => JobOutcome::Done,
        })
    }

    /// Where a document goes, as the regime of its workspace writes it. What the plugin refuses goes nowhere yet, and whoever issues it is
    /// told why by the plugin.
    async fn addressed_to(&self, network: &Network, document: &Invoice) -> Result<Destination, StoreError> {
        let Some(found) = workspaces::configured(self.db(), document.workspace).await? else {
            return Ok(Destination::Nobody);
        };
        let configuration = found.e_invoicing.map(|sealed| sealed.configuration);
        let Some(configuration) = configuration.filter(|found| network.keys.contains(&found.regime)) else {
            return Ok(Destination::Nobody);
        };
        let now = self.now().to_zoned(found.workspace.time_zone.clone());
        let invoice = RegimeInvoice::of(
            document.id,
            &document.content,
            &document.totals,
            Some(NUMBER.to_owned()),
            Vec::new(),
            now.date(),
        );
        let Some(mut invoice) = invoice else { return Ok(Destination::Nobody) };
        let document_type = DocumentType::of(invoice.kind);
        // A correction goes where the invoice went; as an invoice, it is converted without what it corrects.
        invoice.kind = match invoice.kind {
            RegimeDocumentKind::CreditNote | RegimeDocumentKind::DebitNote => RegimeDocumentKind::Invoice,
            kind @ (RegimeDocumentKind::Invoice
            | RegimeDocumentKind::SimplifiedInvoice
            | RegimeDocumentKind::ReplacementInvoice) => kind,
        };
        let context = RegimeContext {
            now,
            settings: configuration.settings,
            supplier: found.workspace.supplier,
            company_id: configuration.company_id.to_string(),
        };
        let served = ServedDocument { workspace: document.workspace, id: document.id, converted_by: None };
        let regimes = Arc::clone(&network.regimes).for_document(served);
        let address = match regimes.convert(&configuration.regime, &invoice, &context).await {
            Ok(converted) => recipient_address(&converted.value.body),
            Err(ConverterError::Faults(_)) => None,
            Err(
                error @ (ConverterError::Broken(_) | ConverterError::Busy | ConverterError::UnknownRegime(_)),
            ) => {
                tracing::warn!(document.id = %document.id, "It is not known which participant {} goes to: {error}", document.id);
                return Ok(Destination::Unknown);
            }
        };
        Ok(address
            .map_or(Destination::Nobody, |participant| Destination::Participant(participant, document_type)))
    }

    /// What is known of a participant: what was answered not long ago, else one look-up, and its answer kept. No transaction is open
    /// meanwhile.
    pub(crate) async fn look_participant_up(
        &self,
        network: &Network,
        participant: &Participant,
        document_type: DocumentType,
    ) -> Result<ParticipantCheck, StoreError> {
        let kept = participant_checks::answer(self.db(), participant, document_type).await?;
        let (now, cached_for) = (self.now(), self.settings().cached_for);
        if let Some(kept) = kept.filter(|kept| kept.is_young(now, cached_for)) {
            return Ok(ParticipantCheck::answered(&kept));
        }
        let answered = if self.locator_silence().is_over(now) {
            network.directory.look_up(participant, document_type, now).await
        } else {
            Err(LookupDoubt::LocatorNoAnswer)
        };
        match answered {
            Ok(reception) => {
                let (participant, checked_at) = (participant.clone(), now);
                let answer = ParticipantAnswer { participant, document_type, reception, checked_at };
                let mut tx = self.db().begin().await?;
                participant_checks::keep_answer(&mut tx, &answer);
                tx.commit_at("participant-answer-kept").await?;
                Ok(ParticipantCheck::answered(&answer))
            }
            Err(doubt) => {
                // One publisher of many that is away keeps nobody from asking the others; the only one does.
                let is_for_all = doubt == LookupDoubt::LocatorNoAnswer
                    || (doubt == LookupDoubt::NoAnswer && network.directory.has_one_publisher());
                if is_for_all && self.locator_silence().is_over(now) {
                    self.locator_silence().begin(self.after(crate::SILENCE));
                }
                let code = doubt.as_str();
                tracing::warn!(
                    "It is not known whether {participant} receives {} ({code})",
                    document_type.plural()
                );
                Ok(ParticipantCheck::doubtful(participant.clone(), document_type, doubt, now))
            }
        }
    }
}
