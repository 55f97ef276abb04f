//! Messages over SMTP (RFC 5321), with TLS where the address says so.

use crate::MailMessage;
use async_trait::async_trait;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message};
use lettre::{AsyncSmtpTransport, AsyncTransport, Tokio1Executor};
use secrecy::{ExposeSecret, SecretString};
use std::fmt;
use std::time::{Duration, SystemTime};

/// How long the server may take with each command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a message may take as a whole.
const SEND_TIMEOUT: Duration = Duration::from_mins(1);

/// Why a message did not leave.
#[derive(Debug, thiserror::Error)]
pub enum MailError {
    /// It is no message that mail knows.
    #[error("the message cannot be written: {0}")]
    Message(String),
    /// The server did not take it.
    #[error("the mail server did not take it: {0}")]
    Refused(String),
    /// The server did not answer in time.
    #[error("the mail server did not answer within {0} s")]
    TimedOut(u64),
}

/// How messages leave.
#[async_trait]
pub trait MailTransport: fmt::Debug + Send + Sync {
    /// Hands a message over. After `Ok` the other side answers for it; it may have it also after an error.
    async fn send(&self, message: &MailMessage) -> Result<(), MailError>;
}

/// An address that names no mail server.
#[derive(Debug, thiserror::Error)]
#[error(
    "notices.mail.smtp_url names no mail server: write it as smtps://USER:PASSWORD@HOST, or smtp://HOST?tls=required"
)]
pub struct InvalidMailServer;

/// A mail server. Its `Debug` shows no password.
pub struct SmtpTransport(AsyncSmtpTransport<Tokio1Executor>);

impl fmt::Debug for SmtpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmtpTransport").finish_non_exhaustive()
    }
}

impl SmtpTransport {
    /// The server at an address: `smtps://` speaks TLS from the first byte, `smtp://…?tls=required` from STARTTLS on,
    /// `smtp://` alone never. User and password are part of it.
    ///
    /// # Errors
    /// It names none. The address is not repeated: it may hold a password.
    pub fn new(url: &SecretString) -> Result<Self, InvalidMailServer> {
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.expose_secret());
        let builder = builder.map_err(|_| InvalidMailServer)?;
        Ok(Self(builder.timeout(Some(COMMAND_TIMEOUT)).build()))
    }
}

#[async_trait]
impl MailTransport for SmtpTransport {
    async fn send(&self, message: &MailMessage) -> Result<(), MailError> {
        let message = written(message)?;
        match tokio::time::timeout(SEND_TIMEOUT, self.0.send(message)).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(MailError::Refused(error.to_string())),
            Err(_) => Err(MailError::TimedOut(SEND_TIMEOUT.as_secs())),
        }
    }
}

/// A message as it is sent.
fn written(message: &MailMessage) -> Result<Message, MailError> {
    let failed = |error: &dyn std::error::Error| MailError::Message(error.to_string());
    let mailbox = |address: &str| -> Result<Mailbox, MailError> {
        address.parse().map_err(|error: lettre::address::AddressError| failed(&error))
    };
    let mut builder = Message::builder()
        .from(mailbox(message.from.as_str())?)
        .subject(message.subject.as_str())
        .date(SystemTime::from(message.at))
        .message_id(Some(message.id.clone()))
        .header(ContentType::TEXT_PLAIN);
    for recipient in &message.to {
        builder = builder.to(mailbox(recipient.as_str())?);
    }
    let mut written = builder.body(message.body.clone()).map_err(|error| failed(&error))?;
    // RFC 3834: nobody's holiday answers it.
    let name = HeaderName::new_from_ascii_str("Auto-Submitted");
    written.headers_mut().insert_raw(HeaderValue::new(name, "auto-generated".to_owned()));
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> MailMessage {
        MailMessage {
            from: "gateway@example.org".parse().unwrap(),
            to: vec!["ana@example.org".parse().unwrap(), "ben@example.org".parse().unwrap()],
            subject: "Submission waits for somebody: Ä-1".to_owned(),
            body: "Submission waits for somebody\n".to_owned(),
            at: "2026-11-20T09:00:00Z".parse().unwrap(),
            id: "<7.1@example.org>".to_owned(),
        }
    }

    #[test]
    fn a_message_says_who_writes_to_whom_and_that_a_machine_does() {
        let text = String::from_utf8(written(&message()).unwrap().formatted()).unwrap();
        for line in [
            "From: gateway@example.org\r\n",
            "To: ana@example.org, ben@example.org\r\n",
            "Date: Fri, 20 Nov 2026 09:00:00 +0000\r\n",
            "Message-ID: <7.1@example.org>\r\n",
            "Auto-Submitted: auto-generated\r\n",
            "Content-Type: text/plain; charset=utf-8\r\n",
        ] {
            assert!(text.contains(line), "{line:?} is not in {text}");
        }
        assert!(text.contains("Subject: ") && !text.contains('Ä'), "{text}");
    }

    #[test]
    fn a_server_is_named_by_an_address_and_its_password_is_shown_nowhere() {
        for url in [
            "smtps://ana:hunter2@mail.example",
            "smtp://ana:hunter2@mail.example:587?tls=required",
            "smtp://localhost:25",
        ] {
            let transport = SmtpTransport::new(&url.into()).unwrap();
            assert!(!format!("{transport:?}").contains("hunter2"));
        }
        for url in ["", "mail.example", "https://ana:hunter2@mail.example", "smtp://mail.example?tls=never"] {
            let refused = SmtpTransport::new(&url.into()).unwrap_err();
            assert!(!format!("{refused} {refused:?}").contains("hunter2"));
        }
    }
}
