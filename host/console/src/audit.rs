//! Who did what, outside of documents.

use crate::errors::{PageError, PageResult};
use crate::page::{Layout, Section, page};
use crate::rights::sees_all;
use crate::session::Viewer;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use gateway_access::Audit;
use gateway_domain::ids::InvoiceId;
use gateway_domain_events::{AuditEntry, AuditFilter};
use gateway_http::query::{self, Params, cursor};
use gateway_presentation::format;

/// Entries of a page.
const ROWS: usize = 50;

#[derive(Debug)]
struct EntryRow {
    at: String,
    actor: String,
    action: String,
    subject: String,
    data: String,
}

#[derive(Template)]
#[template(path = "audit.html")]
struct AuditPage {
    layout: Layout,
    rows: Vec<EntryRow>,
    actor: String,
    subject: String,
    next: Option<String>,
}

/// The trail, the newest entry first. It tells of every workspace, so only who sees all of them reads it.
pub(crate) async fn show(viewer: Viewer, State(audit): State<Audit>, params: Params) -> PageResult {
    if !sees_all(&viewer.signed_in) {
        let sentence = "the audit trail is for clients that see every workspace";
        return Err(PageError::refused(StatusCode::FORBIDDEN, sentence));
    }
    params.only(&["actor", "subject", "after"])?;
    let typed = |name| params.text(name).unwrap_or_default();
    let (actor, subject) = (typed("actor"), typed("subject"));
    let after = params.parse("after", "use the end of a page", query::page_key)?;
    let filter = AuditFilter { actor: actor.trim(), subject: subject.trim() };
    let (entries, more) = audit.page(filter, after.map(|(at, id)| (at, id.0)), ROWS).await?;
    let next = entries.last().filter(|_| more).map(|last| {
        let after = cursor((last.at, InvoiceId(last.id)));
        let members = [("actor", actor.as_str()), ("subject", subject.as_str()), ("after", after.as_str())];
        format!("/console/audit?{}", format::query(members))
    });
    let row = |entry: &AuditEntry| EntryRow {
        at: format::time(entry.at),
        actor: format::actor(&entry.actor),
        action: entry.action.clone(),
        subject: entry.subject.clone(),
        data: entry.data.to_string(),
    };
    page(&AuditPage {
        layout: Layout::new(&viewer, Section::Audit, "Audit"),
        rows: entries.iter().map(row).collect(),
        actor,
        subject,
        next,
    })
}
