//! Why there is no page, or why nothing was done, as a page.

use crate::template::html;
use askama::Template;
use axum::Extension;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway_access::{AccessError, ClientsError};
use gateway_domain::fault::Fault;
use gateway_domain::ports::ConverterError;
use gateway_domain::{FieldError, StoreError};
use gateway_finance::{CommandError, ReadError, RetryError};
use gateway_http::ApiErrors;
use gateway_presentation::{InvalidMembers, mistakes};
use gateway_registry::PluginError;
use gateway_rendering::RenderingError;
use gateway_webhooks::WebhookError;
use gateway_workspaces::WorkspaceError;

/// Why there is no page. Its sentences are for people; nothing internal is among them.
#[derive(Debug, Clone)]
pub(crate) struct PageError {
    pub(crate) status: StatusCode,
    /// At least one.
    pub(crate) sentences: Vec<String>,
    /// The members of the form that they are about, where that is known.
    pub(crate) members: Vec<String>,
}

/// What a handler answers.
pub(crate) type PageResult = Result<Response, PageError>;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    title: &'static str,
    sentences: &'a [String],
    assets: &'static str,
}

impl PageError {
    /// One sentence that says what to do.
    pub(crate) fn refused(status: StatusCode, sentence: impl Into<String>) -> Self {
        Self { status, sentences: vec![sentence.into()], members: Vec::new() }
    }

    /// Something is wrong with a member of a form; the sentence says what.
    pub(crate) fn about(member: &str, sentence: impl Into<String>) -> Self {
        let members = vec![member.to_owned()];
        Self { members, ..Self::refused(StatusCode::UNPROCESSABLE_ENTITY, sentence) }
    }

    /// The sentences about a form that was refused, and the members that they are about.
    pub(crate) fn sentences_and_members(refused: Option<&Self>) -> (&[String], InvalidMembers) {
        let Some(Self { sentences, members, .. }) = refused else { return (&[], InvalidMembers::default()) };
        (sentences, members.as_slice().into())
    }

    /// What is asked for does not exist, or not for this client.
    pub(crate) fn not_found(sentence: &str) -> Self {
        Self::refused(StatusCode::NOT_FOUND, sentence)
    }

    /// Members of a form have mistakes.
    pub(crate) fn mistakes(mistakes: &[FieldError]) -> Self {
        let sentences = mistakes.iter().map(mistakes::sentence).collect();
        let members = mistakes.iter().map(|mistake| mistake.field.clone()).collect();
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, sentences, members }
    }

    /// Several sentences about the document as a whole.
    const fn unprocessable(sentences: Vec<String>) -> Self {
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, sentences, members: Vec::new() }
    }

    /// What its page is called.
    pub(crate) fn title(&self) -> &'static str {
        mistakes::refusal_title(self.status.as_u16())
    }

    fn conflict(error: &impl ToString) -> Self {
        Self::refused(StatusCode::CONFLICT, error.to_string())
    }

    /// The gateway's own fault, which is logged here and not told.
    pub(crate) fn internal(cause: impl std::error::Error + 'static) -> Self {
        ApiErrors::internal(cause).into()
    }

    /// Whether it says something about what was asked for, so that the form is shown again with it.
    pub(crate) fn is_about_the_form(&self) -> bool {
        [StatusCode::UNPROCESSABLE_ENTITY, StatusCode::CONFLICT].contains(&self.status)
    }
}

impl From<ApiErrors> for PageError {
    fn from(errors: ApiErrors) -> Self {
        Self { status: errors.status(), ..Self::mistakes(errors.mistakes()) }
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let assets = crate::assets::VERSION;
        let page = html(&ErrorPage { title: self.title(), sentences: &self.sentences, assets });
        // The frame is put around it where it is known who looks (`error_frame`).
        (self.status, Extension(self), page).into_response()
    }
}

/// For addresses below `/console` that lead nowhere.
pub(crate) async fn unknown_page() -> PageError {
    PageError::not_found("there is no such page")
}

impl From<StoreError> for PageError {
    fn from(cause: StoreError) -> Self {
        Self::internal(cause)
    }
}

impl From<AccessError> for PageError {
    fn from(cause: AccessError) -> Self {
        Self::internal(cause)
    }
}

impl From<ReadError> for PageError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(cause) => Self::internal(cause),
            ReadError::InvoiceData(error) => Self::refused(StatusCode::BAD_GATEWAY, error.to_string()),
        }
    }
}

fn faults(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(|fault| format!("{} ({}) at {}", fault.message, fault.code, fault.path)).collect()
}

