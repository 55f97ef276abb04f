//! Keys: those that sign tokens, which are published, and how to rotate them.

use crate::Console;
use crate::errors::PageResult;
use crate::form_claim::FormClaim;
use crate::page::{Layout, Section, page};
use crate::rights::Right;
use crate::session::{SentForm, Viewer};
use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::routing::get;
use gateway_access::{RequestClaims, Tokens};
use gateway_presentation::format;
use std::sync::Arc;

pub(crate) fn routes() -> Router<Console> {
    Router::new().route("/console/keys", get(show).post(rotate))
}

#[derive(Template)]
#[template(path = "keys.html")]
struct KeysPage {
    layout: Layout,
    published: Vec<String>,
    /// The key that was just made, and when it signs.
    rotated: Option<(String, String)>,
}

async fn keys(viewer: &Viewer, tokens: &Tokens, rotated: Option<(String, String)>) -> PageResult {
    let published = tokens.jwks().await?;
    page(&KeysPage {
        layout: Layout::new(viewer, Section::Keys, "Keys"),
        published: published.keys.iter().map(|key| key.kid().to_owned()).collect(),
        rotated,
    })
}

/// The keys that are published.
async fn show(viewer: Viewer, State(tokens): State<Arc<Tokens>>) -> PageResult {
    keys(&viewer, &tokens, None).await
}

/// Makes another key sign tokens.
async fn rotate(
    State(tokens): State<Arc<Tokens>>,
    State(claims): State<RequestClaims>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    Right::OperateAll.demand(&viewer.signed_in)?;
    let claim = FormClaim::claim(&claims, &viewer, &fields, "rotate the signing key").await?;
    let rotated = tokens.rotate_signing_key(&viewer.actor()).await;
    claim.settle(&claims, &rotated).await;
    let rotated = rotated?;
    let named = (rotated.kid.clone(), format::time(rotated.signs_from));
    keys(&viewer, &tokens, Some(named)).await
}
