//! Signatures after the Standard Webhooks specification.

use aws_lc_rs::{hmac, rand};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gateway_access::secrets::Unsealable;
use secrecy::SecretString;
use zeroize::Zeroizing;

const BYTES: usize = 32;
const PREFIX: &str = "whsec_";

/// What signs webhooks of an endpoint. Has no `Debug`.
pub(super) struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    pub(super) fn generate() -> Result<Self, Unsealable> {
        let mut bytes = Zeroizing::new(vec![0_u8; BYTES]);
        rand::fill(&mut bytes).map_err(|_| Unsealable)?;
        Ok(Self(bytes))
    }

    pub(super) const fn of(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self(bytes)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// As its owner is shown it.
    pub(super) fn text(&self) -> SecretString {
        let encoded = Zeroizing::new(STANDARD.encode(self.bytes()));
        format!("{PREFIX}{}", encoded.as_str()).into()
    }

    fn sign(&self, id: &str, timestamp: i64, body: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.bytes());
        let tag = hmac::sign(&key, format!("{id}.{timestamp}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(tag))
    }
}

/// `webhook-signature`: one signature a secret.
pub(super) fn signature(secrets: &[Secret], id: &str, timestamp: i64, body: &str) -> String {
    let all: Vec<_> = secrets.iter().map(|secret| secret.sign(id, timestamp, body)).collect();
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    fn secret(text: &str) -> Secret {
        Secret::of(Zeroizing::new(STANDARD.decode(text.strip_prefix(PREFIX).unwrap()).unwrap()))
    }

    #[test]
    fn signatures_are_those_of_the_specification() {
        // The example of the specification's own libraries.
        let secret = secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let signed =
            signature(&[secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, "{\"test\": 2432232314}");
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn every_live_secret_signs() {
        let two = [secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), Secret::generate().unwrap()];
        let signed = signature(&two, "a", 1, "b");
        let parts: Vec<_> = signed.split(' ').collect();
        assert!(parts.len() == 2 && parts.iter().all(|part| part.starts_with("v1,")));
        assert_ne!(parts[0], parts[1]);
    }

    #[test]
    fn a_secret_is_shown_as_text_of_32_random_bytes() {
        let fresh = Secret::generate().unwrap().text();
        let text = fresh.expose_secret();
        assert_eq!(STANDARD.decode(text.strip_prefix("whsec_").unwrap()).unwrap().len(), BYTES);
        assert!(!format!("{fresh:?}").contains(text));
        assert_ne!(text, Secret::generate().unwrap().text().expose_secret());
    }
}
