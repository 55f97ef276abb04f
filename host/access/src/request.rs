//! The token request: read from JSON or a form, with credentials in the body or in HTTP Basic, and its errors
//! (RFC 6749 §5.2).

use super::AccessError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gateway_domain_input::duplicate_key;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

/// Longest `act.sub`: it travels in every request and stands in every record of what was done.
const SUB_CHARS_MAX: usize = 512;
const NO_SUB: &str = "act needs a sub that is a non-empty string";

/// Why no token is issued. `Display` is the `error_description`: printable ASCII without quotes or backslashes.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// 400: a member is missing, of the wrong type, or given twice.
    #[error("{0}")]
    InvalidRequest(&'static str),
    /// 400: only client credentials are served.
    #[error("the only grant_type is client_credentials")]
    UnsupportedGrantType,
    /// 401 with `WWW-Authenticate`: unknown client, wrong secret, or a disabled client; not told apart.
    #[error("the client is unknown, its secret is wrong, or it is disabled")]
    InvalidClient,
    /// 429 with `Retry-After`: too many secrets were wrong.
    #[error("too many wrong secrets for this client or from this address: wait {retry_after_s} s")]
    TooManyFailures {
        /// Seconds until the next try is looked at.
        retry_after_s: i64,
    },
    /// 500: the gateway's own fault.
    #[error("the token could not be issued")]
    Internal(#[source] AccessError),
}

impl TokenError {
    /// The `error` member of the answer; none for the gateway's own fault.
    pub const fn code(&self) -> Option<&'static str> {
        match self {
            Self::InvalidRequest(_) => Some("invalid_request"),
            Self::UnsupportedGrantType => Some("unsupported_grant_type"),
            Self::InvalidClient => Some("invalid_client"),
            // The registered code of RFC 8628; RFC 6749 has none for this.
            Self::TooManyFailures { .. } => Some("slow_down"),
            Self::Internal(_) => None,
        }
    }

    /// The HTTP status of the answer.
    pub const fn status(&self) -> u16 {
        match self {
            Self::InvalidRequest(_) | Self::UnsupportedGrantType => 400,
            Self::InvalidClient => 401,
            Self::TooManyFailures { .. } => 429,
            Self::Internal(_) => 500,
        }
    }
}

impl<E: Into<AccessError>> From<E> for TokenError {
    fn from(error: E) -> Self {
        Self::Internal(error.into())
    }
}

/// A well-formed request for a token. Its `Debug` does not show the secret.
#[derive(Debug, Clone)]
pub struct TokenRequest {
    /// Who asks; not yet known to exist.
    pub client_id: String,
    /// What proves it.
    pub client_secret: SecretString,
    /// The end user acted for (`act.sub`); never empty.
    pub act_sub: Option<String>,
}

/// The members of a request, before it is known that they are all there.
#[derive(Default)]
struct Members {
    grant_type: Option<String>,
    client_id: Option<String>,
    client_secret: Option<SecretString>,
    act: Option<Value>,
}

impl TokenRequest {
    /// Reads a JSON body. `authorization` is the header of that name; HTTP Basic credentials count instead of those
    /// in the body. Other members are ignored.
    pub fn from_json(body: &[u8], authorization: Option<&str>) -> Result<Self, TokenError> {
        let invalid = TokenError::InvalidRequest;
        let twice = duplicate_key(body).is_some();
        let body: Value = serde_json::from_slice(body).map_err(|_| invalid("the body is not JSON"))?;
        if twice {
            return Err(invalid("a member is given twice"));
        }
        let Value::Object(mut object) = body else { return Err(invalid("the body is not a JSON object")) };
        let members = Members {
            grant_type: string(&mut object, "grant_type", "grant_type is not a string")?,
            client_id: string(&mut object, "client_id", "client_id is not a string")?,
            client_secret: string(&mut object, "client_secret", "client_secret is not a string")?
                .map(SecretString::from),
            act: object.remove("act"),
        };
        members.complete(authorization)
    }

