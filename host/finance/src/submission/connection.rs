//! Whether the provider takes the token of a workspace, asked without changing anything.

use super::Submissions;
use gateway_domain::StoreError;
use gateway_domain::ids::{EntryId, WorkspaceId};
use gateway_domain_finance::ports::{ProviderAccess, ProviderError, ProviderToken};

/// What came of asking the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// The workspace sends nothing to a provider.
    NotConfigured,
    /// This gateway has no provider.
    NoProvider,
    /// The provider answered, and takes the token.
    Good,
    /// The provider answered, and does not take the token.
    TokenRefused,
    /// The provider did not answer, or not as the provider does.
    Failed(String),
}

impl Connection {
    /// For people, with what to do next.
    pub fn sentence(&self) -> String {
        match self {
            Self::NotConfigured => {
                "the workspace is not configured for e-invoicing: save its form first".to_owned()
            }
            Self::NoProvider => {
                "this gateway has no provider: set provider.base_url and start it again".to_owned()
            }
            Self::Good => "the provider answered and takes the token".to_owned(),
            Self::TokenRefused => "the provider refused the token: save another one".to_owned(),
            Self::Failed(detail) => {
                format!("the provider gave no good answer ({detail}): try again, and check provider.base_url")
            }
        }
    }
}

impl Submissions {
    /// Asks for an entry that nobody has: whoever is told that there is none has shown a good token.
    pub async fn test_connection(&self, workspace: WorkspaceId) -> Result<Connection, StoreError> {
        match self.context.workspaces().provider_access(workspace).await? {
            Some((_, access)) => Ok(self.test_access(&access).await),
            None => Ok(Connection::NotConfigured),
        }
    }

    /// The same with a token that no workspace has yet. It is stored nowhere.
    pub async fn test_token(&self, token: ProviderToken) -> Connection {
        self.test_access(&ProviderAccess { token }).await
    }

    async fn test_access(&self, access: &ProviderAccess) -> Connection {
        let Some(provider) = self.context.provider() else { return Connection::NoProvider };
        let unknown = match EntryId::try_from(self.context.ids().next()) {
            Ok(id) => id,
            Err(error) => return Connection::Failed(error.to_string()),
        };
        match provider.get_entry(access, unknown).await {
            Ok(_) | Err(ProviderError::NotFound) => Connection::Good,
            Err(ProviderError::Unauthorised { .. }) => Connection::TokenRefused,
            Err(
                error @ (ProviderError::Unavailable { .. }
                | ProviderError::Conflict
                | ProviderError::Refused { .. }
                | ProviderError::Protocol { .. }),
            ) => Connection::Failed(error.to_string()),
        }
    }
}
