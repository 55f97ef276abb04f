//! The VAT register's stand-in: VIES of the European Commission by its REST interface (`swagger_publicVAT.yaml`), without a token, as
//! there. The last three digits of a number steer it, as the numbers of the Commission's own test service do; every number that ends
//! otherwise is valid.
//!
//! | ends in | answer |
//! |---|---|
//! | `200` | not valid |
//! | `201`, `202` | `INVALID_INPUT`, `INVALID_REQUESTER_INFO` |
//! | `300`, `301`, `302` | `SERVICE_UNAVAILABLE`, `MS_UNAVAILABLE`, `TIMEOUT` |
//! | `310` | `MS_UNAVAILABLE` the first time in this process, then valid |
//! | `320` | no answer within a minute |
//! | `400`, `401` | `VAT_BLOCKED`, `IP_BLOCKED` |
//! | `500`, `501` | `GLOBAL_MAX_CONCURRENT_REQ`, `GLOBAL_MAX_CONCURRENT_REQ_TIME` |
//! | `600`, `601` | `MS_MAX_CONCURRENT_REQ`, `MS_MAX_CONCURRENT_REQ_TIME` |

use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use gateway_domain::ports::{Clock, Ids};
use gateway_domain_recipients::{MemberState, VatNumber};
use gateway_provider::VIES_PATH;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a number takes that gets no answer.
const NO_ANSWER: Duration = Duration::from_mins(1);
/// What stands for a name or an address that is not told.
const NOT_TOLD: &str = "---";

/// The stand-in.
#[derive(Debug)]
struct Vies {
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    /// Numbers that were away once.
    seen: Mutex<HashSet<String>>,
}

/// What it is asked (`CheckVatRequest`). What the trader is compared by is passed over.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Question {
    country_code: String,
    vat_number: String,
    requester_member_state_code: Option<String>,
    requester_number: Option<String>,
}

/// What it answers (`CheckVatResponse`).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    country_code: String,
    vat_number: String,
    request_date: String,
    valid: bool,
    request_identifier: String,
    name: String,
    address: String,
}

/// Why it does not (`CommonResponse`).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ErrorAnswer {
    action_succeed: bool,
    error_wrappers: [ErrorWrapper; 1],
}

#[derive(Debug, Serialize)]
struct ErrorWrapper {
    error: &'static str,
}

/// Which member states answer (`StatusInformationResponse`).
#[derive(Debug, Serialize)]
struct StatusAnswer {
    vow: Vow,
    countries: Vec<CountryStatus>,
}

#[derive(Debug, Serialize)]
struct Vow {
    available: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CountryStatus {
    country_code: &'static str,
    availability: &'static str,
}

/// Its routes, below the path of the real one.
pub(crate) fn router(clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Router {
    let below = |path: &str| format!("/{VIES_PATH}/{path}");
    Router::new()
        .route(&below("check-vat-number"), post(check))
        .route(&below("check-vat-test-service"), post(check))
        .route(&below("check-status"), get(status))
        .with_state(Arc::new(Vies { clock, ids, seen: Mutex::default() }))
}

async fn status() -> Json<StatusAnswer> {
    let available =
        |state: &MemberState| CountryStatus { country_code: state.code(), availability: "Available" };
    let countries = MemberState::ALL.iter().map(available).collect();
    Json(StatusAnswer { vow: Vow { available: true }, countries })
}

async fn check(
    State(vies): State<Arc<Vies>>,
    question: Result<Json<Question>, JsonRejection>,
) -> Result<Json<Answer>, Response> {
    let Ok(Json(question)) = question else { return Err(refusal("INVALID_INPUT")) };
    let number = format!("{}{}", question.country_code, question.vat_number);
    if VatNumber::parse(&number).is_err() {
        return Err(refusal("INVALID_INPUT"));
    }
    let requester = question.requester_number.as_deref().map(|number| {
        VatNumber::parse(&format!(
            "{}{number}",
            question.requester_member_state_code.as_deref().unwrap_or_default()
        ))
    });
    if requester.as_ref().is_some_and(Result::is_err) {
        return Err(refusal("INVALID_REQUESTER_INFO"));
    }
    let steered = last_digits(&question.vat_number);
    if steered == "320" {
        tokio::time::sleep(NO_ANSWER).await;
    }
    let is_first =
        steered == "310" && vies.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(number.clone());
    if let Some(error) = if is_first { Some("MS_UNAVAILABLE") } else { error(&steered) } {
        return Err(refusal(error));
    }
    Ok(Json(vies.answer(question, steered != "200", requester.is_some())))
}

impl Vies {
    fn answer(&self, question: Question, valid: bool, has_requester: bool) -> Answer {
        let unless_withheld = |text: String| if valid { text } else { NOT_TOLD.to_owned() };
        // Sixteen characters that begin like those of the real one.
        let random = self.ids.next().simple().to_string().to_uppercase();
        let identifier =
            format!("WAPIAAAA{}", random.get(random.len().saturating_sub(8)..).unwrap_or_default());
        Answer {
            request_date: format!("{:.3}", self.clock.now()),
            valid,
            request_identifier: if has_requester { identifier } else { String::new() },
            name: unless_withheld(format!("Trader {}{}", question.country_code, question.vat_number)),
            address: unless_withheld("Sandbox street 1\n10000 Sandbox".to_owned()),
            country_code: question.country_code,
            vat_number: question.vat_number,
        }
    }
}

/// The last three digits of a number; some numbers have letters behind them.
fn last_digits(number: &str) -> String {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    digits.get(digits.len().saturating_sub(3)..).unwrap_or_default().to_owned()
}

/// What a number is refused with.
fn error(steered: &str) -> Option<&'static str> {
    Some(match steered {
        "201" => "INVALID_INPUT",
        "202" => "INVALID_REQUESTER_INFO",
        "300" => "SERVICE_UNAVAILABLE",
        "301" => "MS_UNAVAILABLE",
        "302" => "TIMEOUT",
        "400" => "VAT_BLOCKED",
        "401" => "IP_BLOCKED",
        "500" => "GLOBAL_MAX_CONCURRENT_REQ",
        "501" => "GLOBAL_MAX_CONCURRENT_REQ_TIME",
        "600" => "MS_MAX_CONCURRENT_REQ",
        "601" => "MS_MAX_CONCURRENT_REQ_TIME",
        _ => return None,
    })
}

fn refusal(error: &'static str) -> Response {
    let status = match error {
        "INVALID_INPUT" | "INVALID_REQUESTER_INFO" => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let body = ErrorAnswer { action_succeed: false, error_wrappers: [ErrorWrapper { error }] };
    (status, Json(body)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_three_digits_steer_it() {
        assert_eq!(last_digits("123456200"), "200");
        assert_eq!(last_digits("B1234200"), "200");
        assert_eq!(last_digits("X1234301L"), "301");
        assert_eq!(last_digits("12"), "12");
        assert_eq!(error("100"), None);
        assert_eq!(error("301"), Some("MS_UNAVAILABLE"));
    }

    #[test]
    fn refusals_are_written_as_the_real_one_does() {
        let body =
            ErrorAnswer { action_succeed: false, error_wrappers: [ErrorWrapper { error: "MS_UNAVAILABLE" }] };
        assert_eq!(
            serde_json::to_string(&body).unwrap(),
            r#"{"actionSucceed":false,"errorWrappers":[{"error":"MS_UNAVAILABLE"}]}"#
        );
    }
}