    /// Reads a form body (`application/x-www-form-urlencoded`), already decoded into pairs. `act` is a JSON object as
    /// text.
    pub fn from_form(
        pairs: impl IntoIterator<Item = (String, String)>,
        authorization: Option<&str>,
    ) -> Result<Self, TokenError> {
        let mut members = Members::default();
        for (name, value) in pairs {
            let twice = match name.as_str() {
                "grant_type" => members.grant_type.replace(value).is_some(),
                "client_id" => members.client_id.replace(value).is_some(),
                "client_secret" => members.client_secret.replace(value.into()).is_some(),
                "act" => {
                    if duplicate_key(value.as_bytes()).is_some() {
                        return Err(TokenError::InvalidRequest("a member of act is given twice"));
                    }
                    let act = serde_json::from_str(&value)
                        .map_err(|_| TokenError::InvalidRequest("act is not a JSON object"))?;
                    members.act.replace(act).is_some()
                }
                _ => false,
            };
            if twice {
                return Err(TokenError::InvalidRequest("a parameter is given twice"));
            }
        }
        members.complete(authorization)
    }
}

fn string(
    object: &mut Map<String, Value>,
    name: &str,
    wrong: &'static str,
) -> Result<Option<String>, TokenError> {
    match object.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(TokenError::InvalidRequest(wrong)),
    }
}

impl Members {
    fn complete(mut self, authorization: Option<&str>) -> Result<TokenRequest, TokenError> {
        let invalid = TokenError::InvalidRequest;
        // RFC 6749 §3.2: a parameter without a value counts as omitted.
        let grant_type =
            self.grant_type.filter(|text| !text.is_empty()).ok_or(invalid("grant_type is missing"))?;
        if grant_type != "client_credentials" {
            return Err(TokenError::UnsupportedGrantType);
        }
        let act_sub = self.act.take().map(act_sub).transpose()?;
        self.client_id = self.client_id.filter(|text| !text.is_empty());
        self.client_secret = self.client_secret.filter(|secret| !secret.expose_secret().is_empty());
        if let Some((id, secret)) = basic(authorization)? {
            if self.client_secret.is_some() || self.client_id.as_ref().is_some_and(|given| *given != id) {
                return Err(invalid(
                    "credentials are given twice, in the body and in the Authorization header",
                ));
            }
            (self.client_id, self.client_secret) = (Some(id), Some(secret));
        }
        let client_id = self.client_id.ok_or(invalid("client_id is missing"))?;
        let client_secret = self.client_secret.ok_or(invalid("client_secret is missing"))?;
        Ok(TokenRequest { client_id, client_secret, act_sub })
    }
}

fn act_sub(act: Value) -> Result<String, TokenError> {
    let Value::Object(mut act) = act else {
        return Err(TokenError::InvalidRequest("act is not a JSON object"));
    };
    match act.remove("sub") {
        Some(Value::String(sub)) if sub.is_empty() => Err(TokenError::InvalidRequest(NO_SUB)),
        Some(Value::String(sub))
            if sub.chars().count() > SUB_CHARS_MAX || sub.chars().any(char::is_control) =>
        {
            Err(TokenError::InvalidRequest("act.sub has control characters or more than 512 characters"))
        }
        Some(Value::String(sub)) => Ok(sub),
        _ => Err(TokenError::InvalidRequest(NO_SUB)),
    }
}

/// The credentials of an HTTP Basic header (RFC 6749 §2.3.1: both parts form-encoded). Another scheme counts as none;
/// a Basic header that cannot be read is a failed authentication.
fn basic(authorization: Option<&str>) -> Result<Option<(String, SecretString)>, TokenError> {
    let Some((scheme, encoded)) = authorization.and_then(|header| header.split_once(' ')) else {
        return Ok(None);
    };
    if !scheme.eq_ignore_ascii_case("basic") {
        return Ok(None);
    }
    let (id, secret) = user_and_password(encoded).ok_or(TokenError::InvalidClient)?;
    Ok(Some((form_decoded(&id)?, form_decoded(&secret)?.into())))
}

