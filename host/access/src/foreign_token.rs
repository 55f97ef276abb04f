//! What a token says that somebody else made and checks: read, never trusted.

use jiff::Timestamp;
use serde::Deserialize;

#[derive(Deserialize)]
struct Expiry {
    exp: serde_json::Number,
}

/// Until when a token is good, if it is a JWT that says so (`exp`, RFC 7519 section 4.1.4); none of any other token. Nothing else
/// of it is looked at, its signature neither: this is for telling its owner in time.
pub fn expiry_of(token: &str) -> Option<Timestamp> {
    let Expiry { exp } = jsonwebtoken::dangerous::insecure_decode_claims(token).ok()?;
    // None is from before 1970, and a year below nought is no date that others read.
    Timestamp::from_second(i64::try_from(exp.as_u64()?).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jsonwebtoken::{EncodingKey, Header};
    use serde_json::{Value, json};

    fn token(claims: &Value) -> String {
        jsonwebtoken::encode(&Header::default(), claims, &EncodingKey::from_secret(b"theirs")).unwrap()
    }

    #[test]
    fn a_token_that_says_until_when_it_is_good_is_understood_whoever_signed_it() {
        assert_eq!(
            expiry_of(&token(&json!({"exp": 1_800_000_000}))),
            Some("2027-01-15T08:00:00Z".parse().unwrap())
        );
    }

    #[test]
    fn what_does_not_say_so_has_no_end() {
        for claims in [
            json!({}),
            json!({"exp": "soon"}),
            json!({"exp": u64::MAX}),
            json!({"exp": i64::MAX}),
            json!({"exp": 1.5}),
            json!({"exp": -5}),
        ] {
            assert_eq!(expiry_of(&token(&claims)), None, "{claims}");
        }
        for opaque in ["", "a", "a.b", "a.b.c", "...", "invopop-key"] {
            assert_eq!(expiry_of(opaque), None, "{opaque}");
        }
    }
}
