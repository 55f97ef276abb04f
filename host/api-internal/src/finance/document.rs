//! A document as finance shows it: its copy, and what is known of its recipient.

use super::super::rpc::document_id;
use super::failure::NothingThere;
use crate::described::DocumentInPath;
use crate::errors::ApiError;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain_recipients::participant::ParticipantCheckBody;
use gateway_domain_recipients::{KnownRecipient, RecipientCheckBody};
use gateway_finance::Finance;
use gateway_http::Authenticated;
use gateway_http::openapi::{BadGateway, BadRequest, Gone};
use gateway_invoicing::DocumentView;
use gateway_recipients::Recipients;
use serde::Serialize;
use utoipa::ToSchema;

/// A document as finance shows it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FinanceDocument {
    #[serde(flatten)]
    document: DocumentView<'static>,
    #[serde(flatten)]
    recipient: RecipientMember,
}

/// What is shown beside the copy.
#[derive(Debug, Serialize, ToSchema)]
struct RecipientMember {
    /// What the VAT register said of the recipient when it was issued, or since; absent where nobody was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    recipient_check: Option<RecipientCheckBody>,
    /// Whether the recipient receives such documents in the delivery network, as it was known when it was issued, or since; absent where
    /// nobody was looked up.
    #[serde(skip_serializing_if = "Option::is_none")]
    participant_check: Option<ParticipantCheckBody>,
}

/// Finance's copy of a document
///
/// Kept from the change feed, so it may be stale for a moment. Beside it, what the VAT register and the delivery network said of the
/// recipient.
#[utoipa::path(
    get,
    path = "/finance/rpc/documents/{uuid}",
    operation_id = "getFinanceDocument",
    params(DocumentInPath),
    responses(
        (status = 200, description = "The copy.", body = FinanceDocument),
        (status = 400, response = BadRequest),
        (status = 410, response = Gone),
        (status = 502, response = BadGateway)
    )
)]
pub(super) async fn show(
    State(finance): State<Finance>,
    State(recipients): State<Recipients>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiError> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    let copy = finance.finance_document(&acting, id).await?.ok_or(NothingThere::Document)?;
    let known = recipients.of_document(id).await.map_err(ApiError::internal)?;
    let body = with(copy, &RecipientMember::from(known)).map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

impl From<KnownRecipient> for RecipientMember {
    fn from(KnownRecipient { number, participant }: KnownRecipient) -> Self {
        Self {
            recipient_check: number.map(RecipientCheckBody::from),
            participant_check: participant.map(ParticipantCheckBody::from),
        }
    }
}

/// A copy, which is a JSON object as it is stored, with members that it does not have.
fn with(copy: String, member: &RecipientMember) -> Result<String, StoreError> {
    if member.recipient_check.is_none() && member.participant_check.is_none() {
        return Ok(copy);
    }
    let member = StoreError::json(member)?;
    let object = copy.trim_end().strip_suffix('}');
    Ok(match (object, member.strip_prefix('{')) {
        (Some(object), Some(member)) => format!("{object},{member}"),
        (None, _) | (_, None) => copy,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain_recipients::participant::{DocumentType, LookupDoubt, Participant, ParticipantCheck};
    use gateway_domain_recipients::{Doubt, RecipientCheck, VatNumber};

    #[test]
    fn a_check_is_one_more_member_of_the_copy() {
        let number = VatNumber::parse("DE123456789").unwrap();
        let at = "2026-11-20T09:00:00Z".parse().unwrap();
        let check = RecipientCheck::doubtful(&number, None, Doubt::Timeout, at);
        let participant = Participant::parse("0192:991825827").unwrap();
        let participant =
            ParticipantCheck::doubtful(participant, DocumentType::Invoice, LookupDoubt::NoAnswer, at);
        let known = KnownRecipient { number: Some(check), participant: Some(participant) };
        let member = RecipientMember::from(known);
        let view = with(r#"{"uuid":"1"}"#.to_owned(), &member).unwrap();
        let view: serde_json::Value = serde_json::from_str(&view).unwrap();
        assert_eq!((&view["uuid"], &view["recipient_check"]["doubt"]), (&"1".into(), &"TIMEOUT".into()));
        assert_eq!(view["recipient_check"]["faults"][0]["code"], "VIES-UNKNOWN");
        assert_eq!(view["participant_check"]["participant"], "iso6523-actorid-upis::0192:991825827");
        assert_eq!(view["participant_check"]["doubt"], "SMP_NO_ANSWER");
        let without = RecipientMember::from(KnownRecipient::default());
        assert_eq!(with(r#"{"uuid":"1"}"#.to_owned(), &without).unwrap(), r#"{"uuid":"1"}"#);
    }
}
