//! Lists as the legacy API takes them: the parameters that narrow them, and pages by number: `perPage` items, `page` from 1 on, `limit` items on all pages together.

use super::ApiError;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode, header::LINK};
use axum::response::{IntoResponse, Response};
use gateway_access::Tokens;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_lists::Window;
use gateway_http::Params;
use gateway_http::query::{DAY, ID, INSTANT, bounded_day, instant, uuid};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use std::sync::Arc;
use url::form_urlencoded;
use utoipa::IntoParams;
use utoipa::openapi::RefOr;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use uuid::Uuid;

/// Items of a page unless asked for fewer.
const PER_PAGE: u32 = 25;
/// Items of a page at most.
const PER_PAGE_MAX: u32 = 100;
/// What every list takes.
const PAGE_PARAMETERS: &[&str] = &["perPage", "page", "limit"];
const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// A request for a page of a list: its parameters, and which items are wanted. Every mistake is noted where it is found,
/// and [`Listing::window`] refuses the request with all of them.
#[derive(Debug)]
pub(super) struct Listing {
    /// Every parameter.
    params: Params,
    faults: Vec<FieldError>,
    page: u32,
    per_page: u32,
    limit: Option<u32>,
    /// The address of the list, without the query string.
    address: String,
    /// The other parameters, as they were sent.
    rest: Vec<(String, String)>,
}

impl<S> FromRequestParts<S> for Listing
where
    S: Send + Sync,
    Arc<Tokens>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let params = Params::from_request_parts(parts, state).await?;
        let query = parts.uri.query().unwrap_or_default();
        let rest = form_urlencoded::parse(query.as_bytes()).into_owned().filter(|(name, _)| name != "page");
        let mut listing = Self {
            params,
            faults: Vec::new(),
            page: 1,
            per_page: PER_PAGE,
            limit: None,
            address: format!("{}{}", Arc::<Tokens>::from_ref(state).public_url(), parts.uri.path()),
            rest: rest.collect(),
        };
        listing.page = listing.number("page").unwrap_or(1);
        listing.per_page = listing.number("perPage").unwrap_or(PER_PAGE).min(PER_PAGE_MAX);
        listing.limit = listing.number("limit");
        Ok(listing)
    }
}

impl Listing {
    fn number(&mut self, name: &str) -> Option<u32> {
        let positive = |text: &str| text.parse().ok().filter(|number| *number >= 1);
        self.read(name, "use a whole number from 1 on", positive)
    }

    /// A parameter as a value, if it is there and what it should be.
    pub(super) fn read<T>(
        &mut self,
        name: &str,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let read = self.params.read(name, expected, parse);
        read.map_err(|fault| self.faults.push(fault)).ok().flatten()
    }

    /// The same where an empty one is a mistake, because a list without it would show much more than was meant.
    pub(super) fn read_filled<T>(
        &mut self,
        name: &str,
        expected: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        if self.params.is_empty(name) {
            self.fault(name, ErrorCode::InvalidFormat, expected);
            return None;
        }
        self.read(name, expected, parse)
    }

    /// A mistake of a parameter.
    pub(super) fn fault(&mut self, name: &str, code: ErrorCode, message: &str) {
        if !self.faults.iter().any(|fault| fault.field == name) {
            self.faults.push(FieldError::new(name, code, message));
        }
    }

    /// Parameters that mean nothing here are mistakes; those of pages always mean something.
    pub(super) fn only(&mut self, known: &[&str]) {
        self.faults.extend(self.params.unknown_parameters(&[known, PAGE_PARAMETERS]));
    }

    /// Those changed at this instant or later (`last_modified`).
    pub(super) fn last_modified(&mut self) -> Option<Timestamp> {
        self.read("last_modified", INSTANT, instant)
    }

    /// Those of this property (`property_id`), which is named when it is given.
    pub(super) fn property<I: From<Uuid>>(&mut self) -> Option<I> {
        self.read_filled("property_id", ID, |text| uuid(text).map(I::from))
    }

