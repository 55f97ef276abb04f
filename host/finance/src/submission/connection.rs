//! Whether the provider takes the token of a workspace, asked without changing anything.

use super::Submissions;
use gateway_domain::StoreError;
use gateway_domain::ids::{EntryId, WorkspaceId};
use gateway_domain_finance::Connection;
use gateway_domain_finance::ports::{ProviderAccess, ProviderError, ProviderToken};

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
