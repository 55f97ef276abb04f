//! What a protected resource answers when the bearer token is not good (RFC 6750).

use super::AccessError;

/// Why a request is not let in.
#[derive(Debug, thiserror::Error)]
pub enum BearerError {
    /// There is no bearer token.
    #[error("a bearer token is required: get one from the token endpoint")]
    Missing,
    /// It was good once.
    #[error("the token has expired: get another one from the token endpoint")]
    Expired,
    /// It is none of ours, was damaged, or its client does not exist any more.
    #[error("the token is not valid: get one from the token endpoint")]
    Invalid,
    /// For good: its client gets no other token either.
    #[error("the client of the token is disabled")]
    Disabled,
    /// The gateway could not check it: the answer is 500, not 401.
    #[error("the token could not be checked")]
    Internal(#[source] AccessError),
}

impl BearerError {
    /// The `WWW-Authenticate` header of the 401; none when the gateway itself failed.
    pub fn challenge(&self) -> Option<String> {
        match self {
            // RFC 6750 §3: a request without credentials gets no error code.
            Self::Missing => Some("Bearer realm=\"gateway\"".to_owned()),
            Self::Expired | Self::Invalid | Self::Disabled => Some(format!(
                "Bearer realm=\"gateway\", error=\"invalid_token\", error_description=\"{self}\""
            )),
            Self::Internal(_) => None,
        }
    }
}

impl<E: Into<AccessError>> From<E> for BearerError {
    fn from(error: E) -> Self {
        Self::Internal(error.into())
    }
}

/// The token in an `Authorization` header; another scheme counts as none.
pub fn bearer_token(authorization: Option<&str>) -> Result<&str, BearerError> {
    let (scheme, token) =
        authorization.and_then(|header| header.split_once(' ')).ok_or(BearerError::Missing)?;
    let token = token.trim();
    if scheme.eq_ignore_ascii_case("bearer") && !token.is_empty() {
        Ok(token)
    } else {
        Err(BearerError::Missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bearer_token_is_found_whatever_the_case_of_its_scheme() {
        assert_eq!(bearer_token(Some("Bearer abc")).unwrap(), "abc");
        assert_eq!(bearer_token(Some("bearer  abc ")).unwrap(), "abc");
        for none in [None, Some(""), Some("Bearer"), Some("Bearer "), Some("Basic abc"), Some("abc")] {
            assert!(matches!(bearer_token(none), Err(BearerError::Missing)), "{none:?}");
        }
    }

    #[test]
    fn a_challenge_names_an_error_only_when_there_was_a_token() {
        assert_eq!(BearerError::Missing.challenge().unwrap(), "Bearer realm=\"gateway\"");
        let expired = BearerError::Expired.challenge().unwrap();
        assert!(expired.contains("error=\"invalid_token\"") && expired.contains("expired"), "{expired}");
        assert_eq!(BearerError::Internal(AccessError::Signing("x")).challenge(), None);
    }
}