fn user_and_password(encoded: &str) -> Option<(String, Zeroizing<String>)> {
    let text = Zeroizing::new(String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?);
    let (id, secret) = text.split_once(':')?;
    Some((id.to_owned(), Zeroizing::new(secret.to_owned())))
}

/// The credentials of an HTTP Basic header as surfaces other than the token endpoint take them (RFC 7617: nothing is
/// form-encoded). None without the header, for another scheme, and for what cannot be read.
pub fn basic_credentials(authorization: Option<&str>) -> Option<(String, SecretString)> {
    let (scheme, encoded) = authorization?.split_once(' ')?;
    let (id, secret) = user_and_password(encoded).filter(|_| scheme.eq_ignore_ascii_case("basic"))?;
    Some((id, secret.as_str().into()))
}

fn form_decoded(text: &str) -> Result<String, TokenError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
                let code = digit().zip(digit()).map(|(high, low)| high * 16 + low);
                code.and_then(|code| u8::try_from(code).ok()).ok_or(TokenError::InvalidClient)?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).map_err(|_| TokenError::InvalidClient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn json(body: &Value) -> Result<TokenRequest, TokenError> {
        TokenRequest::from_json(body.to_string().as_bytes(), None)
    }

    fn form(pairs: &[(&str, &str)], authorization: Option<&str>) -> Result<TokenRequest, TokenError> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        TokenRequest::from_form(pairs, authorization)
    }

    fn complete() -> Value {
        json!({"grant_type": "client_credentials", "client_id": "id", "client_secret": "secret"})
    }

    #[test]
    fn json_and_forms_and_basic_say_the_same() {
        let basic = format!("Basic {}", STANDARD.encode("i%64:se+cret%21"));
        let grant = ("grant_type", "client_credentials");
        for request in [
            json(
                &json!({"grant_type": "client_credentials", "client_id": "id", "client_secret": "se cret!", "x": 1}),
            ),
            form(&[grant, ("client_id", "id"), ("client_secret", "se cret!")], None),
            form(&[grant], Some(&basic)),
            form(&[grant, ("client_id", "id")], Some(&basic)),
            TokenRequest::from_json(br#"{"grant_type": "client_credentials"}"#, Some(&basic)),
        ] {
            let request = request.unwrap();
            assert_eq!(
                (request.client_id.as_str(), request.client_secret.expose_secret()),
                ("id", "se cret!")
            );
            assert_eq!(request.act_sub, None);
        }
    }

    #[test]
    fn an_actor_needs_a_sub_that_is_a_non_empty_string() {
        let mut body = complete();
        body["act"] = json!({"sub": "user-7", "iss": "ignored"});
        assert_eq!(json(&body).unwrap().act_sub.as_deref(), Some("user-7"));
        for act in [
            json!({}),
            json!({"sub": ""}),
            json!({"sub": 7}),
            json!({"sub": null}),
            json!({"sub": "a\u{0}"}),
            json!({"sub": "x".repeat(513)}),
            json!("user"),
            json!(null),
            json!([]),
        ] {
            body["act"] = act.clone();
            assert_eq!(json(&body).unwrap_err().code(), Some("invalid_request"), "{act}");
        }
        let pairs = [
            ("grant_type", "client_credentials"),
            ("client_id", "i"),
            ("client_secret", "s"),
            ("act", "{\"sub\":\"u\"}"),
        ];
        assert_eq!(form(&pairs, None).unwrap().act_sub.as_deref(), Some("u"));
        assert!(form(&[("act", "u")], None).is_err());
    }

    #[test]
    fn what_is_missing_empty_or_of_the_wrong_type_is_an_invalid_request() {
        for name in ["grant_type", "client_id", "client_secret"] {
            for value in [None, Some(json!("")), Some(json!(null)), Some(json!(1)), Some(json!(["x"]))] {
                let mut body = complete();
                body.as_object_mut().unwrap().remove(name);
                if let Some(value) = value {
                    body[name] = value;
                }
                let error = json(&body).unwrap_err();
                assert_eq!((error.code(), error.status()), (Some("invalid_request"), 400), "{body}");
                assert!(error.to_string().contains(name), "{error}");
            }
        }
        for body in [&b"{"[..], b"[]", b"", b"\"x\"", b"\xff"] {
            assert_eq!(TokenRequest::from_json(body, None).unwrap_err().code(), Some("invalid_request"));
        }
    }

    #[test]
    fn another_grant_type_is_unsupported() {
        let mut body = complete();
        body["grant_type"] = json!("password");
        assert_eq!(json(&body).unwrap_err().code(), Some("unsupported_grant_type"));
        assert_eq!(
            json(&json!({"grant_type": "password"})).unwrap_err().code(),
            Some("unsupported_grant_type")
        );
    }

    #[test]
    fn a_member_that_is_given_twice_is_refused_as_a_parameter_is() {
        let complete = r#""grant_type": "client_credentials", "client_id": "i", "client_secret": "s""#;
        for more in [r#""client_id": "i""#, r#""act": {"sub": "a", "sub": "b"}"#, r#""x": 1, "x": 1"#] {
            let error =
                TokenRequest::from_json(format!("{{{complete}, {more}}}").as_bytes(), None).unwrap_err();
            assert_eq!(error.code(), Some("invalid_request"), "{more}");
            assert!(error.to_string().contains("given twice"), "{error}");
        }
        let act = ("act", r#"{"sub": "a", "sub": "b"}"#);
        assert_eq!(form(&[act], None).unwrap_err().code(), Some("invalid_request"));
    }

    #[test]
    fn credentials_given_twice_are_refused() {
        let basic = format!("Basic {}", STANDARD.encode("id:secret"));
        let body = complete().to_string();
        assert_eq!(
            TokenRequest::from_json(body.as_bytes(), Some(&basic)).unwrap_err().code(),
            Some("invalid_request")
        );
        let pairs = [("grant_type", "client_credentials"), ("grant_type", "client_credentials")];
        assert_eq!(form(&pairs, None).unwrap_err().code(), Some("invalid_request"));
    }

    #[test]
    fn a_broken_basic_header_is_a_failed_authentication_and_another_scheme_is_none() {
        let nothing = format!("Basic {}", STANDARD.encode("no colon"));
        let percent = format!("Basic {}", STANDARD.encode("id:%zz"));
        for header in ["Basic !!!", nothing.as_str(), percent.as_str()] {
            let error = form(&[("grant_type", "client_credentials")], Some(header)).unwrap_err();
            assert_eq!((error.code(), error.status()), (Some("invalid_client"), 401), "{header}");
        }
        assert!(TokenRequest::from_json(complete().to_string().as_bytes(), Some("Bearer x")).is_ok());
    }

    #[test]
    fn basic_credentials_are_taken_as_they_are() {
        let header = |text: &str| format!("basic {}", STANDARD.encode(text));
        let (id, secret) = basic_credentials(Some(&header("i%64:se+c:ret%21"))).unwrap();
        assert_eq!((id.as_str(), secret.expose_secret()), ("i%64", "se+c:ret%21"));
        let nothing = header("no colon");
        for none in [None, Some("Bearer x"), Some("Basic"), Some("Basic !!!"), Some(nothing.as_str())] {
            assert!(basic_credentials(none).is_none(), "{none:?}");
        }
    }

    #[test]
    fn the_secret_is_not_shown() {
        assert!(!format!("{:?}", json(&complete()).unwrap()).contains("\"secret\""));
    }
}
