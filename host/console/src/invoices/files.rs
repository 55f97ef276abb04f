//! Files of documents: a list as CSV or NDJSON, a document as PDF, as it went out and as the authority got it, and its QR code.

use super::list;
use super::read;
use crate::addresses::document_id;
use crate::errors::{PageError, PageResult};
use crate::session::{Viewer, see_other};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use gateway_finance::{DocumentLists, Finance, Submissions};
use gateway_http::download::file;
use gateway_http::query::Params;
use gateway_invoicing::ListingFormat;
use gateway_platform::Bookings;
use gateway_presentation::{document_parts as parts, format, qr};
use gateway_rendering::{Rendering, RenderingError};

async fn listing(
    viewer: Viewer,
    (lists, bookings): (DocumentLists, Bookings),
    params: Params,
    format: ListingFormat,
) -> PageResult {
    let name = match format {
        ListingFormat::Lines => "invoices.ndjson",
        ListingFormat::Rows => "invoices.csv",
    };
    let query = list::query((&lists, &bookings), &viewer, &params).await?;
    let parts = lists.listing(viewer.acting(), query.filter, format).into_parts().await;
    let parts = parts.map_err(PageError::internal)?;
    Ok(file(format.media_type(), name, Body::from_stream(parts)))
}

/// The whole list as CSV.
pub(super) async fn rows(
    viewer: Viewer,
    State(lists): State<DocumentLists>,
    State(bookings): State<Bookings>,
    params: Params,
) -> PageResult {
    listing(viewer, (lists, bookings), params, ListingFormat::Rows).await
}

/// The whole list, JSON, a document a line.
pub(super) async fn lines(
    viewer: Viewer,
    State(lists): State<DocumentLists>,
    State(bookings): State<Bookings>,
    params: Params,
) -> PageResult {
    listing(viewer, (lists, bookings), params, ListingFormat::Lines).await
}

/// The document for people; without a renderer, the page that can be printed.
pub(super) async fn pdf(
    viewer: Viewer,
    State(rendering): State<Rendering>,
    Path(id): Path<String>,
    params: Params,
) -> PageResult {
    params.only(&["locale"])?;
    let id = document_id(&id)?;
    // Of the form, where nobody chose.
    let locale = params.text("locale").filter(|locale| !locale.is_empty());
    let rendered = match rendering.render(&viewer.acting(), id, locale.as_deref()).await {
        Err(RenderingError::NoRenderer) => {
            let query = format::query([("locale", locale.as_deref().unwrap_or_default())]);
            return Ok(see_other(&format::with_query(format!("/console/invoices/{id}/view"), &query)));
        }
        rendered => rendered?,
    };
    Ok(file(&rendered.media_type, &rendered.file_name, rendered.content.to_vec()))
}

async fn structured_document(
    submissions: &Submissions,
    viewer: &Viewer,
    id: &str,
) -> Result<gateway_finance::Structured, PageError> {
    let found = submissions.structured(&viewer.acting(), document_id(id)?).await?;
    found
        .ok_or_else(|| PageError::not_found("the document was not converted: there is nothing that went out"))
}

/// The structured document as sent.
pub(super) async fn structured(
    viewer: Viewer,
    State(submissions): State<Submissions>,
    Path(id): Path<String>,
) -> PageResult {
    let sent = structured_document(&submissions, &viewer, &id).await?.sent;
    let sent =
        sent.ok_or_else(|| PageError::not_found("it was issued by another system: nothing went out"))?;
    Ok(file("application/json", &format!("{id}.json"), sent))
}

/// The record as the authority got it.
pub(super) async fn record(
    viewer: Viewer,
    State(submissions): State<Submissions>,
    Path(id): Path<String>,
) -> PageResult {
    let message = structured_document(&submissions, &viewer, &id).await?.message;
    let message = message.ok_or_else(|| PageError::not_found("there is no record of the authority yet"))?;
    let name = format!("{id}-record.{}", message.file_extension());
    Ok(file(&message.media_type, &name, message.body))
}

/// The address at which anybody verifies the document, as a code.
pub(super) async fn qr_code(
    viewer: Viewer,
    State(finance): State<Finance>,
    Path(id): Path<String>,
) -> PageResult {
    let document = read::find(&finance, &viewer, document_id(&id)?).await?;
    let address = parts::acceptance(&document).and_then(|acceptance| acceptance.qr_url.as_deref());
    let address =
        address.ok_or_else(|| PageError::not_found("the document has no address to verify it at"))?;
    let code = qr::code(address).ok_or_else(|| {
        PageError::refused(StatusCode::UNPROCESSABLE_ENTITY, "the address is too long for a QR code")
    })?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], qr::svg(&code)).into_response())
}
