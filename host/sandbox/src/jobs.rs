//! `/transform/v1/jobs`: a job is taken at once and run later.

use crate::answer::Refusal;
use crate::context::Context;
use crate::entries;
use crate::entry::state;
use crate::job::{Job, JobBody, JobRequest, status};
use crate::request;
use crate::steering::Steering;
use crate::views::JobView;
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use gateway_domain::StoreError;
use gateway_storage::{Id, sandbox as store};
use serde_json::Value;
use std::sync::Arc;
use uuid::Uuid;

/// Takes a job. The same request again is answered with the job as it is; another one under a used id or key is a
/// conflict. Any workflow id but the nil UUID is known.
pub(crate) async fn put(
    State(sandbox): State<Arc<Context>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<(StatusCode, Json<JobView>), Refusal> {
    let id = request::new_id(&id)?;
    let requested = parse_request(&request::object(&headers, body)?)?;
    if requested.workflow_id.is_nil() {
        return Err(Refusal::not_found("workflow"));
    }
    let entry = entries::find(&sandbox, requested.silo_entry_id).await?;
    let now = sandbox.clock.now();
    let body = JobBody {
        request: requested.clone(),
        status: status::QUEUED.to_owned(),
        created_at: now,
        updated_at: now,
        completed_at: None,
        faults: Vec::new(),
        intents: Vec::new(),
    };
    let delay = sandbox.delays.job.saturating_add(Steering::of(&entry.body.document).slow.unsigned_abs());
    let job = Job::new(id, body, sandbox.after(delay));
    let mut tx = sandbox.db.begin().await?;
    store::insert_job(&mut tx, &job.row()?);
    let mut entry = entry;
    state::PROCESSING.clone_into(&mut entry.body.state);
    store::update_entry_if_same(&mut tx, &entry.row()?);
    match tx.commit_at("sandbox-job-taken").await {
        Ok(()) => return Ok((StatusCode::ACCEPTED, Json(JobView::from(&job)))),
        Err(StoreError::Moved { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    match store::job(&sandbox.db, Id(id)).await?.map(Job::try_from).transpose()? {
        Some(known) if known.body.request == requested => {
            Ok((StatusCode::ACCEPTED, Json(JobView::from(&known))))
        }
        Some(_) => Err(Refusal::conflict("the job's id is used by another request")),
        None => Err(Refusal::conflict("the key is used by another job")),
    }
}

fn parse_request(body: &Value) -> Result<JobRequest, Refusal> {
    let uuid = |field: &'static str| -> Result<Uuid, Refusal> {
        let text = body.get(field).and_then(Value::as_str);
        text.and_then(|text| text.parse().ok()).ok_or_else(|| Refusal::invalid_field(field, "must be a UUID"))
    };
    if body.get("data").is_some_and(|data| !data.is_null()) {
        return Err(Refusal::invalid_field("data", "is not offered by this stand-in: store an entry first"));
    }
    let tags = match body.get("tags") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(tags) => serde_json::from_value(tags.clone()),
    };
    Ok(JobRequest {
        workflow_id: uuid("workflow_id")?,
        silo_entry_id: uuid("silo_entry_id")?,
        key: request::key(body)?,
        args: body.get("args").filter(|args| !args.is_null()).cloned(),
        tags: tags.map_err(|_| Refusal::invalid_field("tags", "must be a list of strings"))?,
    })
}

/// One job.
pub(crate) async fn get(
    State(sandbox): State<Arc<Context>>,
    Path(id): Path<String>,
) -> Result<Json<JobView>, Refusal> {
    let row =
        store::job(&sandbox.db, Id(request::id(&id)?)).await?.ok_or_else(|| Refusal::not_found("job"))?;
    Ok(Json(JobView::from(&Job::try_from(row)?)))
}

/// One job, by its key.
pub(crate) async fn get_by_key(
    State(sandbox): State<Arc<Context>>,
    Path(key): Path<String>,
) -> Result<Json<JobView>, Refusal> {
    let row = store::job_by_key(&sandbox.db, &key).await?.ok_or_else(|| Refusal::not_found("job"))?;
    Ok(Json(JobView::from(&Job::try_from(row)?)))
}
