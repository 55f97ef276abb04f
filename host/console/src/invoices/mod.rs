//! Documents: lists, one of them, and what is done about it.

mod action;
mod actions;
mod annotations;
mod bulk;
mod confirm;
mod files;
mod list;
mod read;
mod show;
mod view;

pub(crate) use annotations::body_bytes_max;

use crate::Console;
use axum::Router;
use axum::routing::{get, post};

pub(crate) fn routes() -> Router<Console> {
    Router::new()
        .route("/console/invoices", get(list::show))
        .route("/console/invoices.csv", get(files::rows))
        .route("/console/invoices.ndjson", get(files::lines))
        .route("/console/rejected", get(bulk::rejected))
        .route("/console/bulk", post(bulk::confirm))
        .route("/console/bulk/rejected", post(bulk::confirm_rejected))
        .route("/console/bulk/retry", post(bulk::confirm_workspace))
        .route("/console/bulk/carry-out", post(bulk::carry_out))
        .route("/console/invoices/{id}", get(show::show))
        .route("/console/invoices/{id}/view", get(view::show))
        .route("/console/invoices/{id}/pdf", get(files::pdf))
        .route("/console/invoices/{id}/structured.json", get(files::structured))
        .route("/console/invoices/{id}/record", get(files::record))
        .route("/console/invoices/{id}/qr.svg", get(files::qr_code))
        .merge(annotations::routes())
        .route("/console/invoices/{id}/{action}", get(confirm::show).post(actions::carry_out))
}
