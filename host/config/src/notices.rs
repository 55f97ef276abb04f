//! `[notices.mail]`.

use super::ConfigError;
use super::check::{check_range, check_web_address, refuse};
use gateway_domain_events::notices::{MailAddress, PerWorkspace, QuietHours};
use secrecy::{ExposeSecret, SecretString};
use url::{Host, Url};

/// A day: somebody should have looked by then.
const DIGEST_EVERY_MAX_MIN: u32 = 24 * 60;

/// `[notices.mail]`: who is written to when something needs somebody, and through which server.
#[derive(Debug, Clone)]
pub struct NoticeMail {
    /// `smtps://…` or `smtp://…`, which may hold a password; nothing is mailed unless it is set.
    pub smtp_url: Option<SecretString>,
    /// Who writes.
    pub from: Option<MailAddress>,
    /// Who is written to.
    pub to: PerWorkspace<MailAddress>,
    /// Least minutes between two messages to the same recipients.
    pub digest_every_min: u32,
    /// When nobody is written to, by the time zone of the workspace.
    pub quiet_hours: PerWorkspace<QuietHours>,
    /// How those who are written to reach the console; the internal listener as it is bound unless set.
    pub console_url: Option<Url>,
}

impl Default for NoticeMail {
    fn default() -> Self {
        Self {
            smtp_url: None,
            from: None,
            to: PerWorkspace::default(),
            digest_every_min: 15,
            quiet_hours: PerWorkspace::default(),
            console_url: None,
        }
    }
}

impl NoticeMail {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        check_range("notices.mail.digest_every_min", self.digest_every_min, 1, DIGEST_EVERY_MAX_MIN)?;
        if let Some(url) = &self.console_url {
            check_web_address("notices.mail.console_url", url)?;
        }
        let Some(url) = &self.smtp_url else {
            return match (&self.from, self.to.is_empty()) {
                (None, true) => Ok(()),
                (Some(_), _) | (None, false) => refuse(
                    "notices.mail.smtp_url",
                    "name the mail server, such as smtps://USER:PASSWORD@HOST",
                ),
            };
        };
        if self.from.is_none() {
            return refuse("notices.mail.from", "name who writes, such as gateway@example.org");
        }
        if self.to.is_empty() {
            return refuse("notices.mail.to", "name who is written to, such as ana@example.org");
        }
        check_server(url.expose_secret())
    }
}

/// Nothing of the address is repeated: it may hold a password.
fn check_server(address: &str) -> Result<(), ConfigError> {
    const KEY: &str = "notices.mail.smtp_url";
    let Some(url) = Url::parse(address).ok().filter(Url::has_host) else {
        return refuse(KEY, "it is no URL: use smtps://USER:PASSWORD@HOST, or smtp://HOST?tls=required");
    };
    let parameters: Vec<_> = url.query_pairs().collect();
    let is_over_tls = match (url.scheme(), parameters.as_slice()) {
        ("smtps", []) => true,
        ("smtp", []) => false,
        ("smtp", [(name, value)]) if name == "tls" && value == "required" => true,
        _ => {
            return refuse(
                KEY,
                "use smtps:// for TLS from the first byte, smtp://HOST?tls=required for STARTTLS, or smtp://HOST without TLS",
            );
        }
    };
    if url.password().is_some() && !is_over_tls && !is_this_machine(&url) {
        return refuse(
            KEY,
            "a password is sent over TLS only: use smtps://, or ?tls=required behind the host",
        );
    }
    Ok(())
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        // The host of another scheme than the web's is not read as an address.
        Some(Host::Domain(name)) => matches!(name, "localhost" | "127.0.0.1"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(smtp_url: &str) -> NoticeMail {
        NoticeMail {
            smtp_url: Some(smtp_url.into()),
            from: Some("gateway@example.org".parse().unwrap()),
            to: PerWorkspace::parse(["ana@example.org"]).unwrap(),
            ..NoticeMail::default()
        }
    }

    fn refusal(mail: &NoticeMail) -> String {
        mail.check().map_or_else(|error| error.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn a_password_goes_over_tls_or_stays_on_this_machine() {
        for url in [
            "smtps://ana:hunter2@mail.example",
            "smtp://ana:hunter2@mail.example:587?tls=required",
            "smtp://ana:hunter2@localhost",
            "smtp://ana:hunter2@127.0.0.1:2525",
            "smtp://mail.example:25",
        ] {
            assert_eq!(refusal(&mail(url)), "fine", "{url}");
        }
        for (url, sentence) in [
            ("smtp://ana:hunter2@mail.example", "over TLS only"),
            ("smtp://ana:hunter2@mail.example?tls=opportunistic", "use smtps://"),
            ("https://ana:hunter2@mail.example", "use smtps://"),
            ("mail.example", "it is no URL"),
        ] {
            let refused = refusal(&mail(url));
            assert!(refused.contains(sentence) && !refused.contains("hunter2"), "{url}: {refused}");
        }
    }

    #[test]
    fn a_server_without_who_writes_to_whom_is_refused_and_so_is_that_without_a_server() {
        assert_eq!(refusal(&NoticeMail::default()), "fine");
        let complete = mail("smtp://localhost");
        let without_from = NoticeMail { from: None, ..complete.clone() };
        assert!(refusal(&without_from).contains("notices.mail.from"), "{}", refusal(&without_from));
        let without_to = NoticeMail { to: PerWorkspace::default(), ..complete.clone() };
        assert!(refusal(&without_to).contains("notices.mail.to"), "{}", refusal(&without_to));
        let without_server = NoticeMail { smtp_url: None, ..complete };
        assert!(refusal(&without_server).contains("notices.mail.smtp_url"), "{}", refusal(&without_server));
    }
}
