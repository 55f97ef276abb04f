//! Versions of renderers, on the page of plugins: what is installed, and which one makes documents for people.

use crate::Console;
use crate::errors::{PageError, PageResult};
use crate::page::{Layout, Section, page};
use crate::plugin_change::{ChangePage, NextStep};
use crate::rights::Right;
use crate::session::{SentForm, Viewer, see_other};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use gateway_domain::ids::ClientId;
use gateway_presentation::{Done, Fields, format};
use gateway_rendering::{ListedRenderer, RendererError, Rendering, renderer_id};
use std::collections::BTreeMap;

pub(crate) fn routes() -> Router<Console> {
    Router::new()
        .route("/console/plugins/renderers/confirm", post(confirm))
        .route("/console/plugins/renderers/change", post(carry_out))
}

#[derive(Debug)]
pub(crate) struct VersionRow {
    pub(crate) id: String,
    pub(crate) listed: ListedRenderer,
    pub(crate) size: String,
    pub(crate) installed: String,
    pub(crate) installer: format::ActorName,
}

/// Every version in the database.
pub(crate) async fn rows(
    rendering: &Rendering,
    clients: &BTreeMap<ClientId, String>,
) -> Result<Vec<VersionRow>, PageError> {
    let row = |listed: ListedRenderer| VersionRow {
        id: renderer_id(&listed.name, &listed.version),
        size: format::size(listed.size),
        installed: format::time(listed.installed_at),
        installer: format::actor(&listed.installed_by, clients),
        listed,
    };
    Ok(rendering.versions().list().await?.into_iter().map(row).collect())
}

/// What a return goes to, if there is something.
pub(crate) async fn roll_back_target(rendering: &Rendering) -> Result<Option<String>, PageError> {
    match rendering.versions().roll_back_target().await {
        Ok(id) => Ok(Some(id)),
        Err(RendererError::NothingBefore) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What a form asks for.
#[derive(Debug, Clone, Copy)]
enum Change<'f> {
    Activate(&'f str),
    RollBack,
    Disable,
}

impl<'f> Change<'f> {
    /// A renderer serves everybody, so only who may operate everything changes it.
    fn of(viewer: &Viewer, fields: &'f Fields) -> Result<Self, PageError> {
        Right::OperateAll.demand(&viewer.signed_in)?;
        match fields.text("action") {
            "activate" => Ok(Self::Activate(fields.text("name"))),
            "roll-back" => Ok(Self::RollBack),
            "disable" => Ok(Self::Disable),
            _ => Err(PageError::not_found("there is no such action")),
        }
    }

    /// What it is called, and what it does; `before` is what a return goes to.
    fn words(self, before: &str) -> (String, &'static str) {
        match self {
            Self::Activate(id) => {
                (format!("Put {id} in force"), "It makes every document, those that were issued before too.")
            }
            Self::RollBack => (format!("Return to {before}"), "That version makes every document again."),
            Self::Disable => {
                let sentence = "The renderer in the folder of plugins serves again, if there is one.";
                ("Take the renderer out of force".to_owned(), sentence)
            }
        }
    }
}

/// Says what a change does. Nothing changes.
async fn confirm(State(rendering): State<Rendering>, SentForm { viewer, fields }: SentForm) -> PageResult {
    let change = Change::of(&viewer, &fields)?;
    let before = match change {
        Change::RollBack => rendering.versions().roll_back_target().await?,
        Change::Activate(_) | Change::Disable => String::new(),
    };
    let (title, sentence) = change.words(&before);
    let carried = ["action", "name"].map(|member| (member, fields.text(member).to_owned()));
    page(&ChangePage {
        layout: Layout::new(&viewer, Section::Plugins, title.clone()),
        heading: title.clone(),
        sentence: format!("{sentence} Nothing changed yet."),
        is_refused: false,
        next: Some(NextStep {
            action: "renderers/change",
            title,
            is_dangerous: true,
            fields: carried.to_vec(),
        }),
        check: None,
    })
}

/// Carries a change out.
async fn carry_out(State(rendering): State<Rendering>, SentForm { viewer, fields }: SentForm) -> PageResult {
    let (versions, actor) = (rendering.versions(), viewer.actor());
    match Change::of(&viewer, &fields)? {
        Change::Activate(id) => drop(versions.activate(&actor, id).await?),
        Change::RollBack => drop(versions.roll_back(&actor).await?),
        Change::Disable => drop(versions.disable(&actor).await?),
    }
    Ok(see_other(&Done::Saved.address("/console/plugins")))
}

impl From<RendererError> for PageError {
    fn from(error: RendererError) -> Self {
        let status = match error {
            RendererError::NotTrusted(_)
            | RendererError::NotLoaded(_)
            | RendererError::Mismatch(_)
            | RendererError::Unnamed => StatusCode::UNPROCESSABLE_ENTITY,
            RendererError::Immutable { .. }
            | RendererError::NotActive
            | RendererError::NothingBefore
            | RendererError::ConcurrentChange => StatusCode::CONFLICT,
            RendererError::Unknown(_) => StatusCode::NOT_FOUND,
            RendererError::Start(cause) => return Self::internal(cause),
            RendererError::Store(cause) => return Self::internal(cause),
        };
        Self::refused(status, error.to_string())
    }
}
