//! Whether the provider takes the token of a workspace.

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