    /// Those of these days (`start_date`, `end_date`), both included; either may be open.
    pub(super) fn days(&mut self) -> (Option<Date>, Option<Date>) {
        let (start, end) =
            (self.read("start_date", DAY, bounded_day), self.read("end_date", DAY, bounded_day));
        if start.zip(end).is_some_and(|(start, end)| end < start) {
            self.fault("end_date", ErrorCode::EndBeforeStart, "must not be before the start date");
        }
        (start, end)
    }

    /// The same where both are needed.
    pub(super) fn both_days(&mut self) -> Option<(Date, Date)> {
        let (start, end) = self.days();
        for (name, day) in [("start_date", start), ("end_date", end)] {
            if day.is_none() {
                self.fault(name, ErrorCode::Required, "is missing");
            }
        }
        start.zip(end)
    }

    /// The members that `include` names, separated by commas; each is one of `known`.
    pub(super) fn include(&mut self, known: &[&str]) -> Vec<String> {
        let expected = format!("use names of {}, with commas between them", known.join(", "));
        let names = |text: &str| {
            let names = text.split(',').map(|name| name.trim().to_owned());
            names.map(|name| Some(name).filter(|name| known.contains(&name.as_str()))).collect()
        };
        self.read("include", &expected, names).unwrap_or_default()
    }

    /// Which items to show: none on a page that `limit` cuts off. 422 with every mistake of the parameters that were
    /// read.
    pub(super) fn window(&mut self) -> Result<Window, ApiError> {
        if self.faults.is_empty() {
            return Ok(self.items());
        }
        Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, std::mem::take(&mut self.faults)))
    }

    fn items(&self) -> Window {
        let offset = i64::from(self.page.saturating_sub(1)).saturating_mul(self.per_page.into());
        let left = self.limit.map_or(i64::MAX, |limit| i64::from(limit).saturating_sub(offset));
        Window { offset, size: i64::from(self.per_page).min(left).max(0) }
    }

    /// The answer with the headers that lead to the other pages. `found` is how many items there are, whatever
    /// `limit` says.
    pub(super) fn answer(&self, body: &impl Serialize, found: i64) -> Response {
        let total = self.limit.map_or(found, |limit| found.min(limit.into())).max(0);
        let mut response = axum::Json(body).into_response();
        let headers = response.headers_mut();
        headers.insert(TOTAL_COUNT, HeaderValue::from(total));
        if let Ok(links) = HeaderValue::from_str(&self.links(total)) {
            headers.insert(LINK, links);
        }
        response
    }

    /// RFC 8288: first, prev, next and last, as far as there are such pages.
    fn links(&self, total: i64) -> String {
        let per_page = i64::from(self.per_page);
        let last = total.saturating_add(per_page).saturating_sub(1).checked_div(per_page).unwrap_or(1).max(1);
        let page = i64::from(self.page);
        let prev = page.saturating_sub(1).min(last);
        let next = page.saturating_add(1);
        let places = [
            ("first", Some(1)),
            ("prev", Some(prev).filter(|prev| *prev >= 1)),
            ("next", Some(next).filter(|next| *next <= last)),
            ("last", Some(last)),
        ];
        let link = |(rel, page): (&str, Option<i64>)| {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.extend_pairs(&self.rest).append_pair("page", &page?.to_string());
            Some(format!("<{}?{}>; rel=\"{rel}\"", self.address, query.finish()))
        };
        places.into_iter().filter_map(link).collect::<Vec<_>>().join(", ")
    }
}

/// Which page of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes parameters")]
pub(super) struct PageParams {
    /// Items of a page; above 100 is taken as 100.
    #[param(rename = "perPage", minimum = 1, maximum = 4_294_967_295_i64, default = 25, example = 25, value_type = i64, required = false)]
    per_page: Option<u32>,
    /// Which page.
    #[param(minimum = 1, maximum = 4_294_967_295_i64, default = 1, example = 1, value_type = i64, required = false)]
    page: Option<u32>,
    /// Items on all pages together, at most.
    #[param(minimum = 1, maximum = 4_294_967_295_i64, example = 100, value_type = i64, required = false)]
    limit: Option<u32>,
}

