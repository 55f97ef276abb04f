//! Why a request to the database gave no result, in words that do not depend on the database.

use serde::Serialize;
use std::error::Error;
use std::fmt;

/// A request to the database that gave no result. `Display` is fit for an operator and holds no SQL; the cause is in
/// `source`, for the log.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused, did not answer, or holds what the types do not allow.
    #[error("{message}")]
    Failed {
        /// One sentence for an operator.
        message: String,
        /// What the database said, if it was asked.
        #[source]
        cause: Option<StoreCause>,
    },
    /// The end of a transaction did not become durable, or nobody knows.
    #[error("the database did not keep the changes: look at the state before repeating")]
    NotDurable(#[source] Option<StoreCause>),
    /// A row that was held changed all the same.
    #[error("the stored {table} moved while it was held: repeat the request")]
    Moved {
        /// Of the row, as people know it: `invoice`, `submission`.
        table: &'static str,
    },
    /// A request with the same idempotency key is carried out at this moment, or was.
    #[error("the same request is carried out already: repeat it in a moment to get its answer")]
    Repeated,
}

/// What the driver of the database said; shown as its error is.
#[derive(Debug)]
pub struct StoreCause {
    /// What a program tells it by.
    pub kind: StoreCauseKind,
    /// The driver's own error.
    pub error: Box<dyn Error + Send + Sync>,
}

/// What a failure of the database means for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreCauseKind {
    /// The same request may succeed in a moment: a lost connection, a lock that was held too long.
    Transient,
    /// A row with these values exists already.
    Duplicate,
    /// The row refers to something that does not exist.
    MissingReference,
    /// The row breaks another rule that the schema keeps too.
    Constraint,
    /// Anything else.
    Other,
}

impl fmt::Display for StoreCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for StoreCause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

impl StoreError {
    /// The database did not carry a request out.
    pub fn failed(kind: StoreCauseKind, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let message = "the database did not carry out the request".to_owned();
        Self::Failed { message, cause: Some(StoreCause { kind, error: error.into() }) }
    }

    /// A document as JSON text that is to be kept.
    pub fn json(document: &impl Serialize) -> Result<String, Self> {
        serde_json::to_string(document).map_err(|error| Self::failed(StoreCauseKind::Other, error))
    }

    /// A document as JSON that is to be kept.
    pub fn json_value(document: &impl Serialize) -> Result<serde_json::Value, Self> {
        serde_json::to_value(document).map_err(|error| Self::failed(StoreCauseKind::Other, error))
    }

    /// What the failure means, where the database said something.
    pub fn kind(&self) -> Option<StoreCauseKind> {
        match self {
            Self::Failed { cause, .. } => cause.as_ref().map(|cause| cause.kind),
            Self::NotDurable(_) | Self::Moved { .. } | Self::Repeated => None,
        }
    }

    /// Whether the row itself is the trouble: it breaks a rule that the schema keeps too. Nothing of the transaction is
    /// to be kept then; another row may fare better.
    pub fn is_refused(&self) -> bool {
        use StoreCauseKind::{Constraint, Duplicate, MissingReference};
        matches!(self.kind(), Some(Duplicate | MissingReference | Constraint))
    }

    /// Whether the same request may succeed in a moment, because of what is behind `error`, however deep.
    pub fn is_transient(error: &(dyn Error + 'static)) -> bool {
        let mut chain = std::iter::successors(Some(error), |error| (**error).source());
        chain.any(|error| {
            error.downcast_ref::<StoreCause>().is_some_and(|cause| cause.kind == StoreCauseKind::Transient)
        })
    }
}
