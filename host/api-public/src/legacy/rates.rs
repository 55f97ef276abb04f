//! Rates of a property: date ranges with a price.

use super::paths::{self, PropertyPath};
use super::{ApiError, LegacyCaller, Reference};
use crate::PublicState;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use gateway_domain::ids::TariffId;
use gateway_domain::money::Amount;
use gateway_domain::{ErrorCode, FieldError};
use gateway_http::Json;
use gateway_http::Params;
use gateway_http::openapi::{BodyRefusals, Conflict, NotFound};
use gateway_http::query;
use gateway_platform::{NewRate, PlatformError, Pricing, RatesError};
use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new().routes(routes!(write_rates))
}

/// Both days are included, as in the calendar.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RateForm {
    #[serde(deserialize_with = "day")]
    #[schema(value_type = String, format = Date, examples("2026-12-01"))]
    start_date: Date,
    #[serde(deserialize_with = "day")]
    #[schema(value_type = String, format = Date, examples("2026-12-31"))]
    end_date: Date,
    #[serde(default)]
    #[schema(minimum = 1, examples(2))]
    min_night_stay: Option<i32>,
    /// Of each night, a decimal text.
    #[serde(deserialize_with = "price")]
    #[schema(value_type = String, pattern = r"^[0-9]+(\.[0-9]+)?$", examples("89.90"))]
    price: Amount,
}

/// The rates of a property.
#[derive(Debug, ToSchema)]
#[schema(min_items = 1, max_items = 500)]
#[expect(dead_code, reason = "describes a body")]
struct RateForms(Vec<RateForm>);

/// Nights with a price.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LegacyTariff)]
struct TariffView {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000c2"))]
    id: TariffId,
    rate_plan: Reference,
    #[schema(value_type = String, format = Date, examples("2026-12-01"))]
    start_date: Date,
    #[schema(value_type = String, format = Date, examples("2026-12-31"))]
    end_date: Date,
    #[schema(examples(2))]
    min_night_stay: i32,
    price: Amount,
    #[schema(examples("EUR"))]
    currency: String,
}

#[derive(Debug, Serialize, ToSchema)]
struct TariffsWritten {
    tariffs: Vec<TariffView>,
}

fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    text(deserializer, query::DATE, query::day)
}

fn price<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
    text(deserializer, "use a decimal text, such as \"89.90\"", |text| text.parse().ok())
}

/// What a text says, or `wanted`, also for what is no text.
fn text<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    expected: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    value.as_str().and_then(parse).ok_or_else(|| de::Error::custom(expected))
}

/// Write the rates of a property
///
/// Each rate is a range of nights, both ends included, with a price. They become tariffs of the property's rate plan, the oldest
/// where it has several. A client writes rates of a property once a minute: then 429 with `Retry-After`; a refused body does
/// not count.
#[utoipa::path(
    post,
    path = "/api/dev/properties/{id}/rates",
    operation_id = "writeRates",
    params(PropertyPath),
    request_body = RateForms,
    responses(
        (status = 200, description = "The tariffs that were written.", body = TariffsWritten),
        (status = 404, response = NotFound),
        (status = 409, response = Conflict),
        BodyRefusals
    )
)]
async fn write_rates(
    State(pricing): State<Pricing>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    params: Params,
    Json(form): Json<Vec<RateForm>>,
) -> Result<axum::Json<TariffsWritten>, ApiError> {
    params.only(&[])?;
    let property = paths::id("property_id", &id)?;
    let rate = |form: RateForm| NewRate {
        start_date: form.start_date,
        end_date: form.end_date,
        min_stay: form.min_night_stay,
        price: form.price,
    };
    let given: Vec<NewRate> = form.into_iter().map(rate).collect();
    let written = pricing.write_rates(&caller.acting, caller.client, property, &given).await?;
    let plan = &written.plan;
    let tariffs = written.tariffs.iter().map(|tariff| TariffView {
        id: tariff.id,
        rate_plan: Reference::to(plan.id),
        start_date: tariff.start_date,
        end_date: tariff.end_date,
        min_night_stay: tariff.min_stay.unwrap_or(plan.min_stay),
        price: tariff.price,
        currency: plan.currency.clone(),
    });
    Ok(axum::Json(TariffsWritten { tariffs: tariffs.collect() }))
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
