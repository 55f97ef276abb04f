//! The logo that documents of a workspace show.

use super::{Notices, after, find, workspace_page};
use crate::errors::{PageError, PageResult};
use crate::rights::Right;
use crate::session::{SentForm, Viewer};
use crate::upload;
use axum::extract::{Path, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use gateway_domain::workspace::Printing;
use gateway_presentation::Done;
use gateway_workspaces::Workspaces;

/// The picture.
pub(super) async fn show(
    viewer: Viewer,
    State(workspaces): State<Workspaces>,
    Path(id): Path<String>,
) -> PageResult {
    let workspace = find(&workspaces, &viewer, &id).await?;
    let logo = workspaces.printing(workspace.id).await?.logo;
    let logo = logo.ok_or_else(|| PageError::not_found("the workspace has no logo"))?;
    Ok(([(CONTENT_TYPE, "image/png")], logo).into_response())
}

/// Shows another one.
pub(super) async fn set(
    viewer: Viewer,
    State(workspaces): State<Workspaces>,
    Path(id): Path<String>,
    request: Request,
) -> PageResult {
    let upload = upload::read(&viewer, Right::Operate, request, "logo").await?;
    let workspace = find(&workspaces, &viewer, &id).await?;
    let printing = Printing { logo: Some(upload.file), ..Printing::default() };
    match workspaces.set_printing(&viewer.actor(), workspace.id, &printing).await.map_err(PageError::from) {
        Ok(_) => Ok(after(Done::Saved, &id)),
        Err(error) if error.is_about_the_form() => {
            let form = ((&workspace).into(), Notices::refused(&error));
            let page = workspace_page(&viewer, &workspaces, &workspace, form).await?;
            Ok((error.status, page).into_response())
        }
        Err(error) => Err(error),
    }
}

/// Shows none; the template of its documents stays.
pub(super) async fn remove(
    State(workspaces): State<Workspaces>,
    Path(id): Path<String>,
    SentForm { viewer, .. }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let workspace = find(&workspaces, &viewer, &id).await?;
    workspaces.clear_logo(&viewer.actor(), workspace.id).await?;
    Ok(after(Done::Removed, &id))
}
