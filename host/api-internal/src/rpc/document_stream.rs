//! A list of documents as one stream, sent page by page while it is read: JSON, one document a line, or CSV.

use crate::errors::ApiError;
use crate::errors::refuse;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use gateway_http::accept::Accept;
use gateway_invoicing::{Listing, ListingFormat};

pub(super) const JSON: &str = "application/json";
pub(super) const NDJSON: &str = ListingFormat::Lines.media_type();
pub(super) const CSV: &str = "text/csv";

gateway_http::refusals! {
    /// A list is none of the media types that the client takes.
    NoSuchList: ("accept", NotAcceptable, "a list is application/json, application/x-ndjson or text/csv: take one of them");
}

/// How a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListFormat {
    /// A page of JSON.
    Page,
    /// All of it, a document a line.
    Lines,
    /// All of it, a document a row.
    Rows,
}

impl ListFormat {
    /// What the client would rather have; a page when it does not care.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, ApiError> {
        let accept = Accept::of(headers);
        let offered = [(Self::Rows, CSV), (Self::Lines, NDJSON), (Self::Page, JSON)];
        let liked = offered.into_iter().filter_map(|(format, name)| Some((accept.preference(name)?, format)));
        // Of equals the last one is taken.
        liked.max_by_key(|(preference, _)| *preference).map(|(_, format)| format).ok_or_else(|| {
            let sentence = "a list is application/json, application/x-ndjson or text/csv: take one of them";
            refuse(StatusCode::NOT_ACCEPTABLE, "accept", ErrorCode::NotAcceptable, sentence)
        })
    }

    /// How a whole list is written; none for a page.
    pub(super) const fn of_a_whole(self) -> Option<ListingFormat> {
        match self {
            Self::Page => None,
            Self::Lines => Some(ListingFormat::Lines),
            Self::Rows => Some(ListingFormat::Rows),
        }
    }
}

/// The whole list, in its order. A connection that breaks before the end breaks off the answer, so a reader who got its end got
/// everything.
pub(super) async fn answer(listing: Listing, format: ListingFormat) -> Result<Response, ApiError> {
    let parts = listing.into_parts().await.map_err(ApiError::internal)?;
    let headers = [(header::CONTENT_TYPE, format.media_type()), (header::VARY, "accept")];
    Ok((headers, Body::from_stream(parts)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(accept: Option<&'static str>) -> Option<ListFormat> {
        let mut headers = HeaderMap::new();
        headers.extend(accept.map(|accept| (header::ACCEPT, accept.parse().unwrap())));
        ListFormat::of(&headers).ok()
    }

    #[test]
    fn a_client_gets_what_it_would_rather_have_and_a_page_if_it_does_not_care() {
        for (accept, format) in [
            (None, ListFormat::Page),
            (Some("*/*"), ListFormat::Page),
            (Some("application/json"), ListFormat::Page),
            (Some("application/x-ndjson"), ListFormat::Lines),
            (Some("text/csv"), ListFormat::Rows),
            (Some("text/*"), ListFormat::Rows),
            (Some("text/csv;q=0.5, application/x-ndjson"), ListFormat::Lines),
            (Some("text/csv, */*;q=0.1"), ListFormat::Rows),
        ] {
            assert_eq!(chosen(accept), Some(format), "{accept:?}");
        }
        assert_eq!(chosen(Some("application/pdf")), None);
    }
}
