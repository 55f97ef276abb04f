//! What the delivery network said of participants, and what was known of how each document reaches its recipient.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::Ts;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain_recipients::participant::{
    DocumentType, LookupDoubt, Participant, ParticipantAnswer, ParticipantCheck, ParticipantOutcome,
};
use std::fmt::Display;

statements! {
    ANSWER = "SELECT outcome, checked_at FROM participant_answer WHERE participant = $1 AND document_type = $2";
    KEEP_ANSWER = "INSERT INTO participant_answer (participant, document_type, outcome, checked_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (participant, document_type) DO UPDATE SET outcome = excluded.outcome, checked_at = excluded.checked_at";
    FIND = "SELECT participant, document_type, outcome, doubt, checked_at FROM participant_check WHERE document_id = $1";
    KEEP = "INSERT INTO participant_check (document_id, workspace_id, participant, document_type, outcome, doubt, checked_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (document_id) DO UPDATE SET participant = excluded.participant, document_type = excluded.document_type,
            outcome = excluded.outcome, doubt = excluded.doubt, checked_at = excluded.checked_at";
    // Of the participant that was looked up, and not of one that the document got since.
    COMPLETE = "UPDATE participant_check SET (outcome, doubt, checked_at) = ($4, $5, $6)
        WHERE document_id = $1 AND participant = $2 AND document_type = $3 AND outcome = 'unknown'";
    FORGET = "DELETE FROM participant_check WHERE document_id = $1";
}

#[derive(sqlx::FromRow)]
struct AnswerRow {
    outcome: String,
    checked_at: Ts,
}

#[derive(sqlx::FromRow)]
struct CheckRow {
    participant: String,
    document_type: String,
    outcome: String,
    doubt: Option<String>,
    checked_at: Ts,
}

/// A text that stands for nothing that is known.
#[derive(Debug, thiserror::Error)]
#[error("'{0}' is unknown")]
struct Unknown(String);

fn unknown(table: &'static str, row: impl Display, column: &'static str, text: &str) -> StoreError {
    Corrupt::new(table, row, column, Unknown(text.to_owned())).into()
}

impl CheckRow {
    fn read(self, document: InvoiceId) -> Result<ParticipantCheck, StoreError> {
        let unknown = |column, text: &str| unknown("participant_check", document, column, text);
        let doubt = |code: &str| LookupDoubt::parse(code).ok_or_else(|| unknown("doubt", code));
        Ok(ParticipantCheck {
            participant: Participant::parse(&self.participant)
                .map_err(|_| unknown("participant", &self.participant))?,
            document_type: DocumentType::parse(&self.document_type)
                .ok_or_else(|| unknown("document_type", &self.document_type))?,
            outcome: ParticipantOutcome::parse(&self.outcome)
                .ok_or_else(|| unknown("outcome", &self.outcome))?,
            doubt: self.doubt.as_deref().map(doubt).transpose()?,
            checked_at: self.checked_at.0,
        })
    }
}

/// The newest answer about a participant and a type of documents.
pub async fn answer(
    on: impl Into<Executor<'_>>,
    participant: &Participant,
    document_type: DocumentType,
) -> Result<Option<ParticipantAnswer>, StoreError> {
    let key = params![participant.value(), document_type.as_str()];
    let Some(row) = on.into().optional::<AnswerRow>(&ANSWER, key).await? else { return Ok(None) };
    let reception = ParticipantOutcome::parse(&row.outcome).and_then(ParticipantOutcome::reception);
    let reception = reception
        .ok_or_else(|| unknown("participant_answer", participant.value(), "outcome", &row.outcome))?;
    let (participant, checked_at) = (participant.clone(), row.checked_at.0);
    Ok(Some(ParticipantAnswer { participant, document_type, reception, checked_at }))
}

/// Keeps an answer in the stead of an older one.
pub fn keep_answer(tx: &mut Tx, answer: &ParticipantAnswer) {
    let ParticipantAnswer { participant, document_type, reception, checked_at } = answer;
    let outcome = ParticipantOutcome::from(*reception);
    let arguments = params![participant.value(), document_type.as_str(), outcome.as_str(), *checked_at];
    tx.execute_later(&KEEP_ANSWER, arguments);
}

/// What was known of how a document reaches its recipient; the caller knows that whoever asks may see it.
pub async fn find(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
) -> Result<Option<ParticipantCheck>, StoreError> {
    let row: Option<CheckRow> = on.into().optional(&FIND, params![document]).await?;
    row.map(|row| row.read(document)).transpose()
}

/// Keeps what is known of how a document that is about to be issued reaches its recipient.
pub fn keep(tx: &mut Tx, document: InvoiceId, workspace: WorkspaceId, check: &ParticipantCheck) {
    let ParticipantCheck { participant, document_type, outcome, doubt, checked_at } = check;
    let arguments = params![
        document,
        workspace,
        participant.value(),
        document_type.as_str(),
        outcome.as_str(),
        doubt.map(LookupDoubt::as_str),
        *checked_at
    ];
    tx.execute_later(&KEEP, arguments);
}

/// Completes an open check of a document with what came of asking again; nothing where it is not open any more.
pub fn complete(tx: &mut Tx, document: InvoiceId, check: &ParticipantCheck) {
    let ParticipantCheck { participant, document_type, outcome, doubt, checked_at } = check;
    let arguments = params![
        document,
        participant.value(),
        document_type.as_str(),
        outcome.as_str(),
        doubt.map(LookupDoubt::as_str),
        *checked_at
    ];
    tx.execute_later(&COMPLETE, arguments);
}

/// A document whose recipient is no participant has no check.
pub fn forget(tx: &mut Tx, document: InvoiceId) {
    tx.execute_later(&FORGET, params![document]);
}
