//! VIES of the European Commission over its REST interface (`swagger_publicVAT.yaml`): whether a VAT number is valid.
//!
//! An answer is a verdict only where `valid` is true or false and nothing beside it says otherwise: a member state that is away is told
//! as an error (`errorWrappers`), with any status, or by `userError` beside a `valid` that means nothing.

use crate::client::{self, SetupError};
use async_trait::async_trait;
use gateway_domain_recipients::ports::{RegisterAnswer, VatRegister};
use gateway_domain_recipients::{Doubt, VatNumber};
use gateway_outbound::{CallMetrics, Calls, Peer, log_causes};
use reqwest::Client;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// Where the service is below the Commission's host, and below the stand-in's.
pub const VIES_PATH: &str = "taxation_customs/vies/rest-api";
/// Longest answer that is read, bytes.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// What is kept of one member of an answer, characters.
const MEMBER_CHARS_MAX: usize = 500;
/// What stands for a name or an address that the member state does not tell.
const NOT_TOLD: &str = "---";

/// The VAT register over HTTP.
#[derive(Debug)]
pub struct HttpVatRegister {
    base_url: Url,
    client: Client,
    calls: Calls,
}

/// What the service is asked (`CheckVatRequest`).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Question<'a> {
    country_code: &'a str,
    vat_number: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    requester_member_state_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requester_number: Option<&'a str>,
}

/// What it answers (`CheckVatResponse`), or why it does not (`CommonResponse`).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AnswerIn {
    valid: Option<bool>,
    request_date: Option<String>,
    request_identifier: Option<String>,
    name: Option<String>,
    address: Option<String>,
    user_error: Option<String>,
    error_wrappers: Vec<ErrorIn>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ErrorIn {
    error: String,
}

impl HttpVatRegister {
    /// A service below `base_url`; a path in it is kept as a prefix. A call takes no longer than `timeout`, the answer's body included.
    ///
    /// # Errors
    /// When the address is no plain http(s) address, or when TLS cannot be set up.
    pub fn new(base_url: Url, timeout: Duration) -> Result<Self, SetupError> {
        if !gateway_outbound::is_plain(&base_url) {
            return Err(SetupError::Address);
        }
        let client = client::client(&base_url, timeout, timeout)?;
        Ok(Self { base_url, client, calls: Calls::unmeasured(Peer::VatRegister) })
    }

    /// With its calls measured.
    #[must_use]
    pub fn measured(mut self, metrics: &CallMetrics) -> Self {
        self.calls = metrics.calls(Peer::VatRegister);
        self
    }
}

#[async_trait]
impl VatRegister for HttpVatRegister {
    async fn look_up(
        &self,
        number: &VatNumber,
        requester: Option<&VatNumber>,
    ) -> Result<RegisterAnswer, Doubt> {
        let question = Question {
            country_code: number.state().code(),
            vat_number: number.number(),
            requester_member_state_code: requester.map(|requester| requester.state().code()),
            requester_number: requester.map(VatNumber::number),
        };
        let request = self.client.post(client::below(&self.base_url, &["check-vat-number"])).json(&question);
        let response = self.calls.send(request).await.map_err(|error| {
            log_causes(&error);
            Doubt::NoAnswer
        })?;
        let body = client::text(response, ANSWER_BYTES_MAX).await.map_err(|error| match error {
            client::BodyError::Transport(_) => Doubt::NoAnswer,
            client::BodyError::TooLarge | client::BodyError::NotText => Doubt::Unreadable,
        })?;
        read(&body)
    }
}

/// What an answer says, whatever its status.
fn read(body: &str) -> Result<RegisterAnswer, Doubt> {
    let answer: AnswerIn = serde_json::from_str(body).map_err(|_| Doubt::Unreadable)?;
    if let Some(ErrorIn { error }) = answer.error_wrappers.first() {
        return Err(Doubt::of_error(error));
    }
    let is_valid = match (answer.user_error.as_deref(), answer.valid) {
        (None | Some("" | "VALID" | "INVALID"), Some(is_valid)) => is_valid,
        (None | Some("" | "VALID" | "INVALID"), None) => return Err(Doubt::Unreadable),
        (Some(error), _) => return Err(Doubt::of_error(error)),
    };
    Ok(RegisterAnswer {
        is_valid,
        request_date: kept(answer.request_date).unwrap_or_default(),
        consultation_number: kept(answer.request_identifier),
        name: kept(answer.name),
        address: kept(answer.address),
    })
}

/// A member as it is kept: no longer than anybody reads, on one line, without what a database does not take.
fn kept(text: Option<String>) -> Option<String> {
    let text = text?;
    let words = text.split(|character: char| character.is_control()).map(str::trim);
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let line: String = words.join(", ").chars().take(MEMBER_CHARS_MAX).collect();
    (!line.is_empty() && line != NOT_TOLD).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_the_service_writes_it() {
        let answer = read(
            r#"{"countryCode":"DE","vatNumber":"123456100","requestDate":"2026-11-20T09:00:00.123Z","valid":true,
                "requestIdentifier":"WAPIAAAAZCuZ0Tql","name":"Blaues Haus GmbH","address":"Hauptstr. 1\n10115 BERLIN",
                "traderName":"---","traderNameMatch":"NOT_PROCESSED"}"#,
        );
        assert_eq!(
            answer,
            Ok(RegisterAnswer {
                is_valid: true,
                request_date: "2026-11-20T09:00:00.123Z".to_owned(),
                consultation_number: Some("WAPIAAAAZCuZ0Tql".to_owned()),
                name: Some("Blaues Haus GmbH".to_owned()),
                address: Some("Hauptstr. 1, 10115 BERLIN".to_owned()),
            })
        );
    }

    #[test]
    fn what_a_member_state_does_not_tell_is_nothing() {
        let answer = read(
            r#"{"requestDate":"2026-11-20T09:00:00Z","valid":false,"requestIdentifier":"","name":"---","address":"---"}"#,
        )
        .unwrap();
        assert!(!answer.is_valid);
        assert_eq!((answer.consultation_number, answer.name, answer.address), (None, None, None));
    }

    #[test]
    fn an_error_is_never_a_verdict() {
        for (body, doubt) in [
            (r#"{"actionSucceed":false,"errorWrappers":[{"error":"MS_UNAVAILABLE"}]}"#, Doubt::MsUnavailable),
            (r#"{"valid":false,"userError":"MS_UNAVAILABLE"}"#, Doubt::MsUnavailable),
            (
                r#"{"actionSucceed":false,"errorWrappers":[{"error":"MS_MAX_CONCURRENT_REQ_TIME","message":"x"}]}"#,
                Doubt::MsMaxConcurrentReq,
            ),
            (r#"{"actionSucceed":false,"errorWrappers":[{"error":"VOW-ERR-1"}]}"#, Doubt::Unreadable),
            (r#"{"valid":"true"}"#, Doubt::Unreadable),
            ("{}", Doubt::Unreadable),
            ("<html>maintenance</html>", Doubt::Unreadable),
        ] {
            assert_eq!(read(body), Err(doubt), "{body}");
        }
        assert!(!read(r#"{"valid":false,"userError":"INVALID"}"#).unwrap().is_valid);
    }

    #[test]
    fn a_member_is_kept_as_one_line_of_a_bounded_length() {
        assert_eq!(kept(Some("\u{0}".to_owned())), None);
        assert_eq!(kept(Some("x".repeat(600))).map(|text| text.len()), Some(MEMBER_CHARS_MAX));
    }
}
