//! `/silo/v1/entries`: documents are checked, stored once, and merged.

use crate::answer::Refusal;
use crate::check::check;
use crate::context::Context;
use crate::document::{self, NoDocument};
use crate::entry::Entry;
use crate::request;
use crate::steering::Steering;
use crate::views::{EntryView, MessagesView};
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use gateway_domain::StoreError;
use gateway_domain::regime::ProviderFault;
use gateway_storage::{Id, sandbox as store};
use serde_json::Value;
use std::sync::Arc;

type Body = Result<Bytes, BytesRejection>;

impl From<NoDocument> for Refusal {
    fn from(error: NoDocument) -> Self {
        let key = match error {
            NoDocument::Missing => "no-document",
            NoDocument::UnknownSchema(_) => "unknown-schema",
        };
        let fault = ProviderFault {
            provider: Some("gobl".to_owned()),
            code: Some(key.to_owned()),
            message: Some(error.to_string()),
            paths: vec!["$".to_owned()],
        };
        Self::invalid(key, &[fault])
    }
}

/// Stores a document. The same upload again is answered with the entry; anything else under a used id or key is
/// a conflict.
pub(crate) async fn put(
    State(sandbox): State<Arc<Context>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<EntryView>, Refusal> {
    let id = request::new_id(&id)?;
    let body = request::object(&headers, body)?;
    let key = request::key(&body)?;
    for unknown in ["previous_id", "correct"] {
        if body.get(unknown).is_some_and(|value| !value.is_null()) {
            return Err(Refusal::invalid_field(
                unknown,
                "is not offered by this stand-in: send a whole document",
            ));
        }
    }
    let source = document::unwrap_envelope(body.get("data").unwrap_or(&Value::Null))?;
    fail_if_steered(&sandbox, Id(id), &source).await?;
    let faults = check(&source);
    if !faults.is_empty() {
        return Err(Refusal::invalid("validation", &faults));
    }
    let mut new = Entry::new(id, key, source.clone(), sandbox.ids.next(), sandbox.clock.now());
    new.body.folder = body.get("folder").and_then(Value::as_str).map(str::to_owned);
    let mut tx = sandbox.db.begin().await?;
    store::insert_entry(&mut tx, &new.row()?);
    match tx.commit_at("sandbox-entry-stored").await {
        Ok(()) => return Ok(Json(EntryView::from(new))),
        Err(StoreError::Moved { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    match store::entry(&sandbox.db, Id(id)).await?.map(Entry::try_from).transpose()? {
        Some(known) if known.is_upload_of(&source, new.key.as_deref()) => Ok(Json(EntryView::from(known))),
        Some(_) => Err(Refusal::conflict("the entry's id is used by another document")),
        None => Err(Refusal::conflict("the key is used by another entry")),
    }
}

/// `SANDBOX-FAIL-<n>`: the first n uploads and changes of this entry find nobody at home.
async fn fail_if_steered(sandbox: &Context, id: Id, source: &Value) -> Result<(), Refusal> {
    let failures = Steering::of(source).fail;
    if failures == 0 {
        return Ok(());
    }
    let mut tx = sandbox.db.begin().await?;
    let call = store::count_call(&mut tx, id).await?;
    tx.commit_at("sandbox-call-counted").await?;
    if call <= failures { Err(Refusal::unavailable()) } else { Ok(()) }
}

/// Merges into the stored document (RFC 7396), or, sent as `application/json`, puts another one in its place; keeps a version.
pub(crate) async fn patch(
    State(sandbox): State<Arc<Context>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<EntryView>, Refusal> {
    let id = request::id(&id)?;
    let body = request::object(&headers, body)?;
    let is_merged = match body.get("content_type").and_then(Value::as_str) {
        None | Some("" | "application/merge-patch+json") => true,
        Some("application/json") => false,
        Some(_) => {
            return Err(Refusal::invalid_field(
                "content_type",
                "must be application/merge-patch+json or application/json",
            ));
        }
    };
    let patch = body.get("data").filter(|data| data.is_object()).ok_or(NoDocument::Missing)?;
    let patch = patch.get("doc").unwrap_or(patch).clone();
    let mut entry = find(&sandbox, id).await?;
    let source = if is_merged { document::merged(entry.body.document.clone(), patch) } else { patch };
    let source = document::unwrap_envelope(&source)?;
    fail_if_steered(&sandbox, Id(id), &source).await?;
    let faults = check(&source);
    if !faults.is_empty() {
        return Err(Refusal::invalid("validation", &faults));
    }
    entry.replace(source, sandbox.clock.now());
    if let Some(folder) = body.get("folder").and_then(Value::as_str) {
        entry.body.folder = Some(folder.to_owned());
    }
    let mut tx = sandbox.db.begin().await?;
    store::update_entry(&mut tx, &entry.row()?);
    match tx.commit_at("sandbox-entry-patched").await {
        Ok(()) => Ok(Json(EntryView::from(entry))),
        Err(StoreError::Moved { .. }) => {
            Err(Refusal::conflict("the entry was changed meanwhile: read it and patch again"))
        }
        Err(error) => Err(error.into()),
    }
}

/// One entry.
pub(crate) async fn get(
    State(sandbox): State<Arc<Context>>,
    Path(id): Path<String>,
) -> Result<Json<EntryView>, Refusal> {
    Ok(Json(EntryView::from(find(&sandbox, request::id(&id)?).await?)))
}

/// One entry, by its key.
pub(crate) async fn get_by_key(
    State(sandbox): State<Arc<Context>>,
    Path(key): Path<String>,
) -> Result<Json<EntryView>, Refusal> {
    let row = store::entry_by_key(&sandbox.db, &key).await?.ok_or_else(|| Refusal::not_found("entry"))?;
    Ok(Json(EntryView::from(Entry::try_from(row)?)))
}

/// An entry's structured document and the messages to and from the authority: not of the provider's protocol.
pub(crate) async fn get_messages(
    State(sandbox): State<Arc<Context>>,
    Path(id): Path<String>,
) -> Result<Json<MessagesView>, Refusal> {
    Ok(Json(MessagesView::from(&find(&sandbox, request::id(&id)?).await?)))
}

/// What went over the wire to the authority, or came from it.
pub(crate) async fn get_file(
    State(sandbox): State<Arc<Context>>,
    Path((id, file)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let file = request::id(&file)?;
    let entry = find(&sandbox, request::id(&id)?).await?;
    let file = entry.body.files.into_iter().find(|known| known.id == file);
    let file = file.ok_or_else(|| Refusal::not_found("file"))?;
    Ok(([(header::CONTENT_TYPE, file.mime)], file.data).into_response())
}

pub(crate) async fn find(sandbox: &Context, id: uuid::Uuid) -> Result<Entry, Refusal> {
    let row = store::entry(&sandbox.db, Id(id)).await?.ok_or_else(|| Refusal::not_found("entry"))?;
    Ok(Entry::try_from(row)?)
}