impl From<CommandError> for PageError {
    fn from(error: CommandError) -> Self {
        let sentence = error.to_string();
        let unprocessable = |mut more: Vec<String>| {
            more.insert(0, sentence.clone());
            Self::unprocessable(more)
        };
        match error {
            CommandError::Gone => Self::not_found("there is no such document"),
            CommandError::Refused(_) | CommandError::Issue(_) => unprocessable(Vec::new()),
            CommandError::Preflight(found) | CommandError::Converter(ConverterError::Faults(found)) => {
                unprocessable(faults(&found))
            }
            CommandError::PluginBroken(fault) | CommandError::Converter(ConverterError::Broken(fault)) => {
                unprocessable(faults(&[fault]))
            }
            CommandError::Invalid(mistakes) => Self::mistakes(&mistakes),
            CommandError::Rule(mistake) => Self::mistakes(&[mistake]),
            CommandError::Amendment(refused) => Self::mistakes(&refused.errors()),
            CommandError::Stale { .. } => {
                let sentence =
                    "somebody changed the document meanwhile: look at it again before you repeat this";
                Self::refused(StatusCode::CONFLICT, sentence)
            }
            CommandError::InProgress => Self::refused(StatusCode::CONFLICT, sentence),
            CommandError::Converter(ConverterError::UnknownRegime(_)) => unprocessable(Vec::new()),
            CommandError::Converter(ConverterError::Busy) => {
                Self::refused(StatusCode::SERVICE_UNAVAILABLE, "the gateway is busy: try again")
            }
            CommandError::InvoiceData(_) => Self::refused(StatusCode::BAD_GATEWAY, sentence),
            CommandError::Ids(cause) => Self::internal(cause),
            CommandError::Store(cause) => Self::internal(cause),
        }
    }
}

impl From<RetryError> for PageError {
    fn from(error: RetryError) -> Self {
        match error {
            RetryError::Gone => Self::not_found("there is no submission of such a document"),
            RetryError::Ended(_) | RetryError::NothingToRead | RetryError::Moved => Self::conflict(&error),
            RetryError::Store(cause) => Self::internal(cause),
        }
    }
}

impl From<ClientsError> for PageError {
    fn from(error: ClientsError) -> Self {
        match error {
            ClientsError::Unknown(_) => Self::not_found("there is no such client"),
            ClientsError::Disabled(_) => Self::conflict(&error),
            ClientsError::BadName => Self::about("name", error.to_string()),
            ClientsError::Internal(cause) => Self::internal(cause),
        }
    }
}

impl From<WorkspaceError> for PageError {
    fn from(error: WorkspaceError) -> Self {
        match error {
            WorkspaceError::Unknown(_) => Self::not_found("there is no such workspace"),
            WorkspaceError::Invalid(mistakes) => Self::mistakes(&mistakes),
            WorkspaceError::SeriesStarted { .. } => Self::conflict(&error),
            WorkspaceError::Secret(cause) => Self::internal(cause),
            WorkspaceError::Store(cause) => Self::internal(cause),
        }
    }
}

impl From<WebhookError> for PageError {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::Invalid(mistakes) => Self::mistakes(&mistakes),
            WebhookError::NotFound { .. } => Self::not_found("there is no such webhook or delivery"),
            WebhookError::Sealing(cause) => Self::internal(cause),
            WebhookError::Store(cause) => Self::internal(cause),
        }
    }
}

impl From<PluginError> for PageError {
    fn from(error: PluginError) -> Self {
        match error {
            PluginError::Unreadable(_)
            | PluginError::NotTrusted(_)
            | PluginError::NotLoaded(_)
            | PluginError::ComponentMismatch { .. }
            | PluginError::NotTried(_)
            | PluginError::UnstableDescription(_)
            | PluginError::UnknownWorkspace(_)
            | PluginError::DueInThePast(_)
            | PluginError::AmbiguousDay(_)
            | PluginError::DayOutOfRange(_) => {
                Self::refused(StatusCode::UNPROCESSABLE_ENTITY, error.to_string())
            }
            PluginError::Immutable { .. }
            | PluginError::NotActive { .. }
            | PluginError::NothingBefore(_)
            | PluginError::NothingBeside(_)
            | PluginError::InForce(_)
            | PluginError::Blocked(_)
            | PluginError::NotScheduled(_)
            | PluginError::ScheduledBlocked(_)
            | PluginError::CanaryFailed { .. }
            | PluginError::ConcurrentChange(_) => Self::conflict(&error),
            PluginError::Unknown { .. } => Self::not_found("there is no such version"),
            PluginError::Busy | PluginError::Documents(_) => {
                Self::refused(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
            }
            PluginError::Store(cause) => Self::internal(cause),
        }
    }
}

impl From<RenderingError> for PageError {
    fn from(error: RenderingError) -> Self {
        match error {
            RenderingError::Gone => Self::not_found("there is no such document"),
            RenderingError::NoRenderer | RenderingError::UnknownLocale { .. } => {
                Self::refused(StatusCode::NOT_FOUND, error.to_string())
            }
            RenderingError::Refused(found) => Self::unprocessable(faults(&found)),
            RenderingError::Preparing => Self::refused(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
            RenderingError::Unusable(_) | RenderingError::Broken(_) => {
                tracing::error!("A document was not rendered: {error}");
                Self::refused(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
            }
            RenderingError::InvoiceData(error) => Self::refused(StatusCode::BAD_GATEWAY, error.to_string()),
            RenderingError::Store(cause) => Self::internal(cause),
        }
    }
}
