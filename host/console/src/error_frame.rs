//! Pages that refuse, in the frame of the console, for whoever is signed in.

use crate::Console;
use crate::errors::PageError;
use crate::page::{Layout, Section};
use crate::session::{self, Viewer, next_page};
use crate::template::html;
use askama::Template;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::http::header::REFERER;
use axum::middleware::Next;
use axum::response::Response;
use url::{Position, Url};

#[derive(Template)]
#[template(path = "error_framed.html")]
struct FramedErrorPage<'a> {
    layout: Layout,
    title: &'static str,
    sentences: &'a [String],
    /// The page that led here.
    back: Option<&'a str>,
    /// What the address is about: its list, and the document of an action.
    about: Vec<(String, &'static str)>,
}

/// Puts a page that refuses into the frame, where somebody is signed in, with a link to the page that led there.
pub(crate) async fn with_frame(State(console): State<Console>, request: Request, next: Next) -> Response {
    let mut context = session::parts_of_viewer(&request);
    let mut response = next.run(request).await;
    let Some(error) = response.extensions_mut().remove::<PageError>() else { return response };
    let Ok(viewer) = Viewer::from_request_parts(&mut context, &console).await else { return response };
    let referrer = context.headers.get(REFERER).and_then(|address| Url::parse(address.to_str().ok()?).ok());
    let back = referrer.as_ref().map(|url| next_page(&url[Position::BeforePath..Position::AfterQuery]));
    let (title, sentences) = (error.title(), error.sentences.as_slice());
    let layout = Layout::new(&viewer, Section::of(context.uri.path()), title);
    let about = pages_above(context.uri.path(), error.status);
    *response.body_mut() = html(&FramedErrorPage { layout, title, sentences, back, about }).into_body();
    response
}

/// The pages that an address stands below. A document that is not there has none.
fn pages_above(path: &str, status: StatusCode) -> Vec<(String, &'static str)> {
    let parts: Vec<_> = path.split('/').skip(1).collect();
    let document = match parts.as_slice() {
        ["console", "invoices", id, _, ..]
            if ![StatusCode::NOT_FOUND, StatusCode::GONE].contains(&status) =>
        {
            Some((format!("/console/invoices/{id}"), "To the document"))
        }
        _ => None,
    };
    let list = match parts.as_slice() {
        ["console", "invoices", _, ..] => Some(("/console/invoices".to_owned(), "To the invoices")),
        ["console", "workspaces", _, ..] => Some(("/console/workspaces".to_owned(), "To the workspaces")),
        ["console", "clients", _, ..] => Some(("/console/clients".to_owned(), "To the clients")),
        ["console", "webhooks", _, ..] => Some(("/console/webhooks".to_owned(), "To the webhooks")),
        ["console", "plugins", _, ..] => Some(("/console/plugins".to_owned(), "To the plugins")),
        _ => None,
    };
    document.into_iter().chain(list).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_that_is_refused_leads_back_to_its_document_and_to_the_list() {
        let above = |path: &str, status| {
            pages_above(path, status).into_iter().map(|(page, _)| page).collect::<Vec<_>>()
        };
        let action = "/console/invoices/1/issue";
        assert_eq!(above(action, StatusCode::CONFLICT), ["/console/invoices/1", "/console/invoices"]);
        assert_eq!(above(action, StatusCode::NOT_FOUND), ["/console/invoices"]);
        assert_eq!(above("/console/invoices/1", StatusCode::NOT_FOUND), ["/console/invoices"]);
        assert_eq!(above("/console/plugins/activate", StatusCode::CONFLICT), ["/console/plugins"]);
        assert_eq!(above("/console/invoices", StatusCode::NOT_FOUND), Vec::<String>::new());
    }
}
