//! What a supplier filed before, as the finance service asks for it.

use async_trait::async_trait;
use gateway_domain::invoicing::Invoice;
use gateway_domain::workspace::Workspace;
use gateway_domain::{FieldError, StoreError};

/// Knows where the numbers of a supplier go on that were filed before this gateway knew them.
#[async_trait]
pub trait EarlierNumbers: Send + Sync + std::fmt::Debug {
    /// Why a document may not get the first number of its series; none where it may, or where it is not the first.
    async fn objection(
        &self,
        document: &Invoice,
        workspace: &Workspace,
    ) -> Result<Option<FieldError>, StoreError>;
}
