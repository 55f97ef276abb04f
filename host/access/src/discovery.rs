//! What is published about tokens, for whoever checks them.

use crate::signing::Jwk;
use serde::Serialize;
use utoipa::ToSchema;

/// The public keys of tokens (RFC 7517, section 5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct JwkSet {
    /// Every key that may have signed a token that is still good, and the next one.
    pub keys: Vec<Jwk>,
}

/// The metadata of the token endpoint (RFC 8414, section 2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AuthorizationServer {
    /// The `iss` and `aud` of tokens.
    #[schema(examples("https://gateway.example"))]
    pub issuer: String,
    /// Where tokens are issued.
    #[schema(format = "uri", examples("https://gateway.example/v1/oauth2/token"))]
    pub token_endpoint: String,
    /// Where the public keys are.
    #[schema(format = "uri", examples("https://gateway.example/.well-known/jwks.json"))]
    pub jwks_uri: String,
    /// How a token may be asked for.
    #[schema(value_type = Vec<String>, examples("client_credentials"))]
    pub grant_types_supported: [&'static str; 1],
    /// Required (section 2), and an empty list must not be sent (section 3.2): `none` is what is registered for a server that
    /// hands out nothing through a browser.
    #[schema(value_type = Vec<String>)]
    pub response_types_supported: [&'static str; 1],
    /// What tokens are good for.
    #[schema(value_type = Vec<String>)]
    pub scopes_supported: [&'static str; 1],
    /// How a client proves who it is.
    #[schema(value_type = Vec<String>)]
    pub token_endpoint_auth_methods_supported: [&'static str; 2],
}

impl AuthorizationServer {
    /// Of an issuer that clients reach at a URL without a slash at its end, whose tokens have this scope.
    pub(crate) fn at(public_url: &str, issuer: &str, scope: &'static str) -> Self {
        Self {
            issuer: issuer.to_owned(),
            token_endpoint: format!("{public_url}/v1/oauth2/token"),
            jwks_uri: format!("{public_url}/.well-known/jwks.json"),
            grant_types_supported: ["client_credentials"],
            response_types_supported: ["none"],
            scopes_supported: [scope],
            token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
        }
    }
}
