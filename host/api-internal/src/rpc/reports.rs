//! Reports: what the documents of a workspace come to.

use crate::InternalState;
use crate::errors::{ApiError, refuse};
use axum::extract::State;
use axum::http::StatusCode;
use gateway_domain::ErrorCode;
use gateway_domain::access::Acting;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{
    DocumentKind, IssuePeriod, RateReportRow, ReportGroup, ReportKey, ReportRow, ReportScope, Status,
};
use gateway_domain::money::Amount;
use gateway_http::Authenticated;
use gateway_http::openapi::Unprocessable;
use gateway_http::query::{self, Params};
use gateway_invoicing::Documents;
use jiff::civil::Date;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn routes() -> OpenApiRouter<InternalState> {
    OpenApiRouter::new().routes(routes!(totals))
}

/// Which documents are put together, and by what.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes parameters")]
struct TotalsParameters {
    /// Documents of this workspace.
    #[param(example = 1)]
    workspace_id: i64,
    /// First `issue_date`, inclusive.
    #[param(value_type = String, required = false, format = Date, example = "2026-11-01")]
    from: Date,
    /// Last `issue_date`, inclusive.
    #[param(value_type = String, required = false, format = Date, example = "2026-11-30")]
    to: Date,
    /// `month` and `rate` add up issued documents, `status` all.
    #[param(pattern = "^(month|rate|status)$", example = "month")]
    group: String,
}

/// What documents come to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TotalsReport)]
struct TotalsReport {
    /// By what they are put together: `month`, `rate` or `status`.
    group: &'static str,
    /// One for each month, state or row of the breakdown, each kind of document and each currency.
    rows: Vec<TotalsReportRow>,
}

/// Documents of one month, state or row of the breakdown, of one kind and one currency. Figures of credit notes are positive:
/// what is credited. Amounts are decimals of the currency.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TotalsReportRow)]
struct TotalsReportRow {
    /// Of a report by month: `2026-11`.
    #[serde(skip_serializing_if = "Option::is_none")]
    month: Option<String>,
    /// Of a report by state.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
    /// Of a report by rate, a key of the regime.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// Of a report by rate, percent; absent for an exemption.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<String>,
    /// Of a report by rate, a key of the regime; absent for a rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    exemption: Option<String>,
    /// Of a report by rate, percent; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    surcharge: Option<String>,
    /// The kind of the documents.
    document_type: DocumentKind,
    /// ISO 4217.
    currency: String,
    /// How many documents these are.
    documents: i64,
    /// Of a report by rate: what is taxed.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<Amount>,
    /// Of a report by rate: the tax, surcharges included.
    #[serde(skip_serializing_if = "Option::is_none")]
    amount: Option<Amount>,
    /// Without tax; of a report by month or state, as the next four.
    #[serde(skip_serializing_if = "Option::is_none")]
    net: Option<Amount>,
    /// The tax.
    #[serde(skip_serializing_if = "Option::is_none")]
    tax: Option<Amount>,
    /// With tax.
    #[serde(skip_serializing_if = "Option::is_none")]
    gross: Option<Amount>,
    /// What recipients withhold.
    #[serde(skip_serializing_if = "Option::is_none")]
    retained: Option<Amount>,
    /// What is to be paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    payable: Option<Amount>,
}

impl TotalsReportRow {
    fn of(document_type: DocumentKind, currency: String, documents: i64) -> Self {
        Self {
            month: None,
            status: None,
            category: None,
            rate: None,
            exemption: None,
            surcharge: None,
            document_type,
            currency,
            documents,
            base: None,
            amount: None,
            net: None,
            tax: None,
            gross: None,
            retained: None,
            payable: None,
        }
    }
}

impl From<ReportRow> for TotalsReportRow {
    fn from(row: ReportRow) -> Self {
        let (month, status) = match row.key {
            ReportKey::Month(month) => (Some(month), None),
            ReportKey::Status(status) => (None, Some(status)),
        };
        Self {
            month,
            status,
            net: Some(row.sums.net),
            tax: Some(row.sums.tax),
            gross: Some(row.sums.gross),
            retained: Some(row.sums.retained),
            payable: Some(row.sums.payable),
            ..Self::of(row.document_type, row.currency, row.documents)
        }
    }
}

impl From<RateReportRow> for TotalsReportRow {
    fn from(row: RateReportRow) -> Self {
        Self {
            category: Some(row.category),
            rate: row.rate,
            exemption: row.exemption,
            surcharge: row.surcharge,
            base: Some(row.base),
            amount: Some(row.amount),
            ..Self::of(row.document_type, row.currency, row.documents)
        }
    }
}

fn read(params: &Params) -> Result<(ReportScope, ReportGroup), ApiError> {
    params.only(&["workspace_id", "from", "to", "group"])?;
    let required = |name: &str, sentence: &str| {
        refuse(StatusCode::UNPROCESSABLE_ENTITY, name, ErrorCode::Required, sentence)
    };
    let workspace: Option<WorkspaceId> =
        params.parse("workspace_id", "use the number of a workspace", query::workspace)?;
    let group = params.parse("group", "use month, rate or status", ReportGroup::parse)?;
    let day = |name| params.parse(name, "use a date as YYYY-MM-DD", query::date);
    let period = IssuePeriod { from: day("from")?, to: day("to")? };
    if period.is_backwards() {
        let sentence = "is before 'from': swap the two";
        return Err(refuse(StatusCode::UNPROCESSABLE_ENTITY, "to", ErrorCode::EndBeforeStart, sentence));
    }
    let workspace =
        workspace.ok_or_else(|| required("workspace_id", "is required: use the number of a workspace"))?;
    let group = group.ok_or_else(|| required("group", "is required: use month, rate or status"))?;
    Ok((ReportScope { workspace, period }, group))
}

/// What the documents of a workspace come to
///
/// Exact sums, currency by currency and kind by kind: by month of issue and by row of the breakdown of issued documents, or by state
/// of all.
#[utoipa::path(
    get,
    path = "/invoicing/rpc/reports/totals",
    operation_id = "reportTotals",
    params(TotalsParameters),
    responses(
        (status = 200, description = "The report.", body = TotalsReport),
        (status = 422, response = Unprocessable)
    )
)]
async fn totals(
    State(documents): State<Documents>,
    caller: Authenticated,
    params: Params,
) -> Result<axum::Json<TotalsReport>, ApiError> {
    let acting = Acting::from(&caller.0);
    let (scope, group) = read(&params)?;
    let rows: Vec<TotalsReportRow> = match group {
        ReportGroup::Month => rows(documents.totals_by_month(&acting, scope).await),
        ReportGroup::Status => rows(documents.totals_by_status(&acting, scope).await),
        ReportGroup::Rate => rows(documents.totals_by_rate(&acting, scope).await),
    }?;
    Ok(axum::Json(TotalsReport { group: group.as_str(), rows }))
}

fn rows<R: Into<TotalsReportRow>>(
    found: Result<Vec<R>, gateway_domain::StoreError>,
) -> Result<Vec<TotalsReportRow>, ApiError> {
    Ok(found.map_err(ApiError::internal)?.into_iter().map(Into::into).collect())
}
