//! Forms with a file, which a page of the session has to have sent: the token comes before the file, which is not read from anybody
//! else.

use crate::errors::PageError;
use crate::rights::Right;
use crate::session::{self, TOKEN_FIELD, Viewer};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::StatusCode;
use gateway_presentation::Fields;

/// What was sent.
#[derive(Debug)]
pub(crate) struct Upload {
    /// Every member before the file.
    pub(crate) fields: Fields,
    /// What the file is called where it comes from; empty where nobody says.
    pub(crate) file_name: String,
    /// Its media type as the browser knows it; empty where it does not.
    pub(crate) media_type: String,
    /// The file, not empty.
    pub(crate) file: Vec<u8>,
}

fn unreadable_form(_: impl std::fmt::Debug) -> PageError {
    let sentence = "the form cannot be read: choose a file and send it again";
    PageError::refused(StatusCode::UNPROCESSABLE_ENTITY, sentence)
}

/// Reads the form of somebody who has a right; the member `file_field` is the file, and the last one that is read.
pub(crate) async fn read(
    viewer: &Viewer,
    right: Right,
    request: Request,
    file_field: &str,
) -> Result<Upload, PageError> {
    session::ensure_same_origin(request.headers())?;
    let mut form = Multipart::from_request(request, &()).await.map_err(unreadable_form)?;
    let (mut fields, mut is_own) = (Fields::default(), false);
    while let Some(field) = form.next_field().await.map_err(unreadable_form)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == TOKEN_FIELD {
            session::ensure_sent_by(viewer, &field.text().await.map_err(unreadable_form)?)?;
            right.demand(&viewer.signed_in)?;
            is_own = true;
        } else if !is_own {
            session::ensure_sent_by(viewer, "")?;
        } else if name == file_field {
            let file_name = field.file_name().unwrap_or_default().to_owned();
            let media_type = field.content_type().unwrap_or_default().to_owned();
            let file = field.bytes().await.map_err(unreadable_form)?.to_vec();
            return if file.is_empty() {
                Err(unreadable_form("no file"))
            } else {
                Ok(Upload { fields, file_name, media_type, file })
            };
        } else {
            fields.push(name, field.text().await.map_err(unreadable_form)?);
        }
    }
    Err(unreadable_form("no file"))
}
