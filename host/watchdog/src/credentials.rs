//! Tokens of the provider that end soon: without one, no document of the workspace goes on.

use crate::Watchdog;
use gateway_domain::StoreError;
use gateway_domain::ids::WorkspaceId;
use gateway_domain_events::notices::{Notice, NoticeKind, NoticeSubject};
use gateway_events::append_notice_after;
use gateway_storage::workspaces::{self, ExpiringToken};
use jiff::{SignedDuration, Timestamp};

/// How long before its end somebody hears of a token.
const NOTICE_BEFORE: SignedDuration = SignedDuration::from_hours(14 * 24);
/// How often somebody hears of the same token.
const REPEAT_NOTICE_AFTER: SignedDuration = SignedDuration::from_hours(24);
/// Tokens of one transaction.
const PAGE: i64 = 200;
/// Before the first token.
const START: ExpiringToken = (Timestamp::UNIX_EPOCH, WorkspaceId(0));

impl Watchdog {
    /// Writes a notice down for each token of the provider that ends within two weeks or has ended, once a day.
    pub(crate) async fn note_expiring_credentials(&self, now: Timestamp) -> Result<(), StoreError> {
        let until = now.checked_add(NOTICE_BEFORE).unwrap_or(Timestamp::MAX);
        let mut after = START;
        loop {
            let page = workspaces::expiring_tokens(self.db(), until, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = *last;
            let mut tx = self.db().begin().await?;
            for token in page {
                let notice = notice(token, now);
                append_notice_after(&mut tx, self.parts.ids.as_ref(), now, &notice, REPEAT_NOTICE_AFTER)
                    .await?;
            }
            tx.commit_at("credentials-noted").await?;
        }
    }
}

fn notice((expires_at, workspace): ExpiringToken, now: Timestamp) -> Notice {
    let end = expires_at.strftime("%Y-%m-%d %H:%M UTC");
    let (code, message) = if expires_at <= now {
        let sentence = format!(
            "the provider takes the token of workspace {workspace} no more since {end}, and documents wait: save another one"
        );
        ("credentialExpired", sentence)
    } else {
        let sentence = format!(
            "the provider takes the token of workspace {workspace} only until {end}: make another one there, and save it"
        );
        ("credentialExpiresSoon", sentence)
    };
    Notice {
        kind: NoticeKind::CredentialExpiring,
        workspace: Some(workspace),
        subject: NoticeSubject::Credential(workspace),
        code: code.to_owned(),
        message,
        next_command: format!("gateway workspace e-invoicing show --workspace {workspace}"),
        since: expires_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_says_whether_the_token_ends_or_has_ended() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let (end, workspace) = (at("2026-12-01T08:00:00Z"), WorkspaceId(7));
        let soon = notice((end, workspace), at("2026-11-29T00:00:00Z"));
        assert_eq!(soon.code, "credentialExpiresSoon");
        assert_eq!(
            soon.message,
            "the provider takes the token of workspace 7 only until 2026-12-01 08:00 UTC: make another one there, and save it"
        );
        assert_eq!(notice((end, workspace), end).code, "credentialExpired");
        assert_eq!((soon.workspace, soon.since), (Some(workspace), end));
    }
}
