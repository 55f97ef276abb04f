//! Who hears of an amendment that waits: its document is issued, so nothing else says that something is left to do.

use gateway_domain_amendment::Amendment;
use gateway_domain_events::notices::{Notice, NoticeKind, NoticeSubject};
use jiff::{SignedDuration, Timestamp};

/// How long an amendment is tried again before somebody hears of it.
const TOLD_AFTER: SignedDuration = SignedDuration::from_hours(1);
/// How often somebody hears of the same amendment.
pub(crate) const REPEATED_AFTER: SignedDuration = SignedDuration::from_hours(24);
/// An amendment does not go on.
const AMENDMENT_WAITS: &str = "amendmentWaits";

/// What is said of an amendment; nothing of one that ended, that goes on, or that was asked for a moment ago.
pub(crate) fn waiting(amendment: &Amendment, now: Timestamp) -> Option<Notice> {
    let problem = amendment.open()?.problem.as_deref()?;
    if now.duration_since(amendment.created_at) < TOLD_AFTER {
        return None;
    }
    let Amendment { document, number, workspace, created_at, .. } = amendment;
    Some(Notice {
        kind: NoticeKind::SubmissionAlerted,
        workspace: Some(*workspace),
        subject: NoticeSubject::Document { id: *document, number: Some(number.clone()) },
        code: AMENDMENT_WAITS.to_owned(),
        message: format!("the amendment of {} waits: {problem}", number.0),
        next_command: format!("gateway invoice amendments {document}"),
        since: *created_at,
    })
}
