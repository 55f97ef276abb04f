//! Rates of a property: date ranges with a price.

use super::caller::Portal;
use super::errors::ApiError;
use super::read;
use crate::PublicApi;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::routing::post;
use gateway_domain::money::Amount;
use gateway_domain::{ErrorCode, FieldError};
use gateway_http::Json;
use gateway_http::Params;
use gateway_platform::{NewRate, Platform, PlatformError, RatesError};
use jiff::civil::Date;
use serde::{Deserialize, Deserializer, de};
use serde_json::{Value, json};

pub(super) fn router() -> Router<PublicApi> {
    Router::new().route("/api/dev/properties/{id}/rates", post(write_rates))
}

/// Both days are included, as in the calendar.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RateForm {
    #[serde(deserialize_with = "day")]
    start_date: Date,
    #[serde(deserialize_with = "day")]
    end_date: Date,
    #[serde(default)]
    min_night_stay: Option<i32>,
    #[serde(deserialize_with = "price")]
    price: Amount,
}

fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    text(deserializer, read::DATE, read::day)
}

fn price<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
    text(deserializer, "use a decimal text, such as \"89.90\"", |text| text.parse().ok())
}

/// What a text says, or `wanted`, also for what is no text.
fn text<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    wanted: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    value.as_str().and_then(parse).ok_or_else(|| de::Error::custom(wanted))
}

async fn write_rates(
    State(platform): State<Platform>,
    portal: Portal,
    Path(id): Path<String>,
    params: Params,
    Json(form): Json<Vec<RateForm>>,
) -> Result<axum::Json<Value>, ApiError> {
    params.only(&[])?;
    let property = read::id("property_id", &id)?;
    let rate = |form: RateForm| NewRate {
        start_date: form.start_date,
        end_date: form.end_date,
        min_stay: form.min_night_stay,
        price: form.price,
    };
    let given: Vec<NewRate> = form.into_iter().map(rate).collect();
    let written = platform.write_rates(&portal.acting, portal.client, property, &given).await?;
    let plan = &written.plan;
    let tariffs = written.tariffs.iter().map(|tariff| {
        json!({
            "id": tariff.id,
            "rate_plan": {"id": plan.id},
            "start_date": tariff.start_date,
            "end_date": tariff.end_date,
            "min_night_stay": tariff.min_stay.unwrap_or(plan.min_stay),
            "price": tariff.price.to_string(),
            "currency": plan.currency,
        })
    });
    Ok(axum::Json(json!({"tariffs": tariffs.collect::<Vec<_>>()})))
}

impl From<RatesError> for ApiError {
    fn from(error: RatesError) -> Self {
        match error {
            RatesError::TooSoon { retry_after_s } => {
                ApiError::base(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, error.to_string())
                    .with_header(RETRY_AFTER, &retry_after_s.to_string())
            }
            RatesError::Platform(PlatformError::Invalid(faults)) => {
                let named =
                    |fault: FieldError| FieldError::new(named(&fault.field), fault.code, fault.message);
                let faults = faults.into_iter().map(named).collect();
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, faults)
            }
            RatesError::Platform(error) => error.into(),
        }
    }
}

/// A member of the body, which is a list itself: `tariffs[0].min_stay` is `[0].min_night_stay` here.
fn named(field: &str) -> String {
    match field.strip_prefix("tariffs") {
        Some("") => "base".to_owned(),
        Some(rest) => rest.replace("min_stay", "min_night_stay"),
        None => field.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named_as_in_the_body() {
        for (inside, outside) in [
            ("tariffs[12].min_stay", "[12].min_night_stay"),
            ("tariffs[0].price", "[0].price"),
            ("tariffs", "base"),
            ("property_id", "property_id"),
        ] {
            assert_eq!(named(inside), outside);
        }
    }
}
