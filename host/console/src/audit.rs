//! Who did what, outside of documents.

use crate::errors::{PageError, PageResult};
use crate::page::{Layout, Section, page};
use crate::rights::sees_all;
use crate::session::Viewer;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use gateway_access::{Audit, Clients};
use gateway_domain::ids::{ClientId, InvoiceId};
use gateway_domain_events::{AuditEntry, AuditFilter};
use gateway_http::query::{self, Params, cursor};
use gateway_presentation::format::{self, ActorName};
use gateway_presentation::{ListAddress, PageLinks};
use std::collections::BTreeMap;

/// Entries of a page.
const ROWS: usize = 50;

#[derive(Debug)]
struct EntryRow {
    at: String,
    actor: ActorName,
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
    /// Whether several clients are called as the actor that was typed.
    is_ambiguous: bool,
    subject: String,
    pages: PageLinks,
}

/// How clients are called that the viewer may look at.
pub(crate) async fn client_names(
    clients: &Clients,
    viewer: &Viewer,
) -> Result<BTreeMap<ClientId, String>, PageError> {
    let all = clients.list().await?;
    let visible = all.into_iter().filter(|client| viewer.workspaces().cover(&client.workspaces));
    Ok(visible.map(|client| (client.id, client.name)).collect())
}

/// The trail, the newest entry first. It tells of every workspace, so only who sees all of them reads it.
pub(crate) async fn show(
    viewer: Viewer,
    State(audit): State<Audit>,
    State(clients): State<Clients>,
    params: Params,
) -> PageResult {
    if !sees_all(&viewer.signed_in) {
        let sentence = "the audit trail is for clients that see every workspace";
        return Err(PageError::refused(StatusCode::FORBIDDEN, sentence));
    }
    params.only(&["actor", "subject", "after"])?;
    let typed = |name| params.text(name).unwrap_or_default();
    let (actor, subject) = (typed("actor"), typed("subject"));
    let after = params.parse("after", "use the end of a page", query::page_key)?;
    let names = client_names(&clients, &viewer).await?;
    let is_called_so = |name: &str| name.eq_ignore_ascii_case(actor.trim());
    let ids = names.iter().filter(|(_, name)| is_called_so(name)).map(|(id, _)| id.to_string());
    let ids: Vec<_> = ids.collect();
    let beginning = if let [id] = ids.as_slice() { id.as_str() } else { actor.trim() };
    let filter = AuditFilter { actor: beginning, subject: subject.trim() };
    let (entries, more) = audit.page(filter, after.map(|(at, id)| (at, id.0)), ROWS).await?;
    let narrowed = format::query([("actor", actor.as_str()), ("subject", subject.as_str())]);
    let list = ListAddress { path: "/console/audit", query: &narrowed };
    let end = entries.last().filter(|_| more).map(|last| cursor((last.at, InvoiceId(last.id))));
    // The trail is read from its newest entry on: what comes before a page is not asked for.
    let first = after.map(|_| list.with("", ""));
    let pages = PageLinks { first, ..PageLinks::by_places(list, None, end.as_deref()) };
    let row = |entry: &AuditEntry| EntryRow {
        at: format::time(entry.at),
        actor: format::actor(&entry.actor, &names),
        action: entry.action.clone(),
        subject: entry.subject.clone(),
        data: entry.data.to_string(),
    };
    page(&AuditPage {
        layout: Layout::new(&viewer, Section::Audit, "Audit"),
        rows: entries.iter().map(row).collect(),
        is_ambiguous: ids.len() > 1,
        actor,
        subject,
        pages,
    })
}