/// Only what is about a property.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes a parameter")]
pub(super) struct PropertyQuery {
    /// Only those of this property. An empty one is refused.
    #[param(
        format = Uuid, min_length = 36, max_length = 36, value_type = String, required = false,
        example = "0197f4f2-0000-7000-8000-0000000000a1"
    )]
    property_id: Option<String>,
}

/// Only what changed.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes a parameter")]
pub(super) struct LastModifiedQuery {
    /// Only those changed at this time or later: ISO 8601, a day counts from midnight UTC.
    #[param(value_type = String, required = false, example = "2026-11-01T00:00:00Z")]
    last_modified: Option<String>,
}

/// Describes the headers that lead from a page to the others, where an operation is a list.
pub(super) fn describe_pages(operation: &mut Operation) {
    let listed = operation.parameters.iter().flatten().any(|parameter| match parameter {
        RefOr::T(parameter) => parameter.name == "perPage",
        RefOr::Ref(_) => false,
    });
    if let (true, Some(RefOr::T(page))) = (listed, operation.responses.responses.get_mut("200")) {
        let total = ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0));
        let total = HeaderBuilder::new().schema(Some(total));
        let total = total.description(Some("Items on all pages together, `limit` counted.")).build();
        page.headers.insert("X-Total-Count".to_owned(), RefOr::T(total));
        let links = "The pages `first`, `prev`, `next` and `last` as far as they exist (RFC 8288), and `successor-version`.";
        page.headers.insert("Link".to_owned(), RefOr::T(text_header(links)));
    }
}

/// A header that holds a text.
pub(super) fn text_header(about: &str) -> Header {
    let text = ObjectBuilder::new().schema_type(Type::String);
    HeaderBuilder::new().schema(Some(text)).description(Some(about)).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(page: u32, per_page: u32, limit: Option<u32>, rest: &[(&str, &str)]) -> Listing {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Listing {
            params: Params::default(),
            faults: Vec::new(),
            page,
            per_page,
            limit,
            address: "https://gateway.example/api/dev/users".to_owned(),
            rest: rest.iter().map(owned).collect(),
        }
    }

    #[test]
    fn a_limit_cuts_the_last_page_and_those_behind_it() {
        let window = |page, per_page, limit| {
            let listing = listing(page, per_page, limit, &[]);
            (listing.items().offset, listing.items().size)
        };
        assert_eq!(window(1, 25, None), (0, 25));
        assert_eq!(window(3, 25, None), (50, 25));
        assert_eq!(window(1, 25, Some(10)), (0, 10));
        assert_eq!(window(2, 25, Some(30)), (25, 5));
        assert_eq!(window(3, 25, Some(30)), (50, 0));
        assert_eq!(window(u32::MAX, 100, Some(1)), (429_496_729_400, 0));
    }

    #[test]
    fn links_lead_to_the_pages_that_there_are_and_keep_the_other_parameters() {
        let rels = |page, total| {
            let links = listing(page, 10, None, &[]).links(total);
            let plain = links.replace("https://gateway.example/api/dev/users?", "").replace("rel=", "");
            plain.replace(['<', '>', '"', ';'], "")
        };
        assert_eq!(rels(1, 0), "page=1 first, page=1 last");
        assert_eq!(rels(1, 11), "page=1 first, page=2 next, page=2 last");
        assert_eq!(rels(2, 30), "page=1 first, page=1 prev, page=3 next, page=3 last");
        assert_eq!(rels(9, 30), "page=1 first, page=3 prev, page=3 last");
        let kept = listing(1, 10, None, &[("perPage", "10"), ("status", "a>b c")]).links(5);
        assert!(kept.starts_with(
            "<https://gateway.example/api/dev/users?perPage=10&status=a%3Eb+c&page=1>; rel=\"first\""
        ));
    }
}
