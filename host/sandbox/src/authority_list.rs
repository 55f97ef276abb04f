//! The authority's own list of the records that it holds, one path for each tax regime: the regime's plugin answers, of what the
//! stand-in accepted. It asks for no token: a real authority knows by a certificate who asks. Markers in the recipient's name have it
//! leave a record out, or list another total.

use crate::context::Context;
use crate::entry::Entry;
use crate::runner;
use crate::steering::{Listing, Steering};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use gateway_domain::StoreError;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::RegimeKey;
use gateway_domain_reconciliation::{FiledRecord, ListingQuestion};
use gateway_storage::sandbox::{self as store, EntryOrder};
use serde_json::Value;
use std::sync::Arc;
use uuid::Uuid;

/// Where the lists are below the stand-in.
pub const AUTHORITIES_PATH: &str = "authorities";
/// The newest documents are listed: a stand-in has few.
const LISTED_MAX: i64 = 1_000;
/// Of all of them together; what a plugin takes in one call is twice as much.
const LISTED_BYTES_MAX: usize = 8 << 20;

/// Its routes.
pub(crate) fn router(context: Arc<Context>) -> Router {
    Router::new()
        .route(&format!("/{AUTHORITIES_PATH}/{{regime}}"), any(list))
        .route(&format!("/{AUTHORITIES_PATH}/{{regime}}/{{*below}}"), any(list))
        .with_state(context)
}

async fn list(
    State(sandbox): State<Arc<Context>>,
    address: Uri,
    Path(path): Path<Vec<(String, String)>>,
    body: Bytes,
) -> Result<Response, StatusCode> {
    let regime: RegimeKey =
        path.first().and_then(|(_, regime)| regime.parse().ok()).ok_or(StatusCode::NOT_FOUND)?;
    let below = format!("/{AUTHORITIES_PATH}/{regime}");
    let target = address.to_string().strip_prefix(&below).unwrap_or_default().to_owned();
    let filed = filed(&sandbox, &regime).await.map_err(|error| {
        tracing::error!(error = &error as &dyn std::error::Error, "The sandbox's records could not be read");
        StatusCode::INTERNAL_SERVER_ERROR
    })?;
    let question = ListingQuestion { target, body: body.to_vec() };
    match sandbox.authority.listing(&regime, &question, &filed).await {
        Ok(answer) => {
            let kind =
                if answer.first() == Some(&b'<') { "text/xml; charset=utf-8" } else { "application/json" };
            Ok(([(header::CONTENT_TYPE, kind)], answer).into_response())
        }
        Err(ConverterError::UnknownRegime(_)) => Err(StatusCode::NOT_FOUND),
        Err(ConverterError::Busy) => Err(StatusCode::SERVICE_UNAVAILABLE),
        Err(error @ (ConverterError::Faults(_) | ConverterError::Broken(_))) => {
            tracing::warn!("The sandbox's authority of {regime} could not list its records: {error}");
            Err(StatusCode::INTERNAL_SERVER_ERROR)
        }
    }
}

/// What the authority of a regime accepted, the oldest first.
async fn filed(sandbox: &Context, regime: &RegimeKey) -> Result<Vec<FiledRecord>, StoreError> {
    let newest = (sandbox.clock.now(), Uuid::max());
    let (mut filed, mut bytes) = (Vec::new(), 0_usize);
    for row in store::entries(&sandbox.db, EntryOrder::NewestFirst, newest, LISTED_MAX).await? {
        let entry = Entry::try_from(row)?;
        let Some(key) = &entry.body.accepted_record else { continue };
        if runner::regime(sandbox, &entry.body.document).await?.as_ref() != Some(regime) {
            continue;
        }
        let Some(document) = listed(entry.body.document.clone()) else { continue };
        let Some(record) = store::record(&sandbox.db, regime.as_str(), key).await? else { continue };
        let document = document.to_string();
        bytes = bytes.saturating_add(document.len()).saturating_add(record.len());
        if bytes > LISTED_BYTES_MAX {
            break;
        }
        filed.push(FiledRecord { document, record });
    }
    filed.reverse();
    Ok(filed)
}

/// A document as its record is listed; none of one that a tester has left out.
fn listed(mut document: Value) -> Option<Value> {
    match Steering::of(&document).listing {
        Listing::AsFiled => {}
        Listing::Omitted => return None,
        Listing::WithTotal(total) => {
            if let Some(member) = document.pointer_mut("/totals/total_with_tax") {
                *member = total.into();
            }
        }
    }
    Some(document)
}
