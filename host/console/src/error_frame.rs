//! Pages that refuse, in the frame of the console, for whoever is signed in.

use crate::Console;
use crate::errors::PageError;
use crate::page::{Layout, Section};
use crate::session::{self, Viewer, next_page};
use crate::template::html;
use askama::Template;
use axum::extract::{FromRequestParts, Request, State};
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
    *response.body_mut() = html(&FramedErrorPage { layout, title, sentences, back }).into_body();
    response
}
