//! What pages are told of that wait for news ([`gateway_http::live`]).

use crate::addresses::document_id;
use crate::errors::{PageError, PageResult};
use crate::session::Viewer;
use axum::extract::{Path, State};
use axum::response::Response;
use gateway_domain::StoreError;
use gateway_events::Events;
use gateway_finance::{DocumentLists, Submissions};
use secrecy::ExposeSecret;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often is looked whether one thing moved.
pub(crate) const ONE_EVERY: Duration = Duration::from_secs(1);
/// How often is looked whether anything did: a page that shows all of it costs more.
pub(crate) const ANYTHING_EVERY: Duration = Duration::from_secs(3);
/// Tells whenever `look` sees something else.
pub(crate) fn watch<F, L, E>(
    viewer: &Viewer,
    every: Duration,
    look: F,
    closing: CancellationToken,
) -> Response
where
    F: Fn() -> L + Send + 'static,
    L: Future<Output = Result<String, E>> + Send,
    E: Send,
{
    gateway_http::live::watch(viewer.signed_in.form_token.expose_secret(), every, look, closing)
}

/// Something happened, or another number of submissions waits for somebody. Where it happened is not told: the page shows what the
/// client may see.
pub(crate) async fn everything(
    viewer: Viewer,
    State(events): State<Events>,
    State(submissions): State<Submissions>,
    State(closing): State<CancellationToken>,
) -> PageResult {
    let look = move || {
        let (events, submissions) = (events.clone(), submissions.clone());
        async move { Ok::<_, StoreError>(format!("{} {:?}", events.head().await?, submissions.alerts().await?)) }
    };
    Ok(watch(&viewer, ANYTHING_EVERY, look, closing))
}

/// A document or its submission moved.
pub(crate) async fn document(
    viewer: Viewer,
    State(lists): State<DocumentLists>,
    State(submissions): State<Submissions>,
    State(closing): State<CancellationToken>,
    Path(id): Path<String>,
) -> PageResult {
    let id = document_id(&id)?;
    let acting = viewer.acting();
    // Whoever may not see it takes no place of those who wait.
    if lists.by_ids(&acting, &[id]).await?.is_empty() {
        return Err(PageError::not_found("there is no such document"));
    }
    let look = move || {
        let (lists, submissions, acting) = (lists.clone(), submissions.clone(), acting.clone());
        async move {
            let document = lists.by_ids(&acting, &[id]).await?.remove(&id);
            let submission = submissions.of_documents(&acting, &[id]).await?.remove(&id);
            Ok::<_, StoreError>(format!(
                "{:?} {:?}",
                document.map(|document| document.version),
                submission.map(|submission| submission.version)
            ))
        }
    };
    Ok(watch(&viewer, ONE_EVERY, look, closing))
}
